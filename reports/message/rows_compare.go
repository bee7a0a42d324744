package message

import (
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the layers. On a narrow terminal the roof goes first,
// then the best packet and the overheads: the figures of merit r∞ and n½ are why the
// table exists and always stay.
func (a *Comparison) Rows() table.Rows {
	c := a.Costs
	type row = Compared
	overheads := func(c row) bool { return c.SendOverhead+c.ReceiveOverhead > 0 }
	roofed := func(c row) bool { return c.Roof.Name != "" }
	oneWay := func(c row) any { return table.OrAbsent(c.OneWay, isMessage(c.Predicted)) }
	bandwidth := func(c row) any { return table.OrAbsent(c.Bandwidth, isMessage(c.Predicted)) }
	// Of a stream the gap and the throughput are known, and its interval is that of the gap.
	streamed := slices.ContainsFunc(c, func(c row) bool { return !isMessage(c.Predicted) })
	gapText := func(c row) any {
		if isMessage(c.Predicted) {
			return table.OrAbsent(c.Gap, c.GapKnown)
		}
		return table.Shown(quantity.DimTime, c.Within())
	}
	times := []table.Field[row]{table.Col("one_way_us", "one way", oneWay)}
	rates := []table.Field[row]{
		table.Col("bandwidth_mb_s", "bandwidth", bandwidth).Ranked(1),
	}
	var more []table.Field[row]
	// One fitted layer gives all rows the columns of intervals: a program reads a table with one
	// set of columns.
	fitted := a.fitted()
	if fitted {
		times = nextSpread("one_way", "one way", quantity.DimTime).Fields()
		rates = nextSpread("bandwidth", "bandwidth", quantity.DimRate).Fields()
		rates = append(rates, table.Col("beyond", "extrapolated", func(c row) any {
			return table.OrAbsent(c.Beyond > 1, c.Beyond > 0)
		}).Ranked(4))
		more = []table.Field[row]{
			table.Col("model_us", "", func(c row) any { return c.Model }),
		}
	}
	rows := table.TableOf(c, slices.Concat([]table.Field[row]{
		table.Col("platform", "platform", func(c row) any { return c.Platform }),
		table.Col("layer", "layer", func(c row) any { return c.Layer }).Ranked(2),
		table.Col("size_bytes", "size", func(c row) any { return c.Size }),
		table.Col("send_overhead_us", "o_s", func(c row) any {
			return table.OrAbsent(c.SendOverhead, overheads(c))
		}).Ranked(4),
		table.Col("receive_overhead_us", "o_r", func(c row) any {
			return table.OrAbsent(c.ReceiveOverhead, overheads(c))
		}).Ranked(4),
	}, times, []table.Field[row]{
		table.Col("rtt_us", "RTT", func(c row) any {
			return table.OrAbsent(c.RTT, isMessage(c.Predicted))
		}).Ranked(3),
		table.Col("gap_us", table.HeadIf(!streamed, "gap"), func(c row) any {
			return table.OrAbsent(c.Gap, c.GapKnown)
		}).Ranked(1),
		table.Col("", "gap (95 %)", gapText).If(streamed),
		table.Col("throughput_mb_s", "throughput", func(c row) any {
			return table.OrAbsent(c.Throughput, c.GapKnown)
		}).If(streamed),
	}, rates, []table.Field[row]{
		table.Col("r_inf_mb_s", "r∞", func(c row) any {
			return table.OrAbsent(c.Peak.Asymptote, c.Peak.Known)
		}),
		table.Col("n_half_bytes", "n½", func(c row) any {
			return table.OrAbsent(c.Peak.Half, c.Peak.Known && c.Peak.Exists)
		}).Texted(table.About),
		table.Col("best_packet_bytes", "best packet", func(c row) any {
			return table.OrAbsent(c.BestPacket, c.BestPacket > 0)
		}).Ranked(5),
		table.Col("roof", "roof", func(c row) any {
			return table.OrNil(c.Roof.Name)
		}).Ranked(6),
		table.Col("roof_mb_s", "", func(c row) any {
			return table.OrAbsent(c.Roof.Rate, roofed(c))
		}),
		table.Col("percent_of_roof", "of roof", func(c row) any {
			return table.OrAbsent(100*c.RoofShare, roofed(c) && c.Peak.Known)
		}).Texted(table.PercentShare).Ranked(6),
	}, more)...)
	rows.Add(a.notes...)
	// A layer has a row for each size, and one note.
	said := map[string]bool{}
	for _, x := range c {
		ref := x.Platform + "/" + x.Layer
		// A model above a physical limit has a wrong parameter, or the roof is wrong.
		// Half a percent is left to the rounding of printed numbers.
		if x.Peak.Known && x.RoofShare > 1.005 && !said[ref] {
			said[ref] = true
			rows.Add(remark.AboveRoof(ref, x.Roof.Rate, x.Roof.Name))
		}
	}
	beyond := func(c row) bool { return c.Beyond > 1 }
	if fitted && slices.ContainsFunc(c, beyond) {
		rows.Add(remark.BeyondMeasured())
	}
	var costs []Predicted
	for _, x := range c {
		costs = append(costs, x.Predicted)
	}
	rows.Verdict = verdict(costs)
	return inCycles(rows, a.clocks)
}

// Figure returns the curves of all layers; nil if the question did not ask for them.
func (a *Comparison) Figure() (table.Picture, error) { return a.picture, nil }

// nextSpread returns the columns of a quantity in a table of predictions; see [model.Quantities].
func nextSpread(name, head string, dim quantity.Dimension) table.Spread[Compared] {
	return table.SpreadOf(name, head+" (95 %)", dim, func(c Compared) quantity.Interval {
		return c.quantity(name)
	})
}
