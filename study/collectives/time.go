package collectives

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// maxOps returns the operation limit for simulating a schedule when no faster method exists.
func (q Question) maxOps(times int) int {
	if q.Operations > 0 {
		return q.Operations
	}
	return min(1<<20, 1<<32/max(times, 1))
}

// maxOpsIfAlternative returns the operation limit when a faster method exists.
func (q Question) maxOpsIfAlternative(times int) int {
	switch {
	case q.Operations > 0:
		return q.Operations
	case q.quick:
		return 1
	}
	return min(1<<20, 1<<22/max(times, 1))
}

// A timer finds the times of one algorithm among so many ranks: its schedule is made once for
// many sizes.
type timer struct {
	m     simulate.Machine
	plain bool // every two ranks are equally far from each other, and share nothing
	loop  bool // times are those of a loop of calls
	most  int  // operations of a schedule; see Question
	few   int
	costs map[uint64]collective.Message
	near  [256]struct { // of the costs, those that were wanted last
		known bool
		bytes uint64
		collective.Message
	}

	programs map[standing]*simulate.Program // that stand for others; nil: too large
	large    map[standing]uint64            // bytes at which whole messages are too large; key: of no size
}

// cost returns the cost of a message of n bytes, for closed forms.
func (t *timer) cost(n uint64) collective.Message {
	near := &t.near[(n^n>>8^n>>16)&255]
	if near.known && near.bytes == n {
		return near.Message
	}
	cost, known := t.costs[n]
	if !known {
		cost = messageOf(t.m.Cost(0, n))
		if t.costs == nil || len(t.costs) > 1<<16 {
			t.costs = map[uint64]collective.Message{}
		}
		t.costs[n] = cost
	}
	near.known, near.bytes, near.Message = true, n, cost
	return cost
}

// A standing is what a program is of.
type standing struct {
	pattern collective.Call
	alone   bool
	most    int // operations
}

// run times the cells, on all processors. Those of one algorithm among as many ranks are timed
// one after the other.
func (q Question) run(ctx context.Context, cells []Timing, m simulate.Machine) error {
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
	timers := sync.Pool{New: func() any {
		return &timer{m: m, plain: len(q.Machine.Levels) == 0, loop: q.Loop, most: q.maxOps(len(cells)), few: q.maxOpsIfAlternative(len(cells))}
	}}
	var mutex sync.Mutex
	done := 0
	finished := func() {
		mutex.Lock()
		defer mutex.Unlock()
		if done++; q.Progress != nil {
			q.Progress(done, len(cells))
		}
	}
	// Each goroutine takes the memory of a schedule.
	return parallel.Each(ctx, len(keys), min(runtime.GOMAXPROCS(0), 8), func(ctx context.Context, k int) error {
		t := timers.Get().(*timer)
		defer timers.Put(t)
		t.programs, t.large = map[standing]*simulate.Program{}, map[standing]uint64{}
		for _, i := range units[keys[len(keys)-1-k]] { // the largest first
			if err := t.time(ctx, &cells[i]); err != nil {
				return fmt.Errorf("%s %s on %d ranks: %w", cells[i].Collective, cells[i].Name, cells[i].Ranks, err)
			}
			copying := q.Copy.Times(quantity.Bytes(cells[i].Call.Bytes))
			cells[i].Time += copying
			cells[i].Average += copying
			finished()
		}
		return nil
	})
}

// time finds the time of a cell: by its schedule if that is small, by the closed form, by the
// schedule of one rank, and by its schedule after all. It has no From if there is none.
func (t *timer) time(ctx context.Context, c *Timing) error {
	if t.loop {
		p, err := programOf(ctx, c.Entry, c.Ranks, standing{c.Call, false, t.most})
		if err != nil || p == nil {
			return err
		}
		return c.loop(ctx, t.m)
	}
	if done, err := t.simulate(ctx, c, false, t.few); done || err != nil || t.closed(c) {
		return err
	}
	if done, err := t.simulate(ctx, c, true, t.most); done || err != nil || t.few == t.most {
		return err
	}
	_, err := t.simulate(ctx, c, false, t.most)
	return err
}

// closed is the closed form, if there is one that holds.
func (t *timer) closed(c *Timing) bool {
	if !t.plain {
		return false
	}
	combine := func(n uint64) float64 { return math.Round(c.Call.Gamma*float64(n)) * 1e3 } // whole ns
	picos, holds := c.Entry.Time(collective.Model{Gamma: c.Call.Gamma, Combine: combine, Messages: t.cost}, c.Ranks, c.Call)
	if !holds {
		return false
	}
	c.Time, c.From = quantity.Micros(picos/1e6), ClosedForm
	return true
}

// messageOf is a cost as closed forms see it, in whole picoseconds as the simulation does, so that
// both agree to the last digit.
func messageOf(c simulate.Cost) collective.Message {
	ticks := func(t quantity.Micros) float64 { return math.Round(float64(t) * 1e6) }
	return collective.Message{Send: ticks(c.Send), Latency: ticks(c.Latency), Serialization: ticks(c.Serialization), Receive: ticks(c.Receive), Gap: ticks(c.Gap), ReceiveGap: ticks(c.ReceiveGap)}
}

// simulate runs the schedule, or that of one rank that stands for all, and reports whether there is
// one with so many operations at most.
func (t *timer) simulate(ctx context.Context, c *Timing, alone bool, most int) (bool, error) {
	m, of := t.m, standing{c.Call, alone, most}
	if alone && !(c.Symmetric && t.plain) {
		return false, nil
	}
	pattern, size, ok := c.Pattern(c.Call)
	if ok = ok && t.plain; ok {
		of.pattern, m = pattern, resized{m, size}
	}
	p, known := t.programs[of]
	whole := of
	whole.pattern.Bytes = 0
	if n := t.large[whole]; n > 0 && of.pattern.Segment == 0 && of.pattern.Bytes >= n {
		return false, nil // a larger message is cut into as many pieces at least
	}
	if !known {
		var err error
		if p, err = programOf(ctx, c.Entry, c.Ranks, of); err != nil {
			return false, err
		}
		if ok {
			t.programs[of] = p
		} else if p == nil && t.large != nil {
			t.large[whole] = of.pattern.Bytes
		}
	}
	if p == nil {
		return false, nil
	}
	r, err := p.Run(ctx, simulate.Options{Machine: m})
	if err != nil {
		return false, err
	}
	c.Time, _ = r.Finish()
	sum := 0.0
	for _, ticks := range r.Ranks {
		sum += float64(r.Micros(ticks))
	}
	c.Average, c.From = quantity.Micros(sum/float64(len(r.Ranks))), Simulated
	return true, nil
}

// resized is a machine on which a message costs what another does elsewhere.
type resized struct {
	simulate.Machine
	size func(uint64) uint64
}

func (r resized) Cost(level int, n uint64) simulate.Cost { return r.Machine.Cost(level, r.size(n)) }

// programOf is the schedule of a call, ready to run, or nil if it has more operations than most, or
// if no rank stands for all.
func programOf(ctx context.Context, e collective.Entry, ranks int, of standing) (*simulate.Program, error) {
	c, most := of.pattern, of.most
	if e.Params&collective.Segment != 0 && c.Segment > 0 && c.Bytes/c.Segment > uint64(most/ranks) {
		return nil, nil // not even begun
	}
	if !of.alone && c.Bytes > 0 && 2*(ranks-1) > most {
		return nil, nil // each but one gets a message, or gives one
	}
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
