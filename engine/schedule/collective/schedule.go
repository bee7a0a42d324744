package collective

import (
	"context"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Schedule is like Algorithm.Schedule, but returns the error of Check.
func (e Entry) Schedule(ranks int, c Call) (*schedule.Schedule, error) {
	if err := e.Check(ranks, c); err != nil {
		return nil, err
	}
	return e.ScheduleLimit(context.Background(), maxOperations, ranks, c)
}

// ScheduleLimit is like Schedule, but does not check the call, and returns a TooLarge error above
// the given number of operations, as early as it can. It returns the error of ctx when that is
// done.
func (e Entry) ScheduleLimit(ctx context.Context, most, ranks int, c Call) (*schedule.Schedule,
	error) {
	if e.Params&Root == 0 {
		c.Root = 0
	}
	return limits{min(most, maxOperations), e.alike(ranks, c) != asymmetric}.schedule(ctx,
		e.Algorithm, nil, ranks, c, 1, nil)
}

// alike returns the symmetry of a call. The substitute that runs under the entry's conditions
// may have another one. Members with shares of different sizes are not alike.
func (e Entry) alike(ranks int, c Call) symmetry {
	c = e.padded(ranks, c)
	e = e.Runs(ranks, c)
	if e.striped(c) || c.Order.given() || e.symmetry == exchanged && !isPower(ranks) ||
		e.partition == shares && !c.equalShares(ranks) {
		return asymmetric
	}
	return e.symmetry
}

// Turns reports whether the part of each member is that of the member so many places before it,
// with the places of its peers as many further.
func (e Entry) Turns(ranks, by int, c Call) bool {
	if by%ranks == 0 {
		return true
	}
	if !e.striped(c) || c.Order.given() {
		return e.alike(ranks, c) == shifted
	}
	// Channels rotate the places of a node, and the last node may have fewer.
	if c.PerNode > 1 && (by%c.PerNode != 0 || ranks%c.PerNode != 0) {
		return false
	}
	c = e.padded(ranks, c)
	e.pads = false
	n, border := c.stripes(ranks, e.InBlocks())
	c.Channels = 1
	for i := range n {
		c.Bytes = border(i+1) - border(i)
		if e.alike(ranks, c) != shifted {
			return false
		}
	}
	return true
}

// SymmetricSchedule returns a schedule of one rank that represents all ranks, or nil if the ranks
// differ. The rank sends its messages to itself. The tag of a message is its distance, by which its
// receive finds it: of a shift or of an exchange. If all pairs of ranks are equally far apart, all
// ranks run in step, so the finish time is that of the full schedule.
func (e Entry) SymmetricSchedule(ranks int, c Call) (*schedule.Schedule, error) {
	if err := e.Check(ranks, c); err != nil {
		return nil, err
	}
	alike := e.alike(ranks, c)
	if alike == asymmetric {
		return nil, nil
	}
	p := member{Group: Group{Size: ranks}, Call: c, b: schedule.NewBuilder(1), alone: alike}
	p.b.NextRank()
	e.Algorithm.add(&p, nil, nil)
	return p.b.Build()
}

// RingSteps returns the number of steps of each ring of a call that is made of rings alone, which
// all members go through together; 0 of other calls.
func (e Entry) RingSteps(ranks int, c Call) int {
	rings := e.Name == "ring" && e.Runs(ranks, c).Name == e.Name
	switch e.Collective {
	case "allreduce", "allgather":
		if rings {
			return ranks - 1
		}
	}
	return 0
}

// First returns an algorithm of rings that ends each of them after the given number of steps.
func (e Entry) First(steps int) Entry {
	whole := e.Algorithm
	e.Algorithm = func(p *member) {
		p.steps = steps
		whole(p)
		p.steps = 0
	}
	return e
}

// LargestShares returns the call that [Entry.SymmetricSchedule] takes instead of a call whose
// message a ring divides into shares of two sizes: all shares have the larger size. A share of that
// size goes around the ring, so both calls end at the same time, unless a rank has to wait for its
// own processor or interface. ok is false for all other calls.
func (e Entry) LargestShares(ranks int, c Call) (larger Call, share uint64, ok bool) {
	c = e.padded(ranks, c)
	e = e.Runs(ranks, c)
	if e.Collective != "allreduce" || e.Name != "ring" || !c.wholeElements() {
		return c, 0, false
	}
	share = (c.elements() + uint64(ranks) - 1) / uint64(ranks) * c.element()
	c.Bytes = share * uint64(ranks)
	return c, share, true
}
