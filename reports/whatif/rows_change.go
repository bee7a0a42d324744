package whatif

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the costs, or that of the times of calls. Those have no size, so the
// table of costs has no place for them.
func (c *Change) Rows() table.Rows {
	if c.Times != nil {
		return c.timeRows()
	}
	return c.costRows()
}

// changes returns the four columns of a cost: the change as a text for people, and
// before, after and percent for programs. They are empty if the cost is not known.
func changes(name, head string, dim quantity.Dimension, rank int, known bool,
	of func(Costs) float64) []table.Field[CostChange] {
	unit := dim.Column().Suffix
	column := func(key, head string, of func(r CostChange) any) table.Field[CostChange] {
		return table.Col(key, head, func(r CostChange) any { return table.OrAbsent(of(r), known) })
	}
	return []table.Field[CostChange]{
		column("", head, func(r CostChange) any {
			return table.Change{Dim: dim, From: of(r.Before), To: of(r.After)}
		}).Ranked(rank),
		column(name+"_before"+unit, "", func(r CostChange) any { return of(r.Before) }),
		column(name+"_after"+unit, "", func(r CostChange) any { return of(r.After) }),
		column(name+"_change_percent", "", func(r CostChange) any {
			return 100 * (of(r.After)/of(r.Before) - 1)
		}),
	}
}

// costRows returns the table of messages.
func (c *Change) costRows() table.Rows {
	was, is := c.PeakBefore, c.PeakAfter
	gap := c.NoGap == nil // one that is unknown has neither changes nor a bottleneck
	rows := table.TableOf(c.Costs, slices.Concat([]table.Field[CostChange]{
		table.Col("platform", "", func(CostChange) any { return c.Before.Platform.Name }),
		table.Col("layer", "", func(CostChange) any { return c.Before.Layer.Name }),
		table.Col("size_bytes", "size", func(r CostChange) any { return r.Before.Size }),
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
		[]table.Field[CostChange]{
			table.Col("", "best packet", func(r CostChange) any {
				if r.Before.BestPacket == 0 {
					return nil
				}
				return table.Change{Dim: quantity.DimSize, From: float64(r.Before.BestPacket),
					To: float64(r.After.BestPacket)}
			}).Ranked(4),
			table.Col("best_packet_before_bytes", "", func(r CostChange) any {
				return table.OrAbsent(r.Before.BestPacket, r.Before.BestPacket > 0)
			}),
			table.Col("best_packet_after_bytes", "", func(r CostChange) any {
				return table.OrAbsent(r.After.BestPacket, r.Before.BestPacket > 0)
			}),
			table.Col("", "bottleneck", func(r CostChange) any {
				text := r.After.Bottleneck
				if r.Before.Bottleneck != text {
					text = r.Before.Bottleneck + " → " + text
				}
				return table.OrAbsent(text, gap)
			}).Ranked(3),
			table.Col("bottleneck_before", "", func(r CostChange) any {
				return table.OrAbsent(r.Before.Bottleneck, gap)
			}),
			table.Col("bottleneck_after", "", func(r CostChange) any {
				return table.OrAbsent(r.After.Bottleneck, gap)
			}),
			table.Col("n_half_before_bytes", "", func(CostChange) any {
				return table.OrAbsent(was.Half, was.Exists && was.Known)
			}),
			table.Col("n_half_after_bytes", "", func(CostChange) any {
				return table.OrAbsent(is.Half, is.Exists && is.Known)
			}),
			table.Col("r_inf_before_mb_s", "", func(CostChange) any {
				return table.OrAbsent(was.Asymptote, was.Known)
			}),
			table.Col("r_inf_after_mb_s", "", func(CostChange) any {
				return table.OrAbsent(is.Asymptote, is.Known)
			}),
		})...)
	// The changes themselves are the first notes: without them, a saved table does
	// not say what it shows.
	rows.Add(changeNotes(c.After)...)
	rows.Add(c.notes...)
	peak := was.Text(c.Units)
	if now := is.Text(c.Units); now != peak {
		peak += " → " + now
	}
	rows.Add(remark.Described(peak).About(c.Before.Layer.Ref()))
	if !gap {
		rows.Add(remark.NoGap("gap or bottleneck", c.NoGap))
	}
	closing := table.Closing{Subject: "one way"}
	if !c.ranged {
		closing.Error = "no interval: the parameters have none; halfpeak whatif uncertainty " +
			"--assume takes yours"
	}
	for _, r := range c.Costs {
		v := table.Closed{Of: r.Before.Size,
			Value: table.Change{Dim: quantity.DimTime, From: float64(r.Before.OneWay),
				To: float64(r.After.OneWay)}}
		if r.Then.Known() {
			v.With = table.Say(", then %v to %v by the parameters", quantity.Micros(r.Then.Low),
				quantity.Micros(r.Then.High))
		}
		closing.Values = append(closing.Values, v)
	}
	rows.Verdict = closing.Say()
	return rows
}

// timeRows returns the table of calls.
func (c *Change) timeRows() table.Rows {
	change := func(t TimeChange) table.Change {
		return table.Change{Dim: t.Kind.Dim, From: t.Before, To: t.After}
	}
	within := table.SpreadOf("after", "95 % interval", quantity.DimTime,
		func(t TimeChange) quantity.Interval {
			in := t.Next
			if !in.Known() {
				in.Value = math.NaN() // which stands in another column
			}
			return in
		})
	percent := func(t TimeChange, ratio float64) any {
		return table.OrAbsent(100*(ratio-1), t.Ratio.Known())
	}
	rows := table.TableOf(c.Times,
		table.Col("platform", "", func(TimeChange) any { return c.Before.Platform.Name }),
		table.Col("layer", "", func(TimeChange) any { return layerName(c.Before) }),
		table.Col("quantity", "quantity", func(t TimeChange) any { return title(t.Quantity) }).
			Texted(named),
		table.Col("", "time", func(t TimeChange) any { return change(t) }),
		table.Col("before_us", "", func(t TimeChange) any { return t.Before }),
		table.Col("after_us", "", func(t TimeChange) any { return t.After }),
		table.Col("change_percent", "", func(t TimeChange) any {
			return 100 * (t.After/t.Before - 1)
		}),
		within.Text, within.Low, within.High,
		table.Col("change_low_percent", "",
			func(t TimeChange) any { return percent(t, t.Ratio.Low) }),
		table.Col("change_high_percent", "",
			func(t TimeChange) any { return percent(t, t.Ratio.High) }),
	)
	rows.Add(changeNotes(c.After)...)
	rows.Add(c.notes...)
	var closing table.Closing
	for _, t := range c.Times {
		v := table.Closed{Of: named(title(t.Quantity)), Value: change(t)}
		if t.Next.Known() {
			v.With = table.Say(", then %v to %v%s", quantity.Micros(t.Next.Low),
				quantity.Micros(t.Next.High), changeText(t.Ratio))
		} else if t.call != nil {
			closing.Error = t.call.Off
		}
		closing.Values = append(closing.Values, v)
	}
	rows.Verdict = closing.Say()
	for _, t := range c.Times {
		if t.Limit != nil {
			rows.Add(remark.Unchanged(t.Kind.Title, t.Limit.Resource, t.Limit.Param.Path,
				table.PercentText("%+.2g %%")(t.Limit.PerPercent)))
		}
	}
	return rows
}

// changeText returns the interval of a change, for the closing line; empty if it is not known.
func changeText(ratio quantity.Interval) string {
	if !ratio.Known() || ratio.Low == ratio.High {
		return ""
	}
	return fmt.Sprintf(", a change of %s to %s", table.PercentChange(ratio.Low-1),
		table.PercentChange(ratio.High-1))
}
