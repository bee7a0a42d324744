package predict

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/ask/messages"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// CompareRows returns the table of the layers. On a narrow terminal the roof goes first,
// then the best packet and the overheads: the figures of merit r∞ and n½ are why the
// table exists and always stay.
func CompareRows(c messages.Comparison) reports.Rows {
	type row = messages.Compared
	overheads := func(c row) bool { return c.SendOverhead+c.ReceiveOverhead > 0 }
	roofed := func(c row) bool { return c.Roof.Name != "" }
	predicted := func(c row) messages.Predicted { return c.Predicted }
	oneWay := func(c row) any { return reports.OrAbsent(c.OneWay, isMessage(c.Predicted)) }
	bandwidth := func(c row) any { return reports.OrAbsent(c.Bandwidth, isMessage(c.Predicted)) }
	// Of a stream the gap and the throughput are known, and its interval is that of the gap.
	streamed := slices.ContainsFunc(c, func(c row) bool { return !isMessage(c.Predicted) })
	gap, _ := model.FindQuantity("one_way")
	gapText := func(c row) any {
		if c.Next == nil || c.Next.Unknown != "" || isMessage(c.Predicted) {
			return reports.OrAbsent(c.Gap, c.GapKnown)
		}
		return reports.Interval{Dim: gap.Dim,
			Interval: gap.Interval(c.Size, c.Next.Interval)}
	}
	times := []reports.Field[row]{reports.Col("one_way_us", "one way", oneWay)}
	rates := []reports.Field[row]{
		reports.Col("bandwidth_mb_s", "bandwidth", bandwidth).Ranked(1),
	}
	var more []reports.Field[row]
	// One fitted layer gives all rows the columns of intervals: a program reads a table with one
	// set of columns.
	fitted := slices.ContainsFunc(c, func(c row) bool { return c.Next != nil })
	if fitted {
		times = nextFields("one_way", "one way", predicted, oneWay)
		rates = nextFields("bandwidth", "bandwidth", predicted, bandwidth)
		rates = append(rates, reports.Col("beyond", "extrapolated", func(c row) any {
			if c.Next == nil {
				return nil
			}
			return c.Next.Beyond()
		}))
		more = []reports.Field[row]{
			reports.Col("model_us", "", func(c row) any { return c.Model }),
		}
	}
	rows := reports.TableOf(c, slices.Concat([]reports.Field[row]{
		reports.Col("platform", "platform", func(c row) any { return c.Platform }),
		reports.Col("layer", "layer", func(c row) any { return c.Layer }).Ranked(2),
		reports.Col("size_bytes", "size", func(c row) any { return c.Size }),
		reports.Col("send_overhead_us", "o_s", func(c row) any {
			return reports.OrAbsent(c.SendOverhead, overheads(c))
		}).Ranked(4),
		reports.Col("receive_overhead_us", "o_r", func(c row) any {
			return reports.OrAbsent(c.ReceiveOverhead, overheads(c))
		}).Ranked(4),
	}, times, []reports.Field[row]{
		reports.Col("rtt_us", "RTT", func(c row) any {
			return reports.OrAbsent(c.RTT, isMessage(c.Predicted))
		}).Ranked(3),
		reports.Col("gap_us", reports.HeadIf(!streamed, "gap"), func(c row) any {
			return reports.OrAbsent(c.Gap, c.GapKnown)
		}).Ranked(1),
		reports.Col("", "gap (95 %)", gapText).If(streamed),
		reports.Col("throughput_mb_s", "throughput", func(c row) any {
			return reports.OrAbsent(c.Throughput, c.GapKnown)
		}).If(streamed),
	}, rates, []reports.Field[row]{
		reports.Col("r_inf_mb_s", "r∞", func(c row) any {
			return reports.OrAbsent(c.Peak.Asymptote, c.Peak.Known)
		}),
		reports.Col("n_half_bytes", "n½", func(c row) any {
			return reports.OrAbsent(c.Peak.Half, c.Peak.Known && c.Peak.Exists)
		}),
		reports.Col("best_packet_bytes", "best packet", func(c row) any {
			return reports.OrAbsent(c.BestPacket, c.BestPacket > 0)
		}).Ranked(5),
		reports.Col("roof", "roof", func(c row) any {
			return reports.OrNil(c.Roof.Name)
		}).Ranked(6),
		reports.Col("roof_mb_s", "", func(c row) any {
			return reports.OrAbsent(c.Roof.Rate, roofed(c))
		}),
		reports.Col("percent_of_roof", "of roof", func(c row) any {
			return reports.OrAbsent(100*c.RoofShare, roofed(c) && c.Peak.Known)
		}).Texted(reports.PercentShare).Ranked(6),
	}, more)...)
	if fitted {
		rows.Notes = []string{ForecastNote}
	}
	// A layer has a row for each size, and one note.
	said := map[string]bool{}
	for _, x := range c {
		ref := x.Platform + "/" + x.Layer
		// A model above a physical limit has a wrong parameter, or the roof is wrong.
		// Half a percent is left to the rounding of printed numbers.
		if x.Peak.Known && x.RoofShare > 1.005 && !said[ref] {
			said[ref] = true
			rows.Notes = append(rows.Notes, fmt.Sprintf("%s: r∞ is above the roof %s of %s: "+
				"one of the two is inexact, and so is the share of the roof",
				ref, x.Roof.Name, x.Roof.Rate))
		}
	}
	return rows
}

// nextFields returns the columns of a quantity in a table of predictions: for people
// its interval, or the value alone without one, and for programs three numbers. name
// is a row of [model.Quantities], which has the keys.
func nextFields[T any](
	name, head string, of func(T) messages.Predicted, value func(T) any,
) []reports.Field[T] {
	q, _ := model.FindQuantity(name)
	interval := func(v T, cell func(quantity.Interval) any, otherwise any) any {
		p := of(v)
		if p.Next == nil || p.Next.Unknown != "" || !isMessage(p) {
			return otherwise
		}
		return cell(q.Interval(p.Size, p.Next.Interval))
	}
	return []reports.Field[T]{
		// A column without a key is for people, one without a heading for programs.
		reports.Col("", head+" (95 %)", func(v T) any {
			return interval(v, func(in quantity.Interval) any {
				return reports.Interval{Dim: q.Dim, Interval: in}
			}, value(v))
		}),
		reports.Col(q.Key(), "", value),
		reports.Col(q.KeyOf("low"), "", func(v T) any {
			return interval(v, func(in quantity.Interval) any { return in.Low }, nil)
		}),
		reports.Col(q.KeyOf("high"), "", func(v T) any {
			return interval(v, func(in quantity.Interval) any { return in.High }, nil)
		}),
	}
}

// Cell returns the curve's value of a cost, with its interval if the next measurement
// is predicted. Gaps and throughputs have no forecast, since one-way times were
// measured, and so tables beside curves are of Bandwidth and Latency only.
func (k CurveKind) Cell(p messages.Predicted) any {
	switch {
	case p.Next != nil && p.Next.Unknown == "":
		q := k.Row() // of a stream, the same functions of its gap
		in := q.Interval(p.Size, p.Next.Interval)
		return reports.Interval{Dim: q.Dim, Interval: in}
	case k == Latency:
		return p.Time
	}
	return p.Size.Over(p.Time)
}
