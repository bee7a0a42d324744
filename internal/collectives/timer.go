package collectives

import (
	"context"
	"errors"
	"math"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A timer finds the times of one algorithm on one number of ranks: its schedule is
// made once for many sizes. It is not safe for several goroutines; [described.estimates]
// gives each its own.
type timer struct {
	m        simulate.Machine
	plain    bool // every two ranks are equally far from each other, and share nothing
	windowed bool // two ranks share a window, which one rank that stands for all does not
	loop     bool // times are of a loop of calls
	most     int  // the operation limit of a schedule
	few      int  // that limit if there is a faster way

	record   bool // results have critical paths
	programs *compiled
	// large has the bytes at which a schedule of whole messages was too large, by a standing
	// without its size: larger messages are then not tried.
	large map[standing]uint64
}

// fresh returns the timer for another algorithm or number of ranks: it keeps their programs.
func (t timer) fresh() *timer {
	t.programs, t.large = newCompiled(false), map[standing]uint64{}
	return &t
}

// Compiled are the programs of one algorithm and number of ranks that are run again. Several timers
// may have them in common.
type compiled struct {
	mutex sync.Mutex
	of    map[standing]*simulate.Program // nil: too large
	all   bool                           // also of calls that have the only size of their pattern
}

func newCompiled(all bool) *compiled {
	return &compiled{of: map[standing]*simulate.Program{}, all: all}
}

func (p *compiled) get(of standing) (found *simulate.Program, known bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	found, known = p.of[of]
	return found, known
}

// put keeps a program. Calls that are run again may differ in each run, as by their time to combine
// a byte, so that old programs are dropped: each may have a million operations.
func (p *compiled) put(of standing, made *simulate.Program) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.all && len(p.of) >= maxKept {
		clear(p.of)
	}
	p.of[of] = made
}

// maxKept is the number of programs that are kept of a call that is run again.
const maxKept = 4

// A standing identifies a program: a call, on all ranks or on one rank alone.
type standing struct {
	pattern collective.Call
	alone   bool
	most    int // operations
}

// time returns the time of a cell by a simulated schedule, by the cheapest way that
// gives the same time: one rank, if all are alike; one rank of a call with larger
// shares, if it takes as long; else all ranks. From stays empty if there are too many
// operations.
func (t *timer) time(ctx context.Context, c Cell) (Estimate, error) {
	if t.loop {
		p, err := programOf(ctx, c.Entry, c.Ranks, standing{c.Call, false, t.most})
		if err != nil || p == nil {
			return unknown(), err
		}
		return c.loop(ctx, t.m)
	}
	if e, err := t.simulate(ctx, c, c.Call, true, t.most); e.From != "" || err != nil {
		return e, err
	}
	larger, ok := t.largestShares(c)
	if !ok {
		e, err := t.simulate(ctx, c, c.Call, false, t.most)
		if e.From != "" || err != nil || t.record {
			return e, err
		}
		return t.firstSteps(ctx, c)
	}
	// The ranks of the larger call end together, those of this call do not: only the whole
	// schedule has their average.
	if e, err := t.simulate(ctx, c, c.Call, false, t.few); e.From != "" || err != nil {
		return e, err
	}
	e, err := t.simulate(ctx, c, larger, true, t.most)
	e.Average = quantity.Unknown
	return e, err
}

// leastSteps is the number of steps below which those of a ring on several levels may still differ
// from the later ones.
const leastSteps = 16

// firstSteps returns the time of a call of rings from as many of their first steps as are small
// enough, and half as many: the later ones take what these differ by. From is empty if there are
// too few.
func (t *timer) firstSteps(ctx context.Context, c Cell) (Estimate, error) {
	all, most := c.RingSteps(c.Ranks, c.Call), 0
	var of [2]Estimate
	for steps := leastSteps; steps < all; steps *= 2 {
		first := c
		first.Entry = c.First(steps)
		e, err := (&timer{m: t.m, programs: newCompiled(false)}).simulate(ctx, first, c.Call,
			false, t.most)
		if err != nil {
			return e, err
		}
		if e.From == "" {
			break
		}
		most, of[0], of[1] = steps, of[1], e
	}
	if most < 2*leastSteps {
		return unknown(), nil
	}
	e := of[1]
	later := quantity.Micros(2*float64(all)/float64(most) - 2)
	e.Time += later * (of[1].Time - of[0].Time)
	e.Average += later * (of[1].Average - of[0].Average)
	e.From = FirstSteps
	return e, nil
}

// largestShares returns a call whose ranks are alike and that takes as long as the cell's. That
// holds if nothing but the chain of messages delays a rank: its processor has sent its own message
// when the next one comes in (no negative latency), and its interface is busy for no longer than a
// message is under way.
func (t *timer) largestShares(c Cell) (collective.Call, bool) {
	larger, share, ok := c.LargestShares(c.Ranks, c.Call)
	if !ok || !t.plain || t.windowed {
		return larger, false
	}
	one := t.m.Cost(0, share)
	// Whole picoseconds, as in the simulation: with a linear layer both sides are equal.
	ticks := func(t quantity.Micros) float64 { return math.Round(float64(t) * 1e6) }
	underWay := ticks(one.Send) + ticks(one.Latency) + ticks(one.Serialization) + ticks(one.Receive)
	busy := max(ticks(one.Gap), ticks(one.ReceiveGap))
	return larger, one.Latency >= 0 && busy <= underWay
}

// simulate returns the time of the call of a cell, by the schedule of all ranks, or if alone of one
// rank that stands for all. Without one of at most that many operations, From is empty.
func (t *timer) simulate(ctx context.Context, c Cell, call collective.Call, alone bool,
	most int) (Estimate, error) {
	m, of, e := t.m, standing{call, alone, most}, unknown()
	// On a machine of levels the ranks have different neighbours, so none stands for all.
	if alone && (!t.plain || t.windowed) {
		return e, nil
	}
	// Calls of many sizes have schedules of the same pattern. The pattern is built once, and
	// resized charges its messages as those of the call.
	pattern, size, ok := c.Pattern(call)
	if ok = ok && t.plain; ok {
		of.pattern, m = pattern, resized{m, size}
	}
	p, known := t.programs.get(of)
	whole := of
	whole.pattern.Bytes = 0
	if n := t.large[whole]; n > 0 && of.pattern.Segment == 0 && of.pattern.Bytes >= n {
		return e, nil // a larger message is cut into as many pieces at least
	}
	if !known {
		var err error
		if p, err = programOf(ctx, c.Entry, c.Ranks, of); err != nil {
			return e, err
		}
		if ok || t.programs.all {
			// Kept only if it is run again: a schedule can have a million operations.
			t.programs.put(of, p)
		} else if p == nil && !alone && t.large != nil {
			t.large[whole] = of.pattern.Bytes
		}
	}
	if p == nil {
		return e, nil
	}
	r, err := p.Run(ctx, simulate.Setup{Machine: m, Record: t.record})
	if err != nil {
		return e, err
	}
	if t.record {
		e.result = r
	}
	e.Time, _ = r.Finish()
	e.Average, e.From = average(r), Simulated
	return e, nil
}

// average returns the mean over ranks of when they are done.
func average(r *simulate.Result) quantity.Micros {
	sum := 0.0
	for _, ticks := range r.Ranks {
		sum += float64(r.Micros(ticks))
	}
	return quantity.Micros(sum / float64(len(r.Ranks)))
}

// resized is a machine that charges messages of n bytes as messages of size(n) bytes:
// the pattern of a schedule is kept, and its messages are given their sizes when they
// are priced.
type resized struct {
	simulate.Machine
	size func(uint64) uint64
}

func (r resized) Cost(level int, n uint64) machine.Cost { return r.Machine.Cost(level, r.size(n)) }

// programOf returns the schedule of a call, ready to run; nil if it has more
// operations than most, or if no rank stands for all. Two cheap lower bounds of the
// operations come first, since the schedule of a million ranks takes long to refuse.
func programOf(ctx context.Context, e collective.Entry, ranks int, of standing) (
	*simulate.Program, error) {
	c, most := of.pattern, of.most
	parts := ranks
	if of.alone {
		parts = 1
	}
	if e.Params&collective.Segment != 0 && c.Segment > 0 && c.Bytes/c.Segment > uint64(most/parts) {
		return nil, nil // not even begun
	}
	if !of.alone && c.Bytes > 0 && 2*(ranks-1) > most {
		return nil, nil // each but one gets a message, or gives one
	}
	// Algorithms without a root ignore it, and equal calls then share a program.
	if e.Params&collective.Root == 0 {
		c.Root = 0
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var s *schedule.Schedule
	var err error
	if of.alone {
		s, err = e.SymmetricSchedule(ranks, c)
	} else {
		s, err = e.ScheduleLimit(ctx, most, ranks, c)
	}
	if errors.As(err, new(collective.TooLarge)) || err == nil && s == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return simulate.New(s)
}
