package collectives

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A described source simulates the schedules of algorithms with the costs of a design's messages.
// Without levels, the layer connects every two ranks: there are no distances, and messages share
// nothing but the ways in and out of a rank.
type described struct {
	Calls  // with the time to combine a byte
	design platforms.Design
	costs  platforms.Costs     // of the design, or changed ones
	within calibrate.Deviation // of the times
	known  bool                // within is of this machine, or of ones that are like it
	on     simulate.Machine    // has places for the largest number of ranks
	timer  *timer
}

// planDescribed returns the plan of simulated calls.
func (b Basis) planDescribed(ctx context.Context) (*Plan, error) {
	s := b.Calls.describe(b.design, b.design.Costs())
	all, err := s.algorithms(b.design.Platform.Library)
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	if err := s.place(); err != nil {
		return nil, err
	}
	cells, err := s.cells(ctx, all)
	if err != nil && ctx.Err() == nil {
		err = usage.Error{Err: err}
	}
	if err != nil {
		return nil, err
	}
	s.timer = s.timerOf(len(cells))
	return &Plan{b, all, cells, s}, nil
}

// describe returns the source of calls on a design with these costs. The time to combine a byte is
// that of the costs, if the algorithms combine and the calls have none of their own.
func (c Calls) describe(d platforms.Design, costs platforms.Costs) described {
	combines := func(e collective.Entry) bool { return e.Params&collective.Gamma != 0 }
	if c.Call.Gamma == 0 && slices.ContainsFunc(collective.Of(c.Collective), combines) {
		c.Call.Gamma = costs.Combine.Nanos()
	}
	d.Layer.Model = costs.Layer
	s := described{Calls: c, design: d, costs: costs, within: calibrate.DeviationOf(d.Platform)}
	if s.known = s.within != (calibrate.Deviation{}); !s.known {
		s.within = calibrate.Simulated()
	}
	return s
}

// place places the ranks: calls on fewer ranks than the largest number use the first places.
func (s *described) place() (err error) {
	most := slices.Max(append([]int{1}, s.Ranks...))
	s.on, err = placed.Machine(s.costs.Machine, s.design.Layer, s.Map, most, simulate.NoLimit)
	return err
}

// cells returns the calls to be timed. A grid of many ranks and sizes takes seconds, so it ends
// with the context.
func (s described) cells(ctx context.Context, all Algorithms) (cells []Cell, err error) {
	for _, ranks := range stats.Ascending(s.Ranks) {
		g := s.group(ranks)
		for _, size := range s.sizes() {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			here, err := g.cells(all, size)
			if err != nil {
				return nil, err
			}
			cells = append(cells, here...)
		}
	}
	return cells, nil
}

// A group is the ranks that call.
type group struct {
	described
	ranks     int
	nodes     collective.Nodes
	latencies map[model.LogP]quantity.Micros // see [latencyBound]
}

func (s described) group(ranks int) group {
	on := nodes(s.costs.Machine, s.Map, ranks)
	return group{s, ranks, on, map[model.LogP]quantity.Micros{}}
}

// cells returns the calls of one size.
func (g group) cells(all Algorithms, size quantity.Bytes) (cells []Cell, err error) {
	here := all
	if g.Algorithm == "" {
		e, _ := g.design.Platform.Library.Default(g.Collective, g.ranks, uint64(size))
		here = slices.DeleteFunc(slices.Clone(all), func(o collective.Entry) bool {
			return o.Name != e.Name
		})
	}
	segments := append([]quantity.Bytes{0}, stats.Ascending(g.Segments)...) // 0: whole messages
	for _, e := range here {
		call, err := onNodes(g.design.Platform.Library, e, g.Call, g.nodes)
		if err != nil {
			return nil, err
		}
		// Some algorithms are for one number of ranks, or for several nodes. Among several they are
		// left out elsewhere; asked for alone, Check returns the error.
		if len(all) > 1 && !serves(e, g.ranks, call) {
			continue
		}
		for _, segment := range segments {
			// A segment of the whole message is the whole message, which is in the list already.
			if segment > 0 && (segment >= size || e.Params&collective.Segment == 0) {
				continue
			}
			c := newCell(e, g.ranks, g.sized(e, call, uint64(size), uint64(segment)))
			if err := e.Check(g.ranks, c.Call); err != nil {
				return nil, err
			}
			cells = append(cells, c)
		}
	}
	g.bound(cells)
	return cells, nil
}

// serves reports whether an algorithm is for so many ranks and for the nodes of a call, so that it
// is tried among others. One in two levels is another algorithm elsewhere.
func serves(e collective.Entry, ranks int, c collective.Call) bool {
	return (e.Ranks == 0 || e.Ranks == ranks) && (e.Most == 0 || ranks <= e.Most) &&
		(e.Params&collective.PerNode == 0 || e.Runs(ranks, c).Name == e.Name)
}

// sized returns a call of an algorithm with its sizes and, if that depends on the costs of
// messages, the shape of its tree.
func (g group) sized(e collective.Entry, c collective.Call, bytes, segment uint64) collective.Call {
	c.Bytes, c.Segment = bytes, segment
	if e.Params&collective.Shape != 0 {
		c.LogP = logPOf(g.on, g.ranks, c)
	}
	return c
}

// bound sets the lower bounds by any algorithm of calls of one size. On a machine of several
// levels, messages between near ranks are cheaper than the bounds assume.
func (g group) bound(cells []Cell) {
	if len(g.costs.Machine.Levels) > 1 || len(cells) == 0 {
		return
	}
	bytes := cells[0].Call.Bytes
	latency := latencyBound(g.on, g.ranks, bytes, g.latencies)
	bandwidth := bandwidthBound(g.on, g.Collective, g.ranks, bytes)
	for i := range cells {
		cells[i].LatencyBound, cells[i].BandwidthBound = latency, bandwidth
	}
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

// estimates times the cells on all processors. Cells of the same algorithm and number of
// ranks are timed one after the other, by one timer, which reuses their programs.
func (s described) estimates(ctx context.Context, cells []Cell) ([]Estimate, error) {
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
	all := make([]Estimate, len(cells))
	var mutex sync.Mutex
	done := 0
	finished := func() {
		mutex.Lock()
		defer mutex.Unlock()
		if done++; s.Progress != nil {
			s.Progress(done, len(cells))
		}
	}
	each := func(ctx context.Context, k int) (err error) {
		unit := s
		unit.timer = s.timer.fresh()
		// Units with many ranks take the longest. Begun last, one of them would run alone at the
		// end.
		for _, i := range units[keys[len(keys)-1-k]] { // the largest first
			c := cells[i]
			if all[i], err = unit.Time(ctx, c); err != nil {
				return fmt.Errorf("%s %s on %d ranks: %w", c.Collective, c.Name, c.Ranks, err)
			}
			finished()
		}
		return nil
	}
	// No more at once: each goroutine takes the memory of a schedule.
	err := parallel.Each(ctx, len(keys), min(runtime.GOMAXPROCS(0), 8), each)
	return all, err
}

// Time returns the time of a call; an unknown end of its intervals is NaN. From is empty if no
// schedule is small enough.
func (s described) Time(ctx context.Context, c Cell) (Estimate, error) {
	e, err := s.timer.time(ctx, c)
	if err != nil || e.From == "" {
		return e, err
	}
	copying := s.copies(c.Size())
	e.Time += copying
	e.Average += copying
	s.interval(&e, c.Ranks)
	e.expected = e.Time
	return e, nil
}

// interval sets the intervals of the times of an estimate.
func (s described) interval(e *Estimate, ranks int) {
	e.Within, e.AverageWithin = s.within.Of(ranks, e.Time), s.within.Of(ranks, e.Average)
}

// copies returns the time in which each rank first copies its own data. It delays all ranks alike,
// and no schedule contains it.
func (s described) copies(size quantity.Bytes) quantity.Micros {
	if !collective.CopiesOwn(s.Collective) {
		return 0
	}
	return s.costs.Copy.Times(size)
}

// timerOf returns a timer for so many cells.
func (s described) timerOf(cells int) *timer {
	return &timer{
		m:        s.on,
		plain:    len(s.costs.Machine.Levels) == 0,
		windowed: model.HasWindow(s.costs.Layer),
		loop:     s.Loop,
		most:     s.maxOps(cells),
		few:      s.maxOpsIfAlternative(cells),
	}
}

// maxOps returns the operation limit for simulating a schedule when no faster method
// exists: a schedule of 2²⁰ operations takes a few tenths of a second
// (docs/simulate.md), and 2³² for all times keep an answer below half an hour of one
// processor. A few times may have 2²² together: a ring of 1,000 ranks has 2 million.
func (c Calls) maxOps(times int) int {
	if c.Operations > 0 {
		return c.Operations
	}
	times = max(times, 1)
	return min(max(1<<20, 1<<22/times), 1<<32/times)
}

// maxOpsIfAlternative returns the operation limit when a faster method exists, which
// lacks the average alone. 2²² for all times are about a second, so that a map of
// hundreds of times comes at once.
func (c Calls) maxOpsIfAlternative(times int) int {
	if c.Operations > 0 {
		return c.Operations
	}
	return min(1<<20, 1<<22/max(times, 1))
}

// remark adds what the times are of, and how far they may be off.
func (s described) remark(t *Times) {
	t.On, t.Within = s.text(), s.within
	if !s.known {
		t.Off = calibrate.OfSimulations("real times were")
	}
	t.Notes = append(s.doubts(), calibrate.MeasuredAs(s.design.Platform, s.Collective)...)
	for _, c := range t.plan.Cells {
		if c.Call.Channels > 1 {
			t.Notes = remark.Add(t.Notes, remark.Channels(c.Name, c.Call.Channels))
		}
	}
}

// doubts says that the choice of a library is not known, that messages are larger than those that
// the layer was fitted to, and how far the times may be off; if the collective was measured, but on
// no two numbers of ranks that a fit could go by, that.
func (s described) doubts() (all []remark.Note) {
	layer, sizes := s.design.Layer, s.sizes()
	if l := s.design.Platform.Library; s.Algorithm == "" && l.Name != "" && !s.chosenBy(l) {
		all = append(all, remark.ChoiceUnknown(l.Name, s.Collective))
	}
	_, last, measured := layer.MeasuredRange()
	if measured && len(s.design.Platform.Levels) == 0 && slices.Max(sizes) > last {
		all = append(all, remark.Extrapolated(layer.Ref(), last))
	}
	for _, l := range s.design.Platform.Layers {
		if l.Timed.Of == platforms.Collective && l.Timed.Collective == timedName(s.Collective) &&
			l.Timed.Ranks > 0 {
			return append(all, remark.OnRanksAlone(s.Collective, l.Timed.Ranks))
		}
	}
	return append(all, s.deviates())
}

// chosenBy reports whether the choices of the library are known for all calls.
func (s described) chosenBy(l collective.Library) bool {
	all := collective.Of(s.Collective)
	for _, ranks := range s.Ranks {
		for _, size := range s.sizes() {
			if _, known := l.Choice(all, ranks, uint64(size)); !known {
				return false
			}
		}
	}
	return true
}

// deviates says how far the times may be off on this machine.
func (s described) deviates() remark.Note {
	if !s.known {
		return remark.Deviates(calibrate.Deviation{}.String(), false)
	}
	return remark.Deviates(s.within.String(), true)
}

// text returns the platform of the times in words: a sentence with its name, then its shape.
func (s described) text() string {
	layer, m := s.design.Layer, s.costs.Machine
	text := layer.Ref() + ". " + plain
	if len(s.design.Platform.Levels) > 0 {
		text += " " + layer.Platform +
			" without a layer has its levels, and may take another time."
	}
	if len(m.Levels) > 0 {
		text = layer.Platform + ". " + placed.Shape(m, s.Map) + "."
	}
	for _, n := range placed.Blocking(m, layer) {
		text += " " + n.String()
	}
	return text
}

// plain lists what the times leave out.
const plain = "Every two ranks are equally far from each other, and messages share nothing " +
	"but the ways in and out of a rank: no levels, no shared memory or NIC."
