package whatif

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// PeakKnown reports whether the intervals of the parameters bound r∞: whether the interval of the
// time per byte of long messages, τ∞ = 1/r∞, excludes 0. Its half width is
//
//	h = √Σ_i (τ∞(p_i + h_i) − τ∞(p_i))²
//
// Where: h_i = half of the 95 % interval of parameter p_i, independent of the others.
// It is true if no parameter has an interval.
func (d Design) PeakKnown() bool {
	perByte := func(l model.Layer) float64 { return 1 / float64(model.Asymptote(l)) }
	uses := slices.DeleteFunc(d.Uses(), func(p platforms.Param) bool {
		return !(p.PlusMinus > 0) || d.Platform.Computed(p.Path)
	})
	if len(uses) == 0 {
		return true
	}
	prog, values := d.compile(uses...)
	now, squares := perByte(d.Layer.Model), 0.0
	for i, p := range uses {
		values[i] = p.Value.Num + p.PlusMinus
		if prog.Set(values...) {
			by := perByte(prog.Layer()) - now
			squares += by * by
		}
		values[i] = p.Value.Num
	}
	return squares == 0 || now > math.Sqrt(squares)
}

// A Peak is where a layer's bandwidth levels off.
type Peak struct {
	Layer     string // "clip/pio"
	Timed     platforms.Timed
	Asymptote quantity.MBps
	Half      quantity.Bytes
	Known     bool // false: the intervals of the parameters leave r∞ and n½ without a bound
	Exists    bool // false: no cost is per byte
}

// PeakOf returns the peak of a design.
func PeakOf(d Design) Peak {
	p := LayerPeak(d.Layer)
	p.Known = d.PeakKnown()
	return p
}

// LayerPeak returns the peak of a layer, whatever the intervals of its parameters.
func LayerPeak(l platforms.Layer) Peak {
	p := Peak{Layer: l.Ref(), Timed: l.Timed, Asymptote: model.Asymptote(l.Model), Known: true}
	p.Half, p.Exists = model.HalfPeak(l.Model)
	p.Exists = p.Exists && !math.IsInf(float64(p.Asymptote), 0)
	return p
}

// Text returns the peak in words.
func (p Peak) Text(units quantity.UnitChoice) string {
	switch {
	case p.Timed.Of == platforms.Operation || p.Timed.Of == platforms.Collective:
		return "times of: " + p.Timed.String()
	case !p.Exists:
		return "no cost is per byte, so bandwidth has no peak"
	case !p.Known:
		return "r∞ = –, n½ = –: the interval of the time per byte holds 0"
	}
	return fmt.Sprintf("r∞ = %s, n½ = %s", units.Print(quantity.Value{Num: float64(p.Asymptote), Dim: quantity.DimRate}), p.Half)
}

// LandmarkRows lists n½, the size that reaches 90 % of r∞, and where protocols should switch.
func LandmarkRows(d Design, sampling Sampling, units quantity.UnitChoice) (reports.Rows, error) {
	var all []landmark
	var notes []string
	sampled := func(l *landmark, in Interval, err error) error {
		if err == nil {
			l.Low, l.High, l.Meaning = quantity.Bytes(math.Round(in.Low)), quantity.Bytes(math.Round(in.High)), "95 % interval"
		}
		if errors.Is(err, ErrExact) {
			return nil
		}
		return err
	}
	peak := PeakOf(d)
	for _, of := range []struct {
		part float64
		name string
	}{{0.5, "n½: half of r∞"}, {0.9, "90 % of r∞"}} {
		l := landmark{Name: of.name}
		var ok bool
		if l.Size, ok = SizeFor(d.Layer.Model, of.part); !ok || !peak.Known {
			notes = append(notes, l.Name+": none, "+peak.Text(units)+".")
			continue
		}
		in, err := d.SizeInterval(of.part, sampling)
		if err := sampled(&l, in, err); err != nil {
			return reports.Rows{}, err
		}
		all = append(all, l)
	}
	for i, t := range d.Thresholds() {
		l := landmark{Name: t.Below + " | " + t.Above, InUse: t.InUse}
		if !t.Crosses {
			all = append(all, l)
			notes = append(notes, fmt.Sprintf("%s: %s is faster than %s at no size; at %s, %s is the faster one.", l.Name, t.Above, t.Below, t.InUse, t.Better))
			continue
		}
		l.Size, l.Low, l.High, l.Meaning = t.Suggested.Size, t.Suggested.Low, t.Suggested.High, "where the two are within 5 %"
		in, _, err := d.ThresholdInterval(i, sampling)
		if err := sampled(&l, in, err); err != nil {
			return reports.Rows{}, err
		}
		all = append(all, l)
	}
	size := func(n quantity.Bytes) any { return reports.OrAbsent(n, n > 0) }
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(landmark) any { return d.Platform.Name }),
		reports.Col("layer", "", func(landmark) any { return d.Layer.Name }),
		reports.Col("landmark", "landmark", func(l landmark) any { return l.Name }),
		reports.Col("size_bytes", "size", func(l landmark) any { return size(l.Size) }),
		reports.Col("low_bytes", "from", func(l landmark) any { return reports.OrAbsent(l.Low, l.Meaning != "") }),
		reports.Col("high_bytes", "to", func(l landmark) any { return reports.OrAbsent(l.High, l.Meaning != "") }),
		reports.Col("in_use_bytes", "in use", func(l landmark) any { return size(l.InUse) }),
		reports.Col("meaning", "range", func(l landmark) any { return reports.OrNil(l.Meaning) }).Ranked(1),
	)
	rows.Notes = notes
	return rows, nil
}

type landmark struct {
	Name      string
	Size      quantity.Bytes // 0: none
	Low, High quantity.Bytes // of an interval; 0: none
	InUse     quantity.Bytes // of a threshold
	Meaning   string         // of the interval
}
