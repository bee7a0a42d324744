package collective

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// simulated answers the question by simulation.
func (q question) simulated(ctx context.Context) (*Times, error) {
	q.takeLocalWork()
	all, on, cells, err := q.prepared(ctx)
	if err != nil {
		return nil, err
	}
	if err := q.run(ctx, cells, on); err != nil {
		return nil, err
	}
	q.addIntervals(cells)
	answer := &Times{Algorithms: all, On: q.platformText(), Within: q.within,
		BestOnly: q.Algorithm == "best"}
	if q.within == (calibrate.Deviation{}) {
		answer.Off = calibrate.OfSimulations()
	}
	if q.ranAs != "" {
		answer.Notes = append(answer.Notes, q.ranAs)
	}
	answer.Notes = append(answer.Notes, channelNotes(cells)...)
	for len(cells) > 0 {
		var here []Timing
		here, cells = cut(cells, func(a, b Timing) bool { return a.Place() == b.Place() })
		for _, c := range here {
			// The timer leaves From empty where no schedule was small enough.
			if c.From == "" {
				answer.TooLarge = append(answer.TooLarge, c.tooLarge())
			}
		}
		here = slices.DeleteFunc(here, func(c Timing) bool { return c.From == "" })
		// A single algorithm with whole messages would be the best of itself.
		if q.several() && (len(all) > 1 || len(q.Segments) > 0) {
			compare(here, list.Map(here, func(c Timing) quantity.Micros { return c.Time }))
		}
		answer.Times = append(answer.Times, here...)
	}
	answer.Doubts = q.doubts()
	if len(answer.Times) == 0 {
		if len(answer.TooLarge) > 0 {
			return nil, noneSmallEnough(all[0].Collective, answer.TooLarge)
		}
		return nil, q.noCalls()
	}
	return answer, nil
}

// doubts says that messages are larger than those that the layer was fitted to, and how far the
// times may be off; if the collective was measured, but on no two numbers of ranks that a fit could
// go by, that.
func (q question) doubts() (all []string) {
	_, last, measured := q.layer.MeasuredRange()
	if measured && !q.ofLevels && len(q.sizes()) > 0 && slices.Max(q.sizes()) > last {
		all = append(all, fmt.Sprintf("%s was measured up to %s: times of larger messages are "+
			"extrapolated.", q.layer.Ref(), last))
	}
	if q.alone == 0 {
		return append(all, q.within.String())
	}
	return append(all, fmt.Sprintf("%s was measured on %d ranks alone, and these are simulations "+
		"of messages: fit files of several numbers of ranks together to have its times.",
		q.Collective, q.alone))
}

// tooLarge describes a call without a time, for a note or an error.
func (c Timing) tooLarge() string {
	return fmt.Sprintf("%s on %d ranks with %s: its schedule has too many operations",
		c.Name, c.Ranks, c.Size())
}

func noneSmallEnough(name string, tooLarge []string) error {
	return fmt.Errorf("%s: %s; take fewer ranks, or a linear layer", name, tooLarge[0])
}

// noCalls returns the error of a question that no algorithm answers.
func (q question) noCalls() error {
	switch {
	case len(q.Ranks) == 0:
		return fmt.Errorf("%s: no number of ranks; give at least one", q.Collective)
	case len(q.sizes()) == 0:
		return fmt.Errorf("%s: no size; give at least one", q.Collective)
	}
	return fmt.Errorf("%s: none of the algorithms is for these numbers of ranks", q.Collective)
}

// maxOps returns the operation limit for simulating a schedule when no faster method
// exists: a schedule of 2²⁰ operations takes a few tenths of a second
// (docs/simulate.md), and 2³² for all times keep an answer below half an hour of one
// processor.
func (q question) maxOps(times int) int {
	if q.Operations > 0 {
		return q.Operations
	}
	return min(1<<20, 1<<32/max(times, 1))
}

// maxOpsIfAlternative returns the operation limit when a faster method exists, which
// lacks the average alone. 2²² for all times are about a second, so that a map of
// hundreds of times comes at once.
func (q question) maxOpsIfAlternative(times int) int {
	if q.Operations > 0 {
		return q.Operations
	}
	return min(1<<20, 1<<22/max(times, 1))
}

// prepared returns the algorithms, the machine, and the calls to be timed on it. The
// machine has places for the largest number of ranks; calls on fewer ranks use the
// first of them.
func (q question) prepared(ctx context.Context) (
	Algorithms, simulate.Machine, []Timing, error) {
	q.takeLocalWork()
	all, err := q.algorithms()
	if err != nil {
		return nil, nil, nil, usage.Error{Err: err}
	}
	most := slices.Max(append([]int{1}, q.Ranks...))
	on, err := placed.Machine(q.machine, q.layer, q.Map, most, simulate.NoLimit)
	if err != nil {
		return nil, nil, nil, err
	}
	cells, err := q.cells(ctx, all, on)
	if err != nil && ctx.Err() == nil {
		err = usage.Error{Err: err}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return all, on, cells, nil
}

// cells returns the calls to be timed; calls of the same ranks and size are neighbours.
// A grid of many ranks and sizes takes seconds, so it ends with the context.
func (q question) cells(ctx context.Context, all Algorithms, m simulate.Machine) (
	cells []Timing, err error) {
	sizes := q.sizes()
	segments := append([]quantity.Bytes{0}, stats.Ascending(q.Segments)...) // 0: whole messages
	for _, ranks := range stats.Ascending(q.Ranks) {
		// On a machine of several levels, messages between near ranks are cheaper than
		// the bounds assume.
		levels := len(q.machine.Levels) > 1
		perNode, rails := q.nodes(m, ranks)
		latencies := map[model.LogP]quantity.Micros{}
		for _, size := range sizes {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			latency, bandwidth, bounded := quantity.Unknown, quantity.Unknown, levels
			here := all
			if q.Algorithm == "" {
				e, _ := q.defaultOf(ranks, size)
				here = slices.DeleteFunc(slices.Clone(all), func(o collective.Entry) bool {
					return o.Name != e.Name
				})
			}
			for _, e := range here {
				// Some algorithms are for one number of ranks, or for several nodes. Among several
				// they are left out elsewhere; asked for alone, Check returns the error.
				call, err := q.onNodes(e, q.Call, perNode, rails)
				if err != nil {
					return nil, err
				}
				if len(all) > 1 && !serves(e, ranks, call) {
					continue
				}
				for _, segment := range segments {
					// A segment of the whole message is the whole message, which is in the list
					// already.
					if segment > 0 && (segment >= size || e.Params&collective.Segment == 0) {
						continue
					}
					c := sized(m, e, ranks, call, uint64(size), uint64(segment))
					if err := e.Check(ranks, c); err != nil {
						return nil, err
					}
					if !bounded { // by any algorithm, so once for all of them
						latency = latencyBound(m, ranks, c.Bytes, latencies)
						bandwidth = bandwidthBound(m, e.Collective, ranks, c.Bytes)
						bounded = true
					}
					t := newTiming(e, ranks, c)
					t.LatencyBound, t.BandwidthBound = latency, bandwidth
					cells = append(cells, t)
				}
			}
		}
	}
	return cells, nil
}

// sized returns a call of an algorithm with its sizes and, if that depends on the costs of
// messages, the shape of its tree.
func sized(m simulate.Machine, e collective.Entry, ranks int, c collective.Call,
	bytes, segment uint64) collective.Call {
	c.Bytes, c.Segment = bytes, segment
	if e.Params&collective.Shape != 0 {
		c.LogP = logPOf(m, ranks, c)
	}
	return c
}

// logPOf returns the LogP model of the messages of a call on the outermost level of
// the ranks. A tree that is best for the dearest level may not be the best of the
// machine, but a tree has one shape.
func logPOf(m simulate.Machine, ranks int, c collective.Call) model.LogP {
	n := c.Bytes
	if c.Segment > 0 {
		// The messages of a segmented call are its segments.
		n = min(n, c.Segment)
	}
	level := 0
	for rank := range ranks {
		level = max(level, m.Level(0, rank))
	}
	cost := m.Cost(level, n)
	return model.LogP{
		// LogP has no time per byte: for messages of this size, the bytes belong to
		// the latency.
		Latency:      max(0, cost.Latency+cost.Serialization),
		SendOverhead: cost.Send, ReceiveOverhead: cost.Receive, GapTime: cost.Gap,
	}
}

// run times the cells on all processors. Cells of the same algorithm and number of
// ranks are timed one after the other, by one timer, which reuses their programs.
func (q question) run(ctx context.Context, cells []Timing, m simulate.Machine) error {
	type key struct {
		name  string
		ranks int
	}
	var keys []key
	units := map[key][]int{}
	for i, c := range cells {
		k := key{c.Name, c.Ranks}
		if units[k] == nil {
			keys = append(keys, k)
		}
		units[k] = append(units[k], i)
	}
	timers := sync.Pool{New: func() any { return q.timer(m, len(cells)) }}
	var mutex sync.Mutex
	done := 0
	finished := func() {
		mutex.Lock()
		defer mutex.Unlock()
		if done++; q.Progress != nil {
			q.Progress(done, len(cells))
		}
	}
	each := func(ctx context.Context, k int) error {
		t := timers.Get().(*timer)
		defer timers.Put(t)
		// Programs serve one algorithm and one number of ranks; those of the unit before are freed.
		t.programs, t.large = newCompiled(false), map[standing]uint64{}
		// Units with many ranks take the longest. Begun last, one of them would run alone at the
		// end.
		for _, i := range units[keys[len(keys)-1-k]] { // the largest first
			c := &cells[i]
			if err := t.time(ctx, c); err != nil {
				return fmt.Errorf("%s %s on %d ranks: %w", c.Collective, c.Name, c.Ranks, err)
			}
			copying := q.copies(c.Size())
			c.Time += copying
			c.Average += copying
			finished()
		}
		return nil
	}
	// No more at once: each goroutine takes the memory of a schedule.
	return parallel.Each(ctx, len(keys), min(runtime.GOMAXPROCS(0), 8), each)
}

// timer returns a timer for so many cells on a machine.
func (q question) timer(m simulate.Machine, cells int) *timer {
	return &timer{
		m:        m,
		plain:    len(q.machine.Levels) == 0,
		windowed: model.HasWindow(q.layer.Model),
		loop:     q.Loop,
		most:     q.maxOps(cells),
		few:      q.maxOpsIfAlternative(cells),
	}
}

// addIntervals sets the intervals of the cells; an unknown end is NaN.
func (q question) addIntervals(cells []Timing) {
	for i := range cells {
		c := &cells[i]
		if c.From != "" {
			c.Within = q.within.Of(c.Ranks, c.Time)
			c.AverageWithin = q.within.Of(c.Ranks, c.Average)
		}
	}
}

// platformText returns the platform of the times in words: a sentence with its name,
// then its shape.
func (q question) platformText() string {
	text := q.layer.Ref() + ". " + plain
	if q.ofLevels {
		text += " " + q.layer.Platform +
			" without a layer has its levels, and may take another time."
	}
	if len(q.machine.Levels) > 0 {
		text = q.layer.Platform + ". " + placed.Shape(q.machine, q.Map) + "."
	}
	if note := placed.BlockingNote(q.machine, q.layer); note != "" {
		text += " " + note
	}
	return text
}

// plain lists what the times leave out.
const plain = "Every two ranks are equally far from each other, and messages share nothing " +
	"but the ways in and out of a rank: no levels, no shared memory or NIC."

// A Run is one collective as it was simulated. The result begins after Copying, the time in which
// each rank copies its own data.
type Run struct {
	Timing
	Result  *simulate.Result
	Copying quantity.Micros
}

// Simulate returns what each rank does in one call on a design: one algorithm, one number of ranks
// and one size, and at most one size of segments. The time is that of [Calls.On] by simulation, and
// so are the errors; a schedule of more operations than the calls allow is one too.
func (c Calls) Simulate(ctx context.Context, d platforms.Design) (*Run, error) {
	c.Simulated = true
	q, err := c.on(d)
	if err != nil {
		return nil, err
	}
	_, machine, cells, err := q.prepared(ctx)
	if err != nil {
		return nil, err
	}
	if len(cells) == 0 {
		return nil, q.noCalls()
	}
	run := &Run{Timing: cells[len(cells)-1]} // whole messages come first
	most := q.maxOps(1)
	p, err := programOf(ctx, run.Entry, run.Ranks, standing{run.Call, false, most})
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fmt.Errorf("%s %s on %d ranks with %s has more than %d operations; "+
			"take fewer ranks, or larger segments",
			run.Collective, run.Name, run.Ranks, run.Size(), most)
	}
	if run.Result, err = p.Run(ctx, simulate.Setup{Machine: machine, Record: true}); err != nil {
		return nil, err
	}
	finish, _ := run.Result.Finish()
	run.Copying = q.copies(run.Size())
	run.Time, run.From = finish+run.Copying, Simulated
	return run, nil
}
