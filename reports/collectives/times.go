package collectives

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// Times is the answer, in the order of ranks, sizes and algorithms.
type Times struct {
	Algorithms Algorithms // that were compared
	On         string     // the platform of the times, in words
	Times      []Timing
	Within     calibrate.Interval
	TooLarge   []string // the calls without a time, and why
	BestOnly   bool
	Notes      []string
	Fitted     bool // the times are fitted, and have intervals
}

// Rows tabulates the times. Intervals are absent if the question had none.
func (t *Times) Rows() reports.Rows {
	digits := 0
	if !t.Fitted && t.Within == (calibrate.Interval{}) {
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
		rows.Notes = append(rows.Notes, t.On)
		if len(times) > 0 {
			rows.Notes = append(rows.Notes, intervalNote(t.Within))
		}
	}
	if n := len(t.TooLarge); n > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("%d left out, the first: %s.", n, t.TooLarge[0]))
	}
	return rows
}

// uncalibratedDigits is the number of digits of times on a machine on which no collective was
// measured: real times differ from them by a factor of up to 2 or more.
const uncalibratedDigits = 3

// intervalNote describes the interval of times in words.
func intervalNote(within calibrate.Interval) string {
	switch {
	case within == calibrate.Interval{}:
		return unsure
	case math.IsInf(within.High, 1):
		return "The time of a collective on this machine cannot be predicted: " + within.Source + "."
	}
	return fmt.Sprintf("A time is between %.2g and %.2g of what is predicted: %s.",
		within.Low, within.High, within.Source)
}

// unsure is the note of times on a machine without measured collectives.
const unsure = "No collective was measured on this machine, nor many messages at once: how far real times are from these is not known."

// averageEnds returns the interval of the average, NaN if it has none.
func averageEnds(within calibrate.Interval, c Timing) (low, high quantity.Micros) {
	if c.From == FromFit && math.IsNaN(float64(c.Time)) {
		return c.Low, c.High
	}
	if c.From == FromFit || within == (calibrate.Interval{}) || math.IsNaN(float64(c.Average)) {
		return quantity.Unknown, quantity.Unknown
	}
	return finiteEnds(within.Of(c.Average))
}

// finiteEnds returns the ends, with NaN for an infinite high.
func finiteEnds(low, high quantity.Micros) (l, h quantity.Micros) {
	if math.IsInf(float64(high), 0) {
		high = quantity.Unknown
	}
	return low, high
}
