package collective

import "github.com/halfpeak/halfpeak/engine/schedule"

// Symmetric collectives are simulated with one representative rank, which is faster than building
// all ranks.

// SymmetricSchedule returns a schedule of one rank that represents all ranks, or nil if the ranks
// differ. The rank sends its messages to itself; a message's tag is its distance in places. If all
// pairs of ranks are equally far apart, all ranks run in step, so the finish time is that of the
// full schedule.
func (e Entry) SymmetricSchedule(ranks int, c Call) (*schedule.Schedule, error) {
	if !e.Symmetric {
		return nil, nil
	}
	if err := e.Check(ranks, c); err != nil {
		return nil, err
	}
	p := Part{Group: Group{Size: ranks}, Call: c, b: schedule.NewBuilder(1), alone: true}
	p.b.NextRank()
	e.Algorithm.add(&p, nil, nil)
	s, err := p.b.Build()
	if err != nil {
		return nil, err
	}
	// Every send needs a receive over the same distance. Pairwise exchanges fail this check, since
	// one rank's partner is above it and the other's below.
	open := map[uint32]int{}
	for _, o := range s.Ops() {
		switch o.Kind {
		case schedule.Send:
			open[o.Tag]++
		case schedule.Recv:
			open[o.Tag]--
		}
	}
	for _, n := range open {
		if n != 0 {
			return nil, nil
		}
	}
	return s, nil
}

// Pattern returns a call that has the same schedule as c except for the sizes of messages, and that
// many calls share; size converts its sizes to those of c. ok is false for calls with segments,
// combinations or elements, and for those that cut a message into parts other than halves.
func (e Entry) Pattern(c Call) (pattern Call, size func(uint64) uint64, ok bool) {
	if e.Params&Segment != 0 && c.Segment > 0 || e.Params&Gamma != 0 && c.Gamma > 0 || e.Params&Shape != 0 || c.Element > 1 || c.Bytes == 0 {
		return c, nil, false
	}
	pattern, n := c, c.Bytes
	switch {
	case e.Partition == Multiples:
		pattern.Bytes = 1
		return pattern, func(times uint64) uint64 { return times * n }, true
	case e.Partition == Halves && n >= 2:
		if pattern.Bytes = 2 + n%2; n%2 == 0 {
			return pattern, func(halves uint64) uint64 { return halves * (n / 2) }, true
		}
		parts := [...]uint64{0, n / 2, n - n/2, n}
		return pattern, func(part uint64) uint64 { return parts[part] }, true
	}
	return c, nil, false
}
