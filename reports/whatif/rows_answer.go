package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A cost is the answer of a size before and after a change.
type cost struct{ Before, After Costs }

// changes returns the four columns of a cost: the change as a text for people, and
// before, after and percent for programs. They are empty if the cost is not known.
func changes(name, head string, dim quantity.Dimension, rank int, known bool,
	of func(Costs) float64) []table.Field[cost] {
	unit := dim.Column().Suffix
	column := func(key, head string, of func(r cost) any) table.Field[cost] {
		return table.Col(key, head, func(r cost) any { return table.OrAbsent(of(r), known) })
	}
	return []table.Field[cost]{
		column("", head, func(r cost) any {
			return table.Change{Dim: dim, From: of(r.Before), To: of(r.After)}
		}).Ranked(rank),
		column(name+"_before"+unit, "", func(r cost) any { return of(r.Before) }),
		column(name+"_after"+unit, "", func(r cost) any { return of(r.After) }),
		column(name+"_change_percent", "", func(r cost) any {
			return 100 * (of(r.After)/of(r.Before) - 1)
		}),
	}
}

// contrasted compares two designs at sizes of at least 1 byte. Peaks are compared
// once: they have no size.
func contrasted(before, after Design, sizes []quantity.Bytes,
	units quantity.UnitChoice) (rows table.Rows, err error) {
	var costs []cost
	for _, n := range sizes {
		a, err := before.At(n)
		if err != nil {
			return rows, err
		}
		b, err := after.At(n)
		if err != nil {
			return rows, err
		}
		costs = append(costs, cost{a, b})
	}
	peak, peakAfter := before.Layer.Peak(), after.Layer.Peak()
	half := func(p platforms.Peak) any { return table.OrAbsent(p.Half, p.Exists && p.Known) }
	top := func(p platforms.Peak) any { return table.OrAbsent(p.Asymptote, p.Known) }
	// A gap that is unknown has neither changes nor a bottleneck.
	gap := model.HasGap(before.Layer.Model) && model.HasGap(after.Layer.Model)
	rows = table.TableOf(costs, slices.Concat([]table.Field[cost]{
		table.Col("platform", "", func(cost) any { return before.Platform.Name }),
		table.Col("layer", "", func(cost) any { return before.Layer.Name }),
		table.Col("size_bytes", "size", func(r cost) any { return r.Before.Size }),
	},
		changes("one_way", "one way", quantity.DimTime, 0, true, func(a Costs) float64 {
			return float64(a.OneWay)
		}),
		changes("gap", "gap", quantity.DimTime, 1, gap, func(a Costs) float64 {
			return float64(a.Gap)
		}),
		changes("bandwidth", "bandwidth", quantity.DimRate, 2, true, func(a Costs) float64 {
			return float64(a.Bandwidth)
		}),
		[]table.Field[cost]{
			table.Col("", "best packet", func(r cost) any {
				if r.Before.BestPacket == 0 {
					return nil
				}
				return table.Change{Dim: quantity.DimSize, From: float64(r.Before.BestPacket),
					To: float64(r.After.BestPacket)}
			}).Ranked(4),
			table.Col("best_packet_before_bytes", "", func(r cost) any {
				return table.OrAbsent(r.Before.BestPacket, r.Before.BestPacket > 0)
			}),
			table.Col("best_packet_after_bytes", "", func(r cost) any {
				return table.OrAbsent(r.After.BestPacket, r.Before.BestPacket > 0)
			}),
			table.Col("", "bottleneck", func(r cost) any {
				text := r.After.Bottleneck
				if r.Before.Bottleneck != text {
					text = r.Before.Bottleneck + " → " + text
				}
				return table.OrAbsent(text, gap)
			}).Ranked(3),
			table.Col("bottleneck_before", "", func(r cost) any {
				return table.OrAbsent(r.Before.Bottleneck, gap)
			}),
			table.Col("bottleneck_after", "", func(r cost) any {
				return table.OrAbsent(r.After.Bottleneck, gap)
			}),
			table.Col("n_half_before_bytes", "", func(cost) any { return half(peak) }),
			table.Col("n_half_after_bytes", "", func(cost) any { return half(peakAfter) }),
			table.Col("r_inf_before_mb_s", "", func(cost) any { return top(peak) }),
			table.Col("r_inf_after_mb_s", "", func(cost) any { return top(peakAfter) }),
		})...)
	// The changes themselves are the first notes: without them, a saved table does
	// not say what it shows.
	rows.Notes = changeNotes(after)
	rows.Doubts = beyond(before.Layer, "", sizes)
	was, is := peak.Text(units), peakAfter.Text(units)
	if was != is {
		is = was + " → " + is
	}
	rows.Notes = append(rows.Notes, before.Layer.Ref()+": "+is)
	if err := cmp.Or(before.Layer.GapError(), after.Layer.GapError()); err != nil {
		rows.Notes = append(rows.Notes, "no gap or bottleneck: "+err.Error())
	}
	if len(costs) > 0 {
		last := costs[len(costs)-1]
		rows.Verdict = table.Say("%v one way: %v", last.Before.Size, table.Change{
			Dim: quantity.DimTime, From: float64(last.Before.OneWay),
			To: float64(last.After.OneWay)})
	}
	return rows, nil
}

// contrastedTimes returns the table of quantities that are times, before and after. They have no
// size, so the table of contrasted has no place for them.
func contrastedTimes(before, after Design, quantities []Quantity) (
	table.Rows, error) {
	type change struct {
		Quantity
		table.Change
	}
	var all []change
	for _, q := range quantities {
		c := change{q, table.Change{Dim: q.Kind.Dim}}
		for _, of := range []struct {
			Design
			to *float64
		}{{before, &c.From}, {after, &c.To}} {
			var err error
			if *of.to, err = of.ValueOf(q); err != nil {
				return table.Rows{}, err
			}
		}
		all = append(all, c)
	}
	costs := after.Costs()
	within := table.SpreadOf("after", "95 % interval", quantity.DimTime,
		func(c change) quantity.Interval {
			in := c.Within(costs, c.To)
			if !in.Known() {
				in.Value = math.NaN() // which stands in another column
			}
			return in
		})
	rows := table.TableOf(all,
		table.Col("platform", "", func(change) any { return before.Platform.Name }),
		table.Col("layer", "", func(change) any { return layerName(before) }),
		table.Col("quantity", "quantity", func(c change) any { return title(c.Quantity) }).
			Texted(named),
		table.Col("", "time", func(c change) any { return c.Change }),
		table.Col("before_us", "", func(c change) any { return c.From }),
		table.Col("after_us", "", func(c change) any { return c.To }),
		table.Col("change_percent", "", func(c change) any { return 100 * (c.To/c.From - 1) }),
		within.Text, within.Low, within.High,
	)
	rows.Notes = changeNotes(after)
	if len(all) > 0 {
		last := all[len(all)-1]
		rows.Verdict = table.Say("%s: %v", named(title(last.Quantity)), last.Change)
		if in := last.Within(costs, last.To); in.Known() {
			rows.Verdict = table.Say("%v, then %v to %v", rows.Verdict,
				quantity.Micros(in.Low), quantity.Micros(in.High))
		}
	}
	for _, c := range all {
		if len(after.Changes) == 0 || math.Abs(c.To/c.From-1) >= noEffect {
			continue
		}
		limit, of, ok := after.Limiting(c.Quantity, c.To)
		if ok && !slices.ContainsFunc(after.Changes,
			func(a platforms.Assignment) bool { return a.Path == limit.Param.Path }) {
			rows.Next = append(rows.Next, fmt.Sprintf("%s does not change: %s limits it, by %s; "+
				"with 1 %% more of that it changes by %s.",
				c.Quantity.Kind.Title, of, limit.Param.Path,
				table.PercentText("%+.2g %%")(limit.PerPercent)))
		}
	}
	rows.Doubts = NotesOf(quantities)
	return rows, nil
}

// noEffect is the part of a quantity below which a change is printed as +0.0 %.
const noEffect = 0.0005

// beyond says of each size that it is beyond those of the layer that were measured, if any were.
func beyond(l platforms.Layer, of string, sizes []quantity.Bytes) (doubts []string) {
	first, last, measured := l.MeasuredRange()
	for _, n := range sizes {
		if measured && (n < first || n > last) {
			doubts = append(doubts, fmt.Sprintf("%s%s is beyond the sizes that were measured, "+
				"%s to %s: the protocol may change.", of, n, first, last))
		}
	}
	return doubts
}

// changeNotes lists the changes in their order, each from the value before it to the
// one after. A parameter that was changed twice has two lines.
func changeNotes(d Design) []string {
	return list.Map(d.Changes, func(c platforms.Assignment) string {
		return fmt.Sprintf("%s: %s → %s", c.Path, c.From, c.To)
	})
}
