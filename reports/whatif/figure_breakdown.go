package whatif

import (
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Figure draws the parts over sizes; nil if the question did not ask for it.
func (b *Breakdown) Figure() (table.Picture, error) {
	if b.curve == nil {
		return nil, nil
	}
	return b.Areas(b.ofGap()), nil
}

// Areas draws which stage or parameter owns how much of the one-way time, or of the gap, over
// sizes. Owners that never reach half a percent of either cost are left out: both drawings then
// have the same colours.
func (b *Breakdown) Areas(gap bool) table.Areas {
	ref := b.After.Layer.Ref()
	a := table.Areas{
		Title: ref + ": where the one-way time goes",
		X:     table.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     table.Axis{Label: "part of the one-way time (%)", Max: 100},
		Marks: b.marks, Notes: b.curveNotes,
	}
	if gap {
		a.Title, a.Y.Label = ref+": what keeps the next message waiting", "part of the gap (%)"
	}
	most := map[string]float64{} // of each owner in either cost, for equal parts and colours
	for i, p := range b.curve {
		a.XS = append(a.XS, float64(p.Size))
		for _, s := range p.Shares {
			k := slices.IndexFunc(a.Parts, func(p table.AreaPart) bool {
				return p.Name == s.Owner
			})
			if k < 0 {
				k = len(a.Parts)
				a.Parts = append(a.Parts,
					table.AreaPart{Name: s.Owner, Y: make([]float64, len(b.curve))})
			}
			ofOneWay, ofGap := 100*shareOf(s.OneWay, p.OneWay), 100*shareOf(s.Gap, p.Gap)
			if a.Parts[k].Y[i] = ofOneWay; gap {
				a.Parts[k].Y[i] = ofGap
			}
			most[s.Owner] = max(most[s.Owner], ofOneWay, ofGap)
		}
	}
	a.Parts = slices.DeleteFunc(a.Parts, func(p table.AreaPart) bool {
		return most[p.Name] < leastShown
	})
	return a
}

// shareOf returns the share of an owner in a cost, from 0 to 1. Rounding may leave a share just
// below 0, which an area cannot show.
func shareOf(owned, whole quantity.Micros) float64 {
	return max(0, table.Finite(float64(owned/whole)))
}

// leastShown is the share of an owner, in percent, below which it is too small to see.
const leastShown = 0.5
