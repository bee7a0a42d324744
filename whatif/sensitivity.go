package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// A Sensitivity says how much a quantity depends on a parameter.
type Sensitivity struct {
	Param platforms.Param
	// PerPercent is the change of the quantity in percent for each percent of the parameter, from 1
	// % less to 1 % more: −1 for a divisor. Sizes and other whole numbers change by at least one.
	PerPercent float64
	// Low and High are the quantity with the parameter smaller and larger by the part asked for;
	// NaN where such a value is impossible.
	Low, High float64
}

// Sensitivities returns the sensitivity of the quantity to each parameter of the layer that is not
// computed from other parameters, the most important first. Low and High are at the parameter times
// 1−part and 1+part.
func (d Design) Sensitivities(q Quantity, part float64) ([]Sensitivity, error) {
	if err := q.check(d); err != nil {
		return nil, err
	}
	now := q.Of(d.Layer.Model)
	var all []Sensitivity
	for _, p := range d.Uses() {
		if p.Value.Num == 0 || d.Platform.Computed(p.Path) {
			continue
		}
		prog, _ := d.compile(p)
		at := func(part float64) (change, value float64) {
			v := p.Value.Num * (1 + part)
			if p.Whole() {
				if v = math.Round(v); v == p.Value.Num {
					v += math.Copysign(1, part)
				}
			}
			if !prog.Set(v) {
				return math.NaN(), math.NaN()
			}
			return v/p.Value.Num - 1, q.Of(prog.Layer())
		}
		s := Sensitivity{Param: p}
		less, low := at(-0.01)
		more, high := at(+0.01)
		s.PerPercent = (high - low) / now / (more - less)
		_, s.Low = at(-part)
		_, s.High = at(+part)
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Sensitivity) int { return cmp.Compare(weight(b), weight(a)) })
	return all, nil
}

// weight orders sensitivities; unknown ones come last.
func weight(s Sensitivity) float64 {
	if math.IsNaN(s.PerPercent) {
		return -1
	}
	return math.Round(math.Abs(s.PerPercent)*1e9) / 1e9 // equal ones stay in the order of the file
}

// TornadoPart is the relative change of each parameter in a tornado.
const TornadoPart = 0.1

// Tornado draws what a quantity becomes with each parameter 10 % smaller and larger, the most
// important first. Parameters that change it by less than 0.01 % are only counted.
func Tornado(d Design, q Quantity) (reports.Tornado, error) {
	all, err := d.Sensitivities(q, TornadoPart)
	now := q.Of(d.Layer.Model)
	t := reports.Tornado{
		Title: d.Layer.Ref() + ": " + q.Title(), X: reports.Axis{Label: q.Head()}, Base: now,
		BaseLabel: Format(quantity.Value{Num: now, Dim: q.Dim()}), Less: "parameter 10 % smaller", More: "parameter 10 % larger",
	}
	width := func(s Sensitivity) float64 {
		w := 0.0
		for _, v := range []float64{s.Low, s.High} {
			if !math.IsNaN(v) {
				w = max(w, math.Abs(v-now))
			}
		}
		return w
	}
	slices.SortStableFunc(all, func(a, b Sensitivity) int { return cmp.Compare(width(b), width(a)) })
	for _, s := range all {
		if width(s) > 1e-4*now {
			t.Bars = append(t.Bars, reports.Bar{Name: s.Param.Short() + " " + Format(s.Param.Value), Low: s.Low, High: s.High})
		}
	}
	if still := len(all) - len(t.Bars); still > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Parameters that change it by less than 0.01 %%: %d.", still))
	}
	return t, err
}
