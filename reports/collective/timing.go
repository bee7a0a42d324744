package collective

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Timing is the time of a call by an algorithm.
type Timing struct {
	collective.Entry
	Ranks int
	Call  collective.Call
	// RanAs is the algorithm that runs in place of this one under some conditions, as libraries do
	// for fewer elements than ranks; empty: this one.
	RanAs string
	Total bool            // Call.Bytes are those of all ranks' blocks, not of one
	Time  quantity.Micros // when the last rank is done
	// Average is the mean over ranks of when they are done. It is NaN if one rank was simulated for
	// ranks that are done at other times.
	Average quantity.Micros
	From    string // how the time was found: Simulated, Looped or FromFit
	// Within and AverageWithin are the 95 % intervals of both.
	Within, AverageWithin quantity.Interval
	// Measure is the one measurement that narrows the interval of a fit the most, if it is too wide
	// to plan with; else empty.
	Measure string
	// LatencyBound and BandwidthBound are lower bounds of the time by any algorithm; NaN on a
	// machine with several levels.
	LatencyBound, BandwidthBound quantity.Micros

	// If several algorithms were asked for, calls of the same ranks and size are Compared. Slower
	// and NextSlower are the percentages by which this call and Next take longer than the Best
	// call. Next is the second best call; only the Best call has it.
	Compared, Best bool
	Slower         float64
	Next           *Timing
	NextSlower     float64
	// MayLose is the upper end of a 95 % interval from 0, in percent: how much longer the best may
	// take than the fastest. Only the best of fits has it.
	MayLose float64

	result *simulate.Result // of a recorded run
}

// newTiming returns a timing without times. All of them are unknown, not 0, until
// they are found.
func newTiming(e collective.Entry, ranks int, c collective.Call) Timing {
	unknown := quantity.Unknown
	t := Timing{Entry: e, Ranks: ranks, Call: c, Time: unknown, Average: unknown,
		Within: quantity.Alone(unknown), AverageWithin: quantity.Alone(unknown),
		LatencyBound: unknown, BandwidthBound: unknown}
	if name := e.Runs(ranks, c).Name; name != e.Name {
		t.RanAs = name
	}
	return t
}

// sameAs reports whether both run one algorithm with segments of one size: another size is another
// line in a library's rules.
func (c Timing) sameAs(o Timing) bool {
	if cmp.Or(c.RanAs, c.Name) != cmp.Or(o.RanAs, o.Name) {
		return false
	}
	// A substitute may ignore the segments.
	ignored := c.Runs(c.Ranks, c.Call).Params&collective.Segment == 0
	return ignored || c.Call.Segment == o.Call.Segment
}

// rivals returns the indices of the timings that can be the best: those of algorithms that run
// themselves, or whose substitute has no timing of its own.
func rivals(here []Timing) (all []int) {
	for i, c := range here {
		substitute := func(o Timing) bool { return o.Name == c.RanAs }
		if c.RanAs == "" || !slices.ContainsFunc(here, substitute) {
			all = append(all, i)
		}
	}
	return all
}

// A Place is a call for which algorithms are compared.
type Place struct {
	Ranks int
	Size  quantity.Bytes
}

func (c Timing) Place() Place { return Place{c.Ranks, c.Size()} }

// Size returns the size of the message, or of a rank's block.
func (c Timing) Size() quantity.Bytes { return quantity.Bytes(c.Call.Bytes) }

// How a time was found.
const (
	Simulated = "simulated"
	Looped    = "simulated loop"
	FromFit   = "fitted"
)

// compare marks the best of the calls, which have the expected times, and says how much longer the
// others take. The next best is another algorithm, not a substitute that runs the best. A measured
// collective's expected time is above its likeliest one, by its doubt. Of equal times the first in
// the registry wins, so that an answer does not change with the order of goroutines.
func compare(here []Timing, expected []quantity.Micros) {
	if len(here) == 0 {
		return
	}
	order := rivals(here)
	byTime := func(a, b int) int { return cmp.Compare(expected[a], expected[b]) }
	slices.SortStableFunc(order, byTime)
	least := expected[order[0]]
	for i := range here {
		here[i].Compared = true
		// Two measurements of one algorithm differ, and neither is faster.
		if slower := 100 * float64((expected[i]-least)/least); slower < math.MaxFloat64 {
			here[i].Slower = max(0, slower)
		}
	}
	best := &here[order[0]]
	best.Best = true
	for _, i := range order[1:] {
		if next := here[i]; !next.sameAs(*best) {
			best.Next, best.NextSlower = &next, next.Slower
			break
		}
	}
}

// cut splits off the first timings that are alike.
func cut(all []Timing, alike func(a, b Timing) bool) (here, rest []Timing) {
	n := 1
	for n < len(all) && alike(all[0], all[n]) {
		n++
	}
	return all[:n:n], all[n:]
}

// timedName returns the name that a [platforms.Timed] has for a collective of the registry, which
// has reduce-scatter where benchmarks have reduce_scatter.
func timedName(collective string) string { return strings.ReplaceAll(collective, "-", "_") }

// Bandwidths returns algbw and busbw as nccl-tests defines them, from the time or, if it is
// unknown, from the average; 0 if the collective has none.
func (c Timing) Bandwidths() (alg, bus quantity.MBps) {
	t := c.Time
	if math.IsNaN(float64(t)) {
		t = c.Average
	}
	of := platforms.Timed{
		Of:         platforms.Collective,
		Collective: timedName(c.Collective),
		Ranks:      c.Ranks,
		PerRank:    c.InBlocks() && !c.Total,
	}
	return of.Bandwidths(c.Size(), t)
}
