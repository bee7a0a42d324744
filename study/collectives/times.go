package collectives

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// How a time was found.
const (
	Simulated  = "simulated"
	Looped     = "simulated loop"
	ClosedForm = "closed form"
	FromFit    = "fitted"
)

// Times is the answer, in the order of ranks, sizes and algorithms.
type Times struct {
	Algorithms Algorithms // that were compared
	On         string     // what the times are of, in words
	Times      []Timing
	Within     contention.Intervals
	TooLarge   []string // what has no time, and why
	BestOnly   bool
	Notes      []string
	Fitted     bool // the times are fitted, and have intervals
}

// A Timing is what an algorithm takes.
type Timing struct {
	collective.Entry
	Ranks   int
	Call    collective.Call
	Total   bool            // Call.Bytes are those of all ranks' blocks, not of one
	Time    quantity.Micros // when the last rank is done
	Average quantity.Micros // mean of when ranks are done; NaN by a closed form
	From    string
	// Low and High are a 95 % interval of the time, or of the average if there is no time. NaN
	// where none is known.
	Low, High quantity.Micros
	// LatencyBound and BandwidthBound are what no algorithm can be faster than; NaN on a machine
	// with several levels.
	LatencyBound, BandwidthBound quantity.Micros

	// Of the same ranks and size: the best, and how much longer this takes, in percent. The best
	// has the one after it too. All are absent where one algorithm was asked for.
	Compared, Best bool
	Slower         float64
	Next           *Timing
	NextSlower     float64
	// MayLose is how much longer the best may take than the fastest, in percent: the upper end of a
	// 95 % interval from 0. Only the best of fits has it.
	MayLose float64
}

// compare marks the best of the times of one call: that of the index; -1: the least time, of equal
// ones the first.
func compare(here []Timing, chosen int) {
	if len(here) == 0 {
		return
	}
	order := make([]int, len(here))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(here[a].Time, here[b].Time) })
	if i := slices.Index(order, chosen); i > 0 {
		order = slices.Insert(slices.Delete(order, i, i+1), 0, chosen)
	}
	slower := func(t, best quantity.Micros) float64 { return reports.Finite(100 * float64((t-best)/best)) }
	best := &here[order[0]]
	best.Best = true
	for i := range here {
		here[i].Compared, here[i].Slower = true, slower(here[i].Time, best.Time)
	}
	if len(order) > 1 {
		next := here[order[1]]
		best.Next, best.NextSlower = &next, slower(next.Time, best.Time)
	}
}

// cut cuts off the first ones that are alike.
func cut(all []Timing, alike func(a, b Timing) bool) (here, rest []Timing) {
	n := 1
	for n < len(all) && alike(all[0], all[n]) {
		n++
	}
	return all[:n:n], all[n:]
}

// ranAs returns the algorithm that the schedule is, if it is not that of the row.
func ranAs(c Timing) any {
	if name := c.Runs(c.Ranks, c.Call); name != c.Name {
		return name
	}
	return nil
}

// bandwidths returns algbw and busbw as nccl-tests defines them, of the time or, where only that is
// known, of the average; 0 where the collective has none.
func (c Timing) bandwidths() (alg, bus quantity.MBps) {
	t := c.Time
	if math.IsNaN(float64(t)) {
		t = c.Average
	}
	of := platforms.Timed{Of: platforms.Collective, Collective: strings.ReplaceAll(c.Collective, "-", "_"), Ranks: c.Ranks, PerRank: c.InBlocks() && !c.Total}
	return of.Bandwidths(quantity.Bytes(c.Call.Bytes), t)
}

// segment returns the size of the segments; absent for whole messages.
func segment(c Timing) any {
	return reports.OrAbsent(quantity.Bytes(c.Call.Segment), c.Call.Segment > 0)
}

// next returns the runner-up, or an empty timing.
func (c Timing) next() Timing {
	if c.Next == nil {
		return Timing{}
	}
	return *c.Next
}

// uncalibratedDigits is the number of digits of times on a machine on which no collective was
// measured: real times differ from them by a factor of up to 2 or more.
const uncalibratedDigits = 3

// Rows is the table of the times. Intervals are absent if the question had none.
func (t *Times) Rows() reports.Rows {
	digits := 0
	if !t.Fitted && t.Within.Any == (contention.Interval{}) && len(t.Within.Of) == 0 {
		digits = uncalibratedDigits
	}
	times := t.Times
	if t.BestOnly {
		times = slices.DeleteFunc(slices.Clone(times), func(c Timing) bool { return !c.Best && c.Compared })
	}
	rows := reports.TableOf(times,
		reports.Col("collective", "", func(c Timing) any { return c.Collective }),
		reports.Col("algorithm", "algorithm", func(c Timing) any { return c.Name }),
		reports.Col("ranks", "ranks", func(c Timing) any { return c.Ranks }),
		reports.Col("size_bytes", "size", func(c Timing) any { return quantity.Bytes(c.Call.Bytes) }),
		reports.Col("time_us", "time", func(c Timing) any { return c.Time }).Rounded(digits),
		reports.Col("time_low_us", reports.HeadIf(t.Fitted, "95 % from"), func(c Timing) any { return c.Low }),
		reports.Col("time_high_us", reports.HeadIf(t.Fitted, "to"), func(c Timing) any { return c.High }),
		reports.Col("average_us", "average", func(c Timing) any { return c.Average }).Rounded(digits).Ranked(3),
		reports.Col("best", "best", func(c Timing) any { return reports.OrAbsent(c.Best, c.Compared) }),
		reports.Col("segment_bytes", "segment", segment),
		reports.Col("slower_percent", "slower by", func(c Timing) any { return reports.OrAbsent(c.Slower, c.Compared) }).Texted(reports.PercentText("%.1f %%")),
		reports.Col("next", "runner-up", func(c Timing) any { return reports.OrNil(c.next().Name) }).Ranked(1),
		reports.Col("next_segment_bytes", "its segment", func(c Timing) any { return segment(c.next()) }).Ranked(5),
		reports.Col("next_slower_percent", "runner-up slower by", func(c Timing) any { return reports.OrAbsent(c.NextSlower, c.Next != nil) }).Texted(reports.PercentText("%.1f %%")).Ranked(2),
		reports.Col("from", "method", func(c Timing) any { return c.From }).Ranked(4),
		reports.Col("ran_as", reports.HeadIf(slices.ContainsFunc(times, func(c Timing) bool { return ranAs(c) != nil }), "ran as"), ranAs),
		reports.Col("latency_bound_us", "", func(c Timing) any { return c.LatencyBound }),
		reports.Col("bandwidth_bound_us", "", func(c Timing) any { return c.BandwidthBound }),
		reports.Col("average_low_us", "", func(c Timing) any { low, _ := averageEnds(t.Within, c); return low }),
		reports.Col("average_high_us", "", func(c Timing) any { _, high := averageEnds(t.Within, c); return high }),
		reports.Col("loss_high_percent", reports.HeadIf(t.Fitted, "may lose"), func(c Timing) any {
			return reports.OrAbsent(reports.Finite(c.MayLose), t.Fitted && c.Best && !math.IsNaN(c.MayLose))
		}).Texted(reports.PercentText("%.1f %%")).Ranked(2),
		reports.Col("algbw_mb_s", "algbw", func(c Timing) any { alg, _ := c.bandwidths(); return reports.OrAbsent(alg, alg > 0) }).Rounded(digits).Ranked(6),
		reports.Col("busbw_mb_s", "busbw", func(c Timing) any { _, bus := c.bandwidths(); return reports.OrAbsent(bus, bus > 0) }).Rounded(digits).Ranked(6),
	)
	if rows.Notes = append(rows.Notes, t.Notes...); !t.Fitted {
		rows.Notes = append(append(rows.Notes, t.On), intervalNotes(t.Within, times)...)
	}
	if n := len(t.TooLarge); n > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("%d left out, the first: %s.", n, t.TooLarge[0]))
	}
	return rows
}
