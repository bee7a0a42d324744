package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// A Cost is one of the two costs of a message that its parts share.
type Cost string

// The costs.
const (
	OneWay Cost = "one_way" // the one-way time
	Gap    Cost = "gap"     // the interval before the next message
)

// of is the share of an owner in the cost of n bytes, from 0 to 1.
func (c Cost) of(d whatif.Design, s whatif.Share, n quantity.Bytes) float64 {
	if c == Gap {
		return max(0, finite(float64(s.Gap/d.Layer.Model.Gap(n))))
	}
	return max(0, finite(float64(s.OneWay/d.Layer.Model.OneWay(n))))
}

// leastShown is the share below which nobody sees an owner, in percent.
const leastShown = 0.5

// Shares draws which stage or parameter owns how much of the cost of messages, over sizes of at
// least 1 byte, with the last size of each branch and the first of the next. Owners that never
// reach half a percent are left out.
func Shares(d whatif.Design, cost Cost, sizes []quantity.Bytes) (reports.Areas, error) {
	boundaries := model.Boundaries(d.Layer.Model, slices.Min(sizes), slices.Max(sizes))
	a := reports.Areas{
		Title: d.Layer.Ref() + ": where the one-way time goes",
		X:     reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true},
		Y:     reports.Axis{Label: "part of the one-way time (%)", Max: 100},
		Marks: boundaryMarks(d.Layer, boundaries),
	}
	if cost == Gap {
		a.Title, a.Y.Label = d.Layer.Ref()+": what keeps the next message waiting", "part of the gap (%)"
	}
	all := WithBoundaries(sizes, boundaries)
	for i, n := range all {
		owners, err := d.Owners(n)
		if err != nil {
			return a, err
		}
		a.XS = append(a.XS, float64(n))
		for _, s := range owners {
			k := slices.IndexFunc(a.Parts, func(p reports.Part) bool { return p.Name == s.Owner })
			if k < 0 {
				k = len(a.Parts)
				a.Parts = append(a.Parts, reports.Part{Name: s.Owner, Y: make([]float64, len(all))})
			}
			a.Parts[k].Y[i] = 100 * cost.of(d, s, n)
		}
	}
	a.Parts = slices.DeleteFunc(a.Parts, func(p reports.Part) bool { return slices.Max(p.Y) < leastShown })
	return a, nil
}

// TornadoPart is the part by which a tornado changes each parameter.
const TornadoPart = 0.1

// Tornado draws what a quantity becomes with each parameter 10 % smaller and larger, the most
// important first. Parameters that change it by less than 0.01 % are only counted.
func Tornado(d whatif.Design, q whatif.Quantity) (reports.Tornado, error) {
	all, err := d.Sensitivities(q, TornadoPart)
	now := q.Of(d.Layer.Model)
	t := reports.Tornado{
		Title: d.Layer.Ref() + ": " + q.Title(), X: reports.Axis{Label: q.Head()}, Base: now,
		BaseLabel: whatif.Format(quantity.Value{Num: now, Dim: q.Dim()}), Less: "parameter 10 % smaller", More: "parameter 10 % larger",
	}
	width := func(s whatif.Sensitivity) float64 {
		w := 0.0
		for _, v := range []float64{s.Low, s.High} {
			if !math.IsNaN(v) {
				w = max(w, math.Abs(v-now))
			}
		}
		return w
	}
	slices.SortStableFunc(all, func(a, b whatif.Sensitivity) int { return cmp.Compare(width(b), width(a)) })
	for _, s := range all {
		if width(s) > 1e-4*now {
			t.Bars = append(t.Bars, reports.Bar{Name: s.Param.Short() + " " + whatif.Format(s.Param.Value), Low: s.Low, High: s.High})
		}
	}
	if still := len(all) - len(t.Bars); still > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Parameters that change less than 0.01 %% here: %d.", still))
	}
	return t, err
}
