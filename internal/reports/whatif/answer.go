package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A cost is the answer of a size before and after a change.
type cost struct{ Before, After whatif.Answer }

// changes returns the four columns of a cost: the change as a text for people, and
// before, after and percent for programs. They are empty if the cost is not known.
func changes(name, head string, dim quantity.Dimension, rank int, known bool,
	of func(whatif.Answer) float64) []reports.Field[cost] {
	unit := dim.Column().Suffix
	column := func(key, head string, of func(r cost) any) reports.Field[cost] {
		return reports.Col(key, head, func(r cost) any { return reports.OrAbsent(of(r), known) })
	}
	return []reports.Field[cost]{
		column("", head, func(r cost) any {
			return reports.Change{Dim: dim, From: of(r.Before), To: of(r.After)}
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
func contrasted(before, after whatif.Design, sizes []quantity.Bytes,
	units quantity.UnitChoice) (rows reports.Rows, err error) {
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
	half := func(p platforms.Peak) any { return reports.OrAbsent(p.Half, p.Exists && p.Known) }
	top := func(p platforms.Peak) any { return reports.OrAbsent(p.Asymptote, p.Known) }
	// A gap that is unknown has neither changes nor a bottleneck.
	gap := model.HasGap(before.Layer.Model) && model.HasGap(after.Layer.Model)
	rows = reports.TableOf(costs, slices.Concat([]reports.Field[cost]{
		reports.Col("platform", "", func(cost) any { return before.Platform.Name }),
		reports.Col("layer", "", func(cost) any { return before.Layer.Name }),
		reports.Col("size_bytes", "size", func(r cost) any { return r.Before.Size }),
	},
		changes("one_way", "one way", quantity.DimTime, 0, true, func(a whatif.Answer) float64 {
			return float64(a.OneWay)
		}),
		changes("gap", "gap", quantity.DimTime, 1, gap, func(a whatif.Answer) float64 {
			return float64(a.Gap)
		}),
		changes("bandwidth", "bandwidth", quantity.DimRate, 2, true, func(a whatif.Answer) float64 {
			return float64(a.Bandwidth)
		}),
		[]reports.Field[cost]{
			reports.Col("", "best packet", func(r cost) any {
				if r.Before.BestPacket == 0 {
					return nil
				}
				return reports.Change{Dim: quantity.DimSize, From: float64(r.Before.BestPacket),
					To: float64(r.After.BestPacket)}
			}).Ranked(4),
			reports.Col("best_packet_before_bytes", "", func(r cost) any {
				return reports.OrAbsent(r.Before.BestPacket, r.Before.BestPacket > 0)
			}),
			reports.Col("best_packet_after_bytes", "", func(r cost) any {
				return reports.OrAbsent(r.After.BestPacket, r.Before.BestPacket > 0)
			}),
			reports.Col("", "bottleneck", func(r cost) any {
				text := r.After.Bottleneck
				if r.Before.Bottleneck != text {
					text = r.Before.Bottleneck + " → " + text
				}
				return reports.OrAbsent(text, gap)
			}).Ranked(3),
			reports.Col("bottleneck_before", "", func(r cost) any {
				return reports.OrAbsent(r.Before.Bottleneck, gap)
			}),
			reports.Col("bottleneck_after", "", func(r cost) any {
				return reports.OrAbsent(r.After.Bottleneck, gap)
			}),
			reports.Col("n_half_before_bytes", "", func(cost) any { return half(peak) }),
			reports.Col("n_half_after_bytes", "", func(cost) any { return half(peakAfter) }),
			reports.Col("r_inf_before_mb_s", "", func(cost) any { return top(peak) }),
			reports.Col("r_inf_after_mb_s", "", func(cost) any { return top(peakAfter) }),
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
		rows.Verdict = reports.Say("%v one way: %v", last.Before.Size, reports.Change{
			Dim: quantity.DimTime, From: float64(last.Before.OneWay),
			To: float64(last.After.OneWay)})
	}
	return rows, nil
}

// contrastedTimes returns the table of quantities that are times, before and after. They have no
// size, so the table of contrasted has no place for them.
func contrastedTimes(before, after whatif.Design, quantities []whatif.Quantity) (
	reports.Rows, error) {
	type change struct {
		whatif.Quantity
		reports.Change
	}
	var all []change
	for _, q := range quantities {
		c := change{q, reports.Change{Dim: q.Kind.Dim}}
		for _, of := range []struct {
			whatif.Design
			to *float64
		}{{before, &c.From}, {after, &c.To}} {
			var err error
			if *of.to, err = of.ValueOf(q); err != nil {
				return reports.Rows{}, err
			}
		}
		all = append(all, c)
	}
	costs := after.Costs()
	within := reports.SpreadOf("after", "95 % interval", quantity.DimTime,
		func(c change) quantity.Interval {
			in := c.Within(costs, c.To)
			if !in.Known() {
				in.Value = math.NaN() // which stands in another column
			}
			return in
		})
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(change) any { return before.Platform.Name }),
		reports.Col("layer", "", func(change) any { return layerName(before) }),
		reports.Col("quantity", "quantity", func(c change) any { return title(c.Quantity) }).
			Texted(named),
		reports.Col("", "time", func(c change) any { return c.Change }),
		reports.Col("before_us", "", func(c change) any { return c.From }),
		reports.Col("after_us", "", func(c change) any { return c.To }),
		reports.Col("change_percent", "", func(c change) any { return 100 * (c.To/c.From - 1) }),
		within.Text, within.Low, within.High,
	)
	rows.Notes = changeNotes(after)
	if len(all) > 0 {
		last := all[len(all)-1]
		rows.Verdict = reports.Say("%s: %v", named(title(last.Quantity)), last.Change)
		if in := last.Within(costs, last.To); in.Known() {
			rows.Verdict = reports.Say("%v, then %v to %v", rows.Verdict,
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
				reports.PercentText("%+.2g %%")(limit.PerPercent)))
		}
	}
	rows.Doubts = whatif.NotesOf(quantities)
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
func changeNotes(d whatif.Design) []string {
	return list.Map(d.Changes, func(c platforms.Assignment) string {
		return fmt.Sprintf("%s: %s → %s", c.Path, c.From, c.To)
	})
}
