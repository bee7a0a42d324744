package whatif

import (
	"cmp"
	"slices"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// OwnerRows lists which stage or parameter owns how much of the one-way time and of the gap of
// messages of these sizes.
func OwnerRows(d Design, sizes []quantity.Bytes) (table.Rows, error) {
	type owned struct {
		study.Share
		size        quantity.Bytes
		oneWay, gap float64 // percent
	}
	gap := model.HasGap(d.Layer.Model)
	var all []owned
	for _, n := range sizes {
		owners, err := d.Owners(n)
		if err != nil {
			return table.Rows{}, err
		}
		for _, s := range owners {
			o := owned{s, n, 100 * float64(s.OneWay/d.Layer.Model.OneWay(n)),
				100 * float64(s.Gap/d.Layer.Model.Gap(n))}
			if s.OneWay != 0 || s.Gap != 0 {
				all = append(all, o)
			}
		}
	}
	rows := table.TableOf(all,
		table.Col("platform", "", func(owned) any { return d.Platform.Name }),
		table.Col("layer", "", func(owned) any { return d.Layer.Name }),
		table.Col("size_bytes", "size", func(o owned) any { return o.size }),
		table.Col("owner", "component", func(o owned) any { return o.Owner }),
		table.Col("one_way_us", "of one way", func(o owned) any { return o.OneWay }),
		table.Col("one_way_percent", "share",
			func(o owned) any { return o.oneWay }).Texted(table.PercentShare),
		table.Col("gap_us", "of gap", func(o owned) any { return table.OrAbsent(o.Gap, gap) }),
		table.Col("gap_percent", "share", func(o owned) any {
			return table.OrAbsent(o.gap, gap)
		}).Texted(table.PercentShare),
	)
	if len(all) > 0 {
		last := all[len(all)-1].size
		ofLast := slices.DeleteFunc(slices.Clone(all), func(o owned) bool { return o.size != last })
		most := slices.MaxFunc(ofLast, func(a, b owned) int {
			return cmp.Compare(a.oneWay, b.oneWay)
		})
		rows.Verdict = table.Say("%v: %s takes %s of the one-way time", last, most.Owner,
			table.PercentShare(most.oneWay))
	}
	if slices.ContainsFunc(sizes,
		func(n quantity.Bytes) bool { return model.PacketSize(d.Layer.Model, n) < n }) {
		rows.Notes = []string{"Packets wait for the slowest stage, and this time counts as that " +
			"of the stage. If it becomes faster, they wait for the next slowest."}
	}
	if model.LinesOf(d.Layer.Model) != d.Layer.Model {
		rows.Notes = append(rows.Notes,
			"The times are those of the measured curve, the shares those of the fitted lines.")
	}
	if err := d.Layer.GapError(); err != nil {
		rows.Notes = append(rows.Notes, "no gap: "+err.Error())
	}
	return rows, nil
}

// Shares draws which stage or parameter owns how much of the one-way time, or of the gap, over
// sizes of at least 1 byte, with the last size of each branch and the first of the
// next, where shares jump. Owners that never reach half a percent of either cost are
// left out: both drawings then have the same colours.
func Shares(d Design, gap bool, sizes []quantity.Bytes) (table.Areas, error) {
	if gap {
		if err := d.Layer.GapError(); err != nil {
			return table.Areas{}, err
		}
	}
	all, marks, notes := curves.Boundaries(d.Layer, sizes)
	a := table.Areas{
		Title: d.Layer.Ref() + ": where the one-way time goes",
		X:     table.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     table.Axis{Label: "part of the one-way time (%)", Max: 100},
		Marks: marks, Notes: notes,
	}
	if gap {
		a.Title, a.Y.Label = d.Layer.Ref()+": what keeps the next message waiting",
			"part of the gap (%)"
	}
	most := map[string]float64{} // of each owner in either cost, for equal parts and colours
	for i, n := range all {
		owners, err := d.Owners(n)
		if err != nil {
			return a, err
		}
		a.XS = append(a.XS, float64(n))
		for _, s := range owners {
			k := slices.IndexFunc(a.Parts, func(p table.AreaPart) bool {
				return p.Name == s.Owner
			})
			if k < 0 {
				k = len(a.Parts)
				a.Parts = append(a.Parts,
					table.AreaPart{Name: s.Owner, Y: make([]float64, len(all))})
			}
			ofOneWay := 100 * shareOf(s.OneWay, d.Layer.Model.OneWay(n))
			ofGap := 100 * shareOf(s.Gap, d.Layer.Model.Gap(n))
			if a.Parts[k].Y[i] = ofOneWay; gap {
				a.Parts[k].Y[i] = ofGap
			}
			most[s.Owner] = max(most[s.Owner], ofOneWay, ofGap)
		}
	}
	a.Parts = slices.DeleteFunc(a.Parts, func(p table.AreaPart) bool {
		return most[p.Name] < leastShown
	})
	return a, nil
}

// shareOf returns the share of an owner in a cost, from 0 to 1. Rounding may leave a share just
// below 0, which an area cannot show.
func shareOf(owned, whole quantity.Micros) float64 {
	return max(0, table.Finite(float64(owned/whole)))
}

// leastShown is the share of an owner, in percent, below which it is too small to see.
const leastShown = 0.5
