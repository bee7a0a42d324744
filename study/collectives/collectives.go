package collectives

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/simulations"
)

// A Question asks for the times of a collective among ranks on a machine of levels; or
// without levels, among ranks of which every two are connected by the layer: there are no distances
// then, and messages share nothing but the ways in and out of a rank.
type Question struct {
	Collective string
	Algorithm  string // a name; "all", or "best" for the rows of the best alone
	Layer      platforms.Layer
	Machine    machine.Machine // without levels: the layer
	Map        string          // how ranks are placed on the machine; see [machine.Machine.Place]
	Ranks      []int
	Sizes      []quantity.Bytes // of the message, or of a rank's block; a barrier has none
	Segments   []quantity.Bytes // tried beside whole messages, by the algorithms that take any
	Call       collective.Call  // Root, Fanout and Gamma
	// Fits are what times are taken from, in place of the layer, if there are any.
	Fits []Fit
	// Statistic chooses among what was measured, of fits and beside files; empty: all of it.
	Statistic fitted.Statistic
	// PerNode is the number of ranks on each node, for fits; 0: as measured.
	PerNode int
	// Total says that sizes are those of all ranks' blocks, for fits.
	Total   bool
	Library string               // only what rules in this form can say; empty: all
	Loop    bool                 // times are those that OSU's benchmarks print: see fit/contention.Loop
	Within  contention.Intervals // of the times that are simulated

	// Operations bounds the schedules that are simulated although there is a faster way, which
	// knows no average; 0 is 2²² for all times together, and at most 2²⁰ for each. Where there is
	// none, it is 2³² for all, and at most 2²⁰ for each.
	Operations int
	Progress   func(done, total int) // nil: none; calls do not overlap

	quick bool // averages are not wanted
}

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

// Compute answers the question. The errors are an unknown collective, algorithm or library, a
// call that the algorithms do not take, a layer whose times are none, and that of the context.
func Compute(ctx context.Context, q Question) (*Times, error) {
	if len(q.Fits) > 0 {
		return q.fitted(ctx)
	}
	all, err := q.algorithms()
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	on, err := simulations.MachineOf(q.Machine, q.Layer, q.Map, slices.Max(append([]int{1}, q.Ranks...)), simulate.NoLimit)
	if err != nil {
		return nil, err
	}
	cells, err := q.cells(all, on)
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	if err := q.run(ctx, cells, on); err != nil {
		return nil, err
	}
	q.addIntervals(cells)
	answer := &Times{Algorithms: all, On: q.platformText(), Within: q.Within, BestOnly: q.Algorithm == "best"}
	for len(cells) > 0 {
		var here []Timing
		here, cells = cut(cells, func(a, b Timing) bool { return a.Ranks == b.Ranks && a.Call.Bytes == b.Call.Bytes })
		for _, c := range here {
			if c.From == "" {
				answer.TooLarge = append(answer.TooLarge, fmt.Sprintf("%s on %d ranks with %s: too many operations, and no closed form that holds for it",
					c.Name, c.Ranks, quantity.Bytes(c.Call.Bytes)))
			}
		}
		here = slices.DeleteFunc(here, func(c Timing) bool { return c.From == "" })
		if len(all) > 1 {
			compare(here)
		}
		answer.Times = append(answer.Times, here...)
	}
	if len(answer.Times) == 0 {
		if len(answer.TooLarge) > 0 {
			return nil, fmt.Errorf("%s: %s; take fewer ranks, or a linear layer", all[0].Collective, answer.TooLarge[0])
		}
		return nil, fmt.Errorf("%s: none of the algorithms is for these numbers of ranks", all[0].Collective)
	}
	return answer, nil
}

// cut cuts off the first ones that are alike.
func cut(all []Timing, alike func(a, b Timing) bool) (here, rest []Timing) {
	n := 1
	for n < len(all) && alike(all[0], all[n]) {
		n++
	}
	return all[:n:n], all[n:]
}

// algorithms are those that the question is about.
func (q Question) algorithms() (all Algorithms, err error) {
	if q.Algorithm == "all" || q.Algorithm == "best" {
		all, err = AlgorithmsOf(q.Collective)
	} else {
		var e collective.Entry
		e, err = collective.Find(q.Collective, q.Algorithm)
		all = Algorithms{e}
	}
	if err != nil {
		return nil, err
	}
	if q.Library != "" {
		l, err := libraryOf(q.Library)
		if err != nil {
			return nil, err
		}
		named := slices.DeleteFunc(slices.Clone(all), func(e collective.Entry) bool { return !l.has(e) })
		if len(named) == 0 {
			return nil, fmt.Errorf("rules of the form %s cannot say %s %s", q.Library, all[0].Collective, q.Algorithm)
		}
		if !l.segments && len(q.Segments) > 0 {
			return nil, usage.Fields(fmt.Errorf("rules of the form %s have no segments", q.Library), "segment")
		}
		all = named
		for i := range all {
			if l.pads {
				all[i] = all[i].Padded()
			}
		}
	}
	c := q.Call
	if len(q.Segments) > 0 {
		c.Segment = uint64(q.Segments[0])
	}
	return all, all.checkParameters(c)
}

// cells are what is to be timed: those of the same ranks and size stand together.
func (q Question) cells(all Algorithms, m simulate.Machine) (cells []Timing, err error) {
	sizes, segments := stats.Ascending(q.Sizes), append([]quantity.Bytes{0}, stats.Ascending(q.Segments)...)
	if all[0].Collective == "barrier" {
		sizes = []quantity.Bytes{0}
	}
	for _, ranks := range stats.Ascending(q.Ranks) {
		for _, size := range sizes {
			for _, e := range all {
				if e.Ranks != 0 && e.Ranks != ranks && len(all) > 1 {
					continue
				}
				for _, segment := range segments {
					if segment > 0 && (segment >= size || e.Params&collective.Segment == 0) {
						continue
					}
					c := q.Call
					c.Bytes, c.Segment = uint64(size), uint64(segment)
					if e.Params&collective.Shape != 0 {
						c.LogP = logPOf(m, ranks, c)
					}
					if err := e.Check(ranks, c); err != nil {
						return nil, err
					}
					t := Timing{Entry: e, Ranks: ranks, Call: c, Average: quantity.Unknown, Low: quantity.Unknown, High: quantity.Unknown,
						LatencyBound: quantity.Unknown, BandwidthBound: quantity.Unknown}
					if len(q.Machine.Levels) <= 1 {
						t.LatencyBound, t.BandwidthBound = bounds(m, e.Collective, ranks, c)
					}
					cells = append(cells, t)
				}
			}
		}
	}
	return cells, nil
}

// logPOf is the LogP model of the messages of a call, on the outermost level that the ranks need.
func logPOf(m simulate.Machine, ranks int, c collective.Call) collective.LogP {
	n := c.Bytes
	if c.Segment > 0 {
		n = min(n, c.Segment)
	}
	level := 0
	for rank := range ranks {
		level = max(level, m.Level(0, rank))
	}
	cost := m.Cost(level, n)
	return collective.LogP{L: float64(max(0, cost.Latency+cost.Serialization)), Send: float64(cost.Send), Receive: float64(cost.Receive), G: float64(cost.Gap)}
}

// compare marks the best of the times of one call. Of equal ones the first is the best.
func compare(here []Timing) { compareTo(here, -1) }

// compareTo is compare with the index of the best; -1: the least time.
func compareTo(here []Timing, chosen int) {
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

// plain says what the times leave out.
const plain = "Every two ranks are equally far from each other, and messages share nothing but the ways in and out of a rank: no levels, no shared memory or NIC."

// ranAs returns the algorithm that the schedule is, if it is not that of the row.
func ranAs(c Timing) any {
	if name := c.Runs(c.Ranks, c.Call); name != c.Name {
		return name
	}
	return nil
}

// platformText says in words what the times are of.
func (q Question) platformText() string {
	if len(q.Machine.Levels) == 0 {
		return q.Layer.Ref() + ". " + plain
	}
	return q.Layer.Platform + ". " + simulations.ShapeOf(q.Machine, q.Map) + "."
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

// Rows is the table of the times. Intervals are absent if the question had none.
func (t *Times) Rows() reports.Rows {
	times := t.Times
	if t.BestOnly {
		times = slices.DeleteFunc(slices.Clone(times), func(c Timing) bool { return !c.Best && c.Compared })
	}
	compared := func(of func(Timing) any) func(Timing) any {
		return func(c Timing) any {
			if !c.Compared {
				return nil
			}
			return of(c)
		}
	}
	next := func(of func(Timing) any) func(Timing) any {
		return func(c Timing) any {
			if c.Next == nil {
				return nil
			}
			return of(c)
		}
	}
	segment := func(c Timing) any {
		if c.Call.Segment == 0 {
			return nil
		}
		return quantity.Bytes(c.Call.Segment)
	}
	rows := reports.TableOf(times,
		reports.Col("collective", "", func(c Timing) any { return c.Collective }),
		reports.Col("algorithm", "algorithm", func(c Timing) any { return c.Name }),
		reports.Col("ranks", "ranks", func(c Timing) any { return c.Ranks }),
		reports.Col("size_bytes", "size", func(c Timing) any { return quantity.Bytes(c.Call.Bytes) }),
		reports.Col("time_us", "time", func(c Timing) any { return c.Time }),
		reports.Col("time_low_us", reports.HeadIf(t.Fitted, "95 % from"), func(c Timing) any { return c.Low }),
		reports.Col("time_high_us", reports.HeadIf(t.Fitted, "to"), func(c Timing) any { return c.High }),
		reports.Col("average_us", "average", func(c Timing) any { return c.Average }).Ranked(3),
		reports.Col("best", "best", compared(func(c Timing) any { return c.Best })),
		reports.Col("segment_bytes", "segment", segment),
		reports.Col("slower_percent", "slower by", compared(func(c Timing) any { return c.Slower })).Texted(reports.PercentText("%.1f %%")),
		reports.Col("next", "runner-up", next(func(c Timing) any { return c.Next.Name })).Ranked(1),
		reports.Col("next_segment_bytes", "its segment", next(func(c Timing) any { return segment(*c.Next) })).Ranked(5),
		reports.Col("next_slower_percent", "runner-up slower by", next(func(c Timing) any { return c.NextSlower })).Texted(reports.PercentText("%.1f %%")).Ranked(2),
		reports.Col("from", "method", func(c Timing) any { return c.From }).Ranked(4),
		reports.Col("ran_as", reports.HeadIf(slices.ContainsFunc(times, func(c Timing) bool { return ranAs(c) != nil }), "ran as"), ranAs),
		reports.Col("latency_bound_us", "", func(c Timing) any { return c.LatencyBound }),
		reports.Col("bandwidth_bound_us", "", func(c Timing) any { return c.BandwidthBound }),
		reports.Col("average_low_us", "", func(c Timing) any { low, _ := averageEnds(t.Within, c); return low }),
		reports.Col("average_high_us", "", func(c Timing) any { _, high := averageEnds(t.Within, c); return high }),
		reports.Col("loss_high_percent", reports.HeadIf(t.Fitted, "may lose"), compared(func(c Timing) any {
			if !c.Best || !t.Fitted || math.IsNaN(c.MayLose) {
				return nil
			}
			return reports.Finite(c.MayLose)
		})).Texted(reports.PercentText("%.1f %%")).Ranked(2),
		reports.Col("algbw_mb_s", "algbw", func(c Timing) any { alg, _ := c.bandwidths(); return reports.OrAbsent(alg, alg > 0) }).Ranked(6),
		reports.Col("busbw_mb_s", "busbw", func(c Timing) any { _, bus := c.bandwidths(); return reports.OrAbsent(bus, bus > 0) }).Ranked(6),
	)
	if rows.Notes = append(rows.Notes, t.Notes...); !t.Fitted {
		rows.Notes = append(append(rows.Notes, t.On), intervalNotes(t.Within, times)...)
	}
	if n := len(t.TooLarge); n > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("%d left out, the first: %s.", n, t.TooLarge[0]))
	}
	return rows
}
