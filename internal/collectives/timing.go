package collectives

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Cell is a call to be timed.
type Cell struct {
	collective.Entry
	Ranks int
	Call  collective.Call
	// RanAs is the algorithm that runs in place of this one under some conditions, as libraries do
	// for fewer elements than ranks; empty: this one.
	RanAs string
	Total bool // Call.Bytes are those of all ranks' blocks, not of one
	// LatencyBound and BandwidthBound are lower bounds of the time by any algorithm; NaN on a
	// machine with several levels.
	LatencyBound, BandwidthBound quantity.Micros
}

// newCell returns a call without bounds.
func newCell(e collective.Entry, ranks int, c collective.Call) Cell {
	cell := Cell{Entry: e, Ranks: ranks, Call: c,
		LatencyBound: quantity.Unknown, BandwidthBound: quantity.Unknown}
	if name := e.Runs(ranks, c).Name; name != e.Name {
		cell.RanAs = name
	}
	return cell
}

// An Estimate is the time of a call, as a [Source] has it.
type Estimate struct {
	Time quantity.Micros // when the last rank is done
	// Average is the mean over ranks of when they are done. It is NaN if one rank was simulated for
	// ranks that are done at other times.
	Average quantity.Micros
	From    string // how the time was found, such as Simulated; empty: it was not
	// Within and AverageWithin are the 95 % intervals of both.
	Within, AverageWithin quantity.Interval
	// Beyond is that of [fitted.Prediction]; 0 of simulations.
	Beyond float64
	// Measure is the one measurement that narrows the interval of a fit the most, if it is too wide
	// to plan with; else empty.
	Measure string

	// expected is the time by which algorithms are compared. That of a fit is above its likeliest
	// time, by its doubt.
	expected  quantity.Micros
	predicted []prediction      // of fits; else nil
	likely    fitted.Prediction // of fits, that algorithms are compared by
	crossed   bool              // the average was fitted to more than the slowest rank takes
	result    *simulate.Result  // of a recorded run
}

// Answer returns the time with its interval, in µs: that of the slowest rank or, where it was not
// measured, the mean over ranks.
func (e Estimate) Answer() quantity.Interval {
	in := e.Within
	if in.Value = float64(e.Time); math.IsNaN(in.Value) {
		in = e.AverageWithin
		in.Value = float64(e.Average)
	}
	return in
}

// unknown returns an estimate whose times are unknown, not 0, until they are found.
func unknown() Estimate {
	none := quantity.Unknown
	return Estimate{Time: none, Average: none,
		Within: quantity.Alone(none), AverageWithin: quantity.Alone(none), expected: none}
}

// A Timing is a call with its time, compared with those of the other algorithms at its [Place].
type Timing struct {
	Cell
	Estimate

	// If several algorithms were asked for, calls of the same ranks and size are Compared. Slower
	// and NextSlower are the percentages by which this call and Next take longer than the Best
	// call. Next is the second best call; only the Best call has it.
	Compared, Best bool
	Slower         float64
	Next           *Timing
	NextSlower     float64
	// Undecided says that another algorithm of the place has no time, so that none is the best.
	Undecided bool
	// MayLose is the upper end of a 95 % interval from 0, in percent: how much longer the best may
	// take than the fastest. Only the best of fits has it.
	MayLose float64
}

// SameAs reports whether both run one algorithm with segments of one size: another size is another
// line in a library's rules.
func (c Cell) SameAs(o Cell) bool {
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

// Place returns the call without its algorithm.
func (c Cell) Place() Place { return Place{c.Ranks, c.Size()} }

// Size returns the size of the message, or of a rank's block.
func (c Cell) Size() quantity.Bytes { return quantity.Bytes(c.Call.Bytes) }

// IsLibraryChoice reports whether the library chose the algorithm of the call.
func (c Cell) IsLibraryChoice() bool { return c.Name == LibraryChoice }

// How a time was found.
const (
	Simulated       = "simulated"
	FirstSteps      = "first steps" // of rings, whose later steps take as long
	Looped          = "simulated loop"
	FromFit         = "fitted"
	FromMeasurement = "measured" // of this very call
)

// compare marks the best of the calls by their expected times, and says how much longer the others
// take. The next best is another algorithm, not a substitute that runs the best. Of equal times the
// first in the registry wins, so that an answer does not change with the order of goroutines.
func compare(here []Timing) {
	if len(here) == 0 {
		return
	}
	order := rivals(here)
	loss := mayLose(here, order)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(here[a].expected, here[b].expected)
	})
	best := &here[order[0]]
	least := best.expected
	for i := range here {
		here[i].Compared = true
		// Two measurements of one algorithm differ, and neither is faster.
		slower := 100 * float64((here[i].expected-least)/least)
		if slower < math.MaxFloat64 {
			here[i].Slower = max(0, slower)
		}
	}
	best.Best, best.MayLose = true, loss
	for _, i := range order[1:] {
		if next := here[i]; !next.SameAs(best.Cell) {
			best.Next, best.NextSlower = &next, next.Slower
			break
		}
	}
}

// undecided marks the calls of a place where another algorithm has no time. It may be the fastest.
func undecided(here []Timing) {
	for i := range here {
		here[i].Compared, here[i].Undecided = true, true
	}
}

// mayLose returns how much longer the best of fitted calls may take than the fastest; 0 of others.
func mayLose(here []Timing, rivals []int) float64 {
	if here[0].predicted == nil {
		return 0
	}
	choice := fitted.Choose(list.Map(rivals, func(i int) fitted.Prediction {
		return here[i].likely
	}))
	return 100 * choice.LossHigh // a fraction, as the fits have it; tables have percent
}

// places returns the timings of each place.
func places(all []Timing) iter.Seq[[]Timing] {
	return func(yield func([]Timing) bool) {
		var here []Timing
		for len(all) > 0 {
			here, all = cut(all, func(a, b Timing) bool { return a.Place() == b.Place() })
			if !yield(here) {
				return
			}
		}
	}
}

// cut splits off the first elements that are alike.
func cut[T any](all []T, alike func(a, b T) bool) (here, rest []T) {
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
	of := platforms.Timed{
		Of:         platforms.Collective,
		Collective: timedName(c.Collective),
		Ranks:      c.Ranks,
		PerRank:    c.InBlocks() && !c.Total,
	}
	return of.Bandwidths(c.Size(), quantity.Micros(c.Answer().Value))
}
