package page

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// Bounds of platforms to add: those that come with halfpeak have up to 12 KiB, and
// measured collectives add lists of times.
const (
	maxPlatform = 1 << 20 // bytes of a file
	maxAdded    = 256
)

// list returns the platforms that come with halfpeak, and then the added ones by
// name.
func (x *Explorer) list(nothing) (platformList, error) {
	within, err := platforms.All()
	if err != nil {
		return platformList{}, err
	}
	all := platformList{list.Map(within, func(p platforms.Platform) platformSummary {
		return headOf(p, "")
	})}
	for _, file := range slices.Sorted(maps.Keys(x.added)) {
		all.Platforms = append(all.Platforms, headOf(*x.added[file], file))
	}
	return all, nil
}

// add adds a platform file under its name. A file of the same name is replaced, since
// a user who drops a corrected file means that.
func (x *Explorer) add(r NewPlatform) (platformList, error) {
	file := path.Base(strings.ReplaceAll(r.Name, `\`, "/"))
	if file == "." || file == "/" || r.Name == "" {
		return platformList{}, errors.New("a platform to add needs a name, as in my.toml")
	}
	if len(file) > 200 {
		return platformList{}, errors.New("the name of the platform is longer than 200 bytes")
	}
	if !strings.HasSuffix(file, ".toml") {
		file += ".toml"
	}
	if len(r.TOML) > maxPlatform {
		return platformList{},
			fmt.Errorf("%q has %d bytes; a platform has at most %d", file, len(r.TOML), maxPlatform)
	}
	if _, has := x.added[file]; !has && len(x.added) >= maxAdded {
		return platformList{},
			fmt.Errorf("%d platforms were added, and no more are remembered; open the page anew",
				maxAdded)
	}
	p, err := platforms.Parse(file, []byte(r.TOML))
	if err != nil {
		return platformList{}, err
	}
	x.added[file] = &p
	// Cached designs may be of the file that was replaced.
	clear(x.designs)
	return platformList{[]platformSummary{headOf(p, file)}}, nil
}

// headOf summarizes a platform; file is the name of an added one.
func headOf(p platforms.Platform, file string) platformSummary {
	ref := cmp.Or(file, p.Name)
	h := platformSummary{Ref: ref, Title: p.Title, Paper: p.Paper, Note: p.Note, Default: p.Default,
		Machine: len(p.Levels)+len(p.Collectives) > 0}
	h.Layers = list.Map(p.Layers, func(l platforms.Layer) layerSummary { return layerHead(l, ref) })
	return h
}

func layerHead(l platforms.Layer, platform string) layerSummary {
	return layerSummary{Ref: platform + "/" + l.Name, Name: l.Name, Title: l.Title, Note: l.Note}
}

// platform answers with everything that the sliders of a design need.
func (x *Explorer) platform(r design) (platformAnswer, error) {
	d, err := x.design(r)
	if err != nil {
		return platformAnswer{}, err
	}
	file, _, _ := strings.Cut(r.Ref, "/")
	if x.added[file] == nil {
		file = ""
	}
	head := headOf(d.base.Platform, file)
	a := platformAnswer{platformSummary: head, Layer: layerHead(d.now.Layer, head.Ref),
		Thresholds: []threshold{}}
	a.Parameters = parameters(d)
	peak := d.now.Layer.Peak()
	exists := peak.Known && peak.Exists
	a.Peak = peakBandwidth{
		RInf:  optional(float64(peak.Asymptote), exists),
		NHalf: optional(float64(peak.Half), exists),
		Text:  peak.Text(nil),
	}
	for _, t := range whatif.Of(d.now.Design).Thresholds() {
		a.Thresholds = append(a.Thresholds, threshold{t.Path, number(t.InUse), t.InUse.String()})
	}
	return a, nil
}

// parameters lists the sliders of a design: the parameters that the unchanged layer
// depends on, with their present values. The list does not change while sliders move,
// so that no slider vanishes under the pointer.
func parameters(d resolved) []parameter {
	given := d.base.Uses()
	now := map[string]platforms.Param{}
	for _, p := range d.now.Platform.Params {
		now[p.Path] = p
	}
	acts, changed := map[string]bool{}, map[string]bool{}
	for _, p := range d.now.Uses() {
		acts[p.Path] = true
	}
	for _, c := range d.now.Changes {
		changed[c.Path] = true
	}
	// A threshold is a size between two others: its slider ends there, since a switch
	// with crossing thresholds is no valid layer.
	switches := d.thresholds()
	all := make([]parameter, 0, len(given))
	for _, was := range given {
		p, has := now[was.Path]
		if !has {
			p = was // of a stage that nothing uses any more
		}
		// Values, ends and intervals are in the unit that --set reads.
		column := p.Value.Dim.Column()
		scale, unit := column.Scale, column.Input()
		q := parameter{
			Path: p.Path, Name: p.Short(), Owner: p.Owner, Symbol: p.Symbol, Phrase: p.Phrase,
			Source: p.Source, Unit: unit,
			given: givenOf(p, scale), File: givenOf(was, scale), Words: []string{}, Whole: whole(p),
			Constant: p.Table == "constant", Changed: changed[p.Path], Used: acts[p.Path],
			Zero: p.Measure.Cost(),
		}
		for _, word := range model.CutWords() {
			if p.TakesWord(word) {
				q.Words = append(q.Words, word)
			}
		}
		from, to := ends(p, was)
		for _, thresholds := range switches {
			isPath := func(t whatif.Threshold) bool { return t.Path == p.Path }
			k := slices.IndexFunc(thresholds, isPath)
			if k < 0 {
				continue
			}
			below := thresholds[k].Below
			q.Name, q.Phrase = below+" up to", "largest message of "+below
			if k > 0 { // thresholds rise
				from = max(from, float64(thresholds[k-1].InUse)+1)
			}
			if k+1 < len(thresholds) {
				to = min(to, float64(thresholds[k+1].InUse)-1)
			}
		}
		q.From, q.To = number(from*scale), number(to*scale)
		all = append(all, q)
	}
	return all
}

// thresholds returns the thresholds of the layers that have sliders, in a list for each layer.
func (d resolved) thresholds() (all [][]whatif.Threshold) {
	for _, l := range d.now.Platform.Layers {
		if of := d.now.Design; of.Whole || l.Name == of.Layer.Name {
			of.Layer = l
			all = append(all, whatif.Of(of).Thresholds())
		}
	}
	return all
}

// whole reports whether a slider stays on whole numbers. It does so for sizes that are constants
// too, since most parameters that are computed from them are sizes.
func whole(p platforms.Param) bool { return p.Whole() || p.Value.Dim == quantity.DimSize }

// givenOf returns a parameter's value in the slider's unit. A word, such as "best",
// has no number.
func givenOf(p platforms.Param, scale float64) given {
	has := p.PlusMinus > 0
	return given{Value: optional(p.Value.Num*scale, p.Word == ""), Word: p.Word, Text: p.Shown(),
		Low:  optional((p.Value.Num-p.PlusMinus)*scale, has),
		High: optional((p.Value.Num+p.PlusMinus)*scale, has)}
}

// reach is the factor between the value of the file and either end of a slider. A
// field beside the slider takes values beyond.
const reach = 64

// ends returns the ends of a logarithmic slider that includes the file's value, in
// its middle, and the present value. A value of 0 has no logarithm; a typical value
// of the dimension then is the middle: 1 µs, 1 µs/KiB, 4 KiB.
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
	// No crossing of costs is searched above this size.
	if file.Value.Dim == quantity.DimSize {
		to = min(to, float64(model.MaxCrossing))
		from = min(from, to)
	}
	return from, to
}

// toml answers with the design as a file that the command line reads.
func (x *Explorer) toml(r design) (textFile, error) {
	d, err := x.design(r)
	if err != nil {
		return textFile{}, err
	}
	text, err := d.now.Encode(platforms.WrittenBy + "explore.")
	return textFile{savedName(r, 0), string(text)}, err
}

// savedName returns the name of a file for a design; if i is above 0, for the i-th of
// several. It never is the name of the platform's own file, if the design is changed.
func savedName(d design, i int) string {
	name, _, _ := strings.Cut(d.Ref, "/")
	name = strings.TrimSuffix(name, ".toml")
	if len(d.Set) > 0 {
		name += "-changed"
	}
	if i > 0 {
		name += fmt.Sprintf("-%d", i)
	}
	return name + ".toml"
}
