package collective

import "github.com/halfpeak/halfpeak/engine/schedule"

// A schedule of many ranks takes longer to make, and to run, than a smaller one that stands for it.

// SymmetricSchedule is a schedule of one rank that stands for all: its messages go to itself, with the
// distance that they go as tag. Where every two ranks are equally far from each other, whatever
// happens at one happens at all at the same time, so it takes as long as the whole. It is nil if
// the members are not alike.
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
	// What goes out has to come in: of members that exchange, one sees the other above, and one below.
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

// Pattern is a call whose schedule is that of c but for the sizes of messages, and the same for
// many c; size gives the one for the other. It is false for calls that have none: with
// segments, combinations or elements, and where a message is cut in parts that are no halves.
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
