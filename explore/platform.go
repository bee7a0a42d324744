package explore

import (
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"

	"github.com/halfpeak/halfpeak/whatif"
)

// platform is a layer with its parameters: those of the file, with the values of the design.
func (x *Explorer) platform(r Design) (Platform, error) {
	d, err := x.design(r)
	if err != nil {
		return Platform{}, err
	}
	file, _, _ := strings.Cut(r.Ref, "/")
	if x.added[file] == nil {
		file = ""
	}
	head := headOf(d.base.Platform, file)
	a := Platform{PlatformHead: head, Layer: layerHead(d.now.Layer, head.Ref), Thresholds: []Threshold{}}
	a.Parameters = parameters(d)
	peak := whatif.PeakOf(d.now)
	exists := peak.Known && peak.Exists
	a.Peak = Peak{optional(float64(peak.Asymptote), exists), optional(float64(peak.Half), exists), peak.Text(nil)}
	for _, t := range d.now.Thresholds() {
		a.Thresholds = append(a.Thresholds, Threshold{t.Path, Number(t.InUse), t.InUse.String()})
	}
	return a, nil
}

func parameters(d resolved) []Parameter {
	given := d.base.Uses()
	now := map[string]platforms.Param{}
	for _, p := range d.now.Platform.Params() {
		now[p.Path] = p
	}
	acts, changed := map[string]bool{}, map[string]bool{}
	for _, p := range d.now.Uses() {
		acts[p.Path] = true
	}
	for _, c := range d.now.Changes {
		changed[c.Path] = true
	}
	thresholds := d.now.Thresholds()
	all := make([]Parameter, 0, len(given))
	for _, was := range given {
		p, has := now[was.Path]
		if !has {
			p = was // of a stage that nothing uses any more
		}
		scale, unit := whatif.Unit(p.Value.Dim)
		q := Parameter{
			Path: p.Path, Name: p.Short(), Owner: p.Owner, Symbol: p.Symbol, Phrase: p.Phrase, Source: p.Source, Unit: unit,
			Value: optional(p.Value.Num*scale, p.Word == ""), Word: p.Word, Text: whatif.TextOf(p),
			Words: []string{}, Whole: whole(p),
			Constant: p.Constant(), Changed: changed[p.Path], Used: acts[p.Path], Zero: p.Measure.Cost(),
			File: Given{Value: optional(was.Value.Num*scale, was.Word == ""), Word: was.Word, Text: whatif.TextOf(was)},
		}
		q.Low, q.High = interval(p, scale)
		q.File.Low, q.File.High = interval(was, scale)
		for _, word := range model.CutWords() {
			if p.TakesWord(word) {
				q.Words = append(q.Words, word)
			}
		}
		from, to := ends(p, was)
		for k, t := range thresholds {
			if t.Path != p.Path {
				continue
			}
			q.Phrase = "largest message of " + t.Below
			if k > 0 { // thresholds rise
				from = max(from, float64(thresholds[k-1].InUse)+1)
			}
			if k+1 < len(thresholds) {
				to = min(to, float64(thresholds[k+1].InUse)-1)
			}
		}
		q.From, q.To = Number(from*scale), Number(to*scale)
		all = append(all, q)
	}
	return all
}

// whole reports whether a slider stays on whole numbers. It does so for sizes that are constants
// too, since most parameters that are computed from them are sizes.
func whole(p platforms.Param) bool { return p.Whole() || p.Value.Dim == quantity.DimSize }

func interval(p platforms.Param, scale float64) (low, high *Number) {
	has := p.PlusMinus > 0
	return optional((p.Value.Num-p.PlusMinus)*scale, has), optional((p.Value.Num+p.PlusMinus)*scale, has)
}

// reach is how far a slider goes from the value of the file: this much smaller and larger.
const reach = 64

// ends returns the ends of a logarithmic slider that includes the file's value, in its middle, and
// the present value.
func ends(now, file platforms.Param) (from, to float64) {
	middle := file.Value.Num
	if !(middle > 0) {
		switch file.Value.Dim {
		case quantity.DimTime:
			middle = 1
		case quantity.DimInverse:
			middle = 1 / float64(quantity.KiB)
		case quantity.DimSize:
			middle = 4 * float64(quantity.KiB)
		default:
			middle = 1
		}
	}
	from, to = middle/reach, middle*reach
	if v := now.Value.Num; v > 0 {
		from, to = min(from, v), max(to, v)
	}
	if whole(file) {
		from, to = max(1, math.Floor(from)), math.Ceil(to)
	}
	if file.Value.Dim == quantity.DimSize {
		to = min(to, float64(whatif.MaxSize))
		from = min(from, to)
	}
	return from, to
}
