package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// TornadoPart is the part by which a tornado changes each parameter.
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
		t.Notes = append(t.Notes, fmt.Sprintf("Parameters that change less than 0.01 %% here: %d.", still))
	}
	return t, err
}
