package whatif

import (
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// A Cost is one of the two costs of a message that its parts share.
type Cost string

// The costs.
const (
	OneWay Cost = "one_way" // the one-way time
	Gap    Cost = "gap"     // the interval before the next message
)

// shareOf returns the share of an owner in the cost of n bytes, from 0 to 1.
func (c Cost) shareOf(d Design, s Share, n quantity.Bytes) float64 {
	if c == Gap {
		return max(0, reports.Finite(float64(s.Gap/d.Layer.Model.Gap(n))))
	}
	return max(0, reports.Finite(float64(s.OneWay/d.Layer.Model.OneWay(n))))
}

// leastShown is the share of an owner, in percent, below which it is too small to see.
const leastShown = 0.5

// Shares draws which stage or parameter owns how much of the cost of messages, over sizes of at
// least 1 byte, with the last size of each branch and the first of the next. Owners that never
// reach half a percent of either cost are left out.
func Shares(d Design, cost Cost, sizes []quantity.Bytes) (reports.Areas, error) {
	boundaries := model.Boundaries(d.Layer.Model, slices.Min(sizes), slices.Max(sizes))
	a := reports.Areas{
		Title: d.Layer.Ref() + ": where the one-way time goes",
		X:     reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true},
		Y:     reports.Axis{Label: "part of the one-way time (%)", Max: 100},
		Marks: BoundaryMarks(d.Layer, boundaries),
	}
	if cost == Gap {
		a.Title, a.Y.Label = d.Layer.Ref()+": what keeps the next message waiting", "part of the gap (%)"
	}
	all := WithBoundaries(sizes, boundaries)
	most := map[string]float64{} // of each owner in either cost, for equal parts and colours
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
			a.Parts[k].Y[i] = 100 * cost.shareOf(d, s, n)
			most[s.Owner] = max(most[s.Owner], 100*OneWay.shareOf(d, s, n), 100*Gap.shareOf(d, s, n))
		}
	}
	a.Parts = slices.DeleteFunc(a.Parts, func(p reports.Part) bool { return most[p.Name] < leastShown })
	return a, nil
}
