package collectives

import (
	"context"
	"errors"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A timer finds the times of one algorithm on one number of ranks: its schedule is made once for
// many sizes.
type timer struct {
	m     simulate.Machine
	plain bool // every two ranks are equally far from each other, and share nothing
	loop  bool // times are of a loop of calls
	most  int  // the operation limit of a schedule
	few   int  // that limit if there is a faster way
	costs map[uint64]collective.Message
	near  [256]struct { // a cache of recent costs
		known bool
		bytes uint64
		collective.Message
	}

	programs map[standing]*simulate.Program // that serve several sizes; nil: too large
	large    map[standing]uint64            // bytes at which whole messages are too large; keys have no size
}

// A standing identifies a program: a call, on all ranks or on one rank alone.
type standing struct {
	pattern collective.Call
	alone   bool
	most    int // operations
}

// time sets the time of a cell: by its schedule if that is small, else by the closed form, else by
// the schedule of one rank, else by its schedule. From stays empty if all are too large.
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

// closed sets the time by the closed form, and reports whether one holds.
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

// messageOf returns a cost for closed forms, in whole picoseconds as in the simulation, so that
// both agree to the last digit.
func messageOf(c simulate.Cost) collective.Message {
	ticks := func(t quantity.Micros) float64 { return math.Round(float64(t) * 1e6) }
	return collective.Message{Send: ticks(c.Send), Latency: ticks(c.Latency), Serialization: ticks(c.Serialization), Receive: ticks(c.Receive), Gap: ticks(c.Gap), ReceiveGap: ticks(c.ReceiveGap)}
}

// simulate runs the schedule, or if alone the schedule of one rank that stands for all. It reports
// whether there is one with at most that many operations.
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

// resized is a machine that charges messages of n bytes as messages of size(n) bytes.
type resized struct {
	simulate.Machine
	size func(uint64) uint64
}

func (r resized) Cost(level int, n uint64) simulate.Cost { return r.Machine.Cost(level, r.size(n)) }

// programOf returns the schedule of a call, ready to run; nil if it has more operations than most,
// or if no rank stands for all.
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
