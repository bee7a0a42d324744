package simulate

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// A Sequence is a schedule in parts that follow each other. Each part ends on each rank with one
// computation, for which the next part of the rank waits. Its messages are received within it, and
// what follows on a rank begins with a computation: parts of a program end at collectives that all
// ranks call. Parts that are equal are one program.
//
// A part that was simulated is not simulated again from the same state: when each rank may begin
// with it, and which of its NICs are busy then, also with messages of the part before that queue at
// them, relative to the first of these moments. That is all that its outcome depends on if no
// message of a part is sent before the part before has ended on all ranks: then no resource that
// ranks share has anything left of it. A run checks this, and ends with ErrOverlap if it does not
// hold.
//
// A part may have fewer ranks, each of which then stands for all that are equal to it modulo their
// number. A run checks that these are in one state when the part begins, else it ends with
// ErrUneven.
//
// Where NICs interleave messages, ranks begin up to 10 ns apart, and the moments at which they
// leave a part of many messages do not repeat to the tick. There two states are equal if they
// differ by little, see Tolerance; elsewhere a sequence ends on each rank at the tick of the whole
// schedule.
type Sequence struct {
	Ranks int // of all parts, or more than they have
	Parts []*Program
	Order []int32 // indices of parts
	// Tolerance is the part of the time of a part by which the moments at which ranks leave it may
	// differ in equal states, where NICs interleave messages.
	Tolerance float64
}

// A SequenceResult is the outcome of a run of a sequence. Its result has no marks.
type SequenceResult struct {
	*Result
	Simulated int // parts that were simulated; the other ones of Order were kept

	order  []int32
	exits  []*exit // by place in the order
	lastOf []int   // by rank: the place of the part that gives its finish
}

// An exit is what a run of a part leaves.
type exit struct {
	from *partState // in which it began
	partState
	base  uint64 // ticks from the first readiness at its begin to that at its end
	first uint64 // when its first message is sent; the largest number if none is
	last  uint64 // when its last event is
	// overlaps is set if what is left is more than the state: nothing may follow.
	overlaps bool
	leaves   []leave // by rank
	*Result
}

// Run runs the sequence by the default rules and without noise. visit is called for each part in
// its order, with the ticks at which it begins, relative to which the marks of its result are.
func (s *Sequence) Run(ctx context.Context, o Setup, visit func(part int32, begin uint64,
	r *Result)) (*SequenceResult, error) {
	if o.Rules != Default || o.Noise != (Noise{}) || o.Reversed {
		return nil, errors.New("a sequence runs by the default rules, in their order and " +
			"without noise")
	}
	all := &SequenceResult{Result: &Result{Ranks: make([]uint64, s.Ranks)}, order: s.Order,
		lastOf: make([]int, s.Ranks)}
	if o.Parts {
		all.Parts = make([]Parts, s.Ranks)
	}
	kept := make([][]*exit, len(s.Parts))
	var from *partState // nil: the begin of the run
	begin, last := uint64(0), uint64(0)
	for i, part := range s.Order {
		p := s.Parts[part]
		if from = from.among(p.s.Ranks()); from == nil && i > 0 {
			return nil, ErrUneven
		}
		at := slices.IndexFunc(kept[part], func(e *exit) bool { return from.equals(e.from) })
		if at < 0 {
			e, err := p.runPart(ctx, o, from, s.Tolerance)
			if err != nil {
				return nil, err
			}
			at, kept[part] = len(kept[part]), append(kept[part], e)
			all.Simulated++
		}
		e := kept[part][at]
		early := i > 0 && e.first < math.MaxUint64 && begin+e.first <= last
		if early || e.overlaps && i+1 < len(s.Order) {
			return nil, ErrOverlap
		}
		last = max(last, begin+e.last)
		all.exits = append(all.exits, e)
		for rank := range all.Ranks {
			if end := begin + e.Ranks[rank%len(e.Ranks)]; end >= all.Ranks[rank] {
				all.Ranks[rank], all.lastOf[rank] = end, i
			}
		}
		for rank := range all.Parts {
			one := e.Parts[rank%len(e.Parts)]
			all.Parts[rank].Computing += one.Computing
			all.Parts[rank].Messages += one.Messages
		}
		all.Events += e.Events * uint64(s.Ranks/len(e.Ranks))
		all.Assumed = all.Assumed || e.Assumed
		visit(part, begin, e.Result)
		from, begin = &e.partState, begin+e.base
	}
	return all, nil
}

// runPart runs the program from a state.
func (p *Program) runPart(ctx context.Context, o Setup, from *partState, tolerance float64) (
	*exit, error) {
	r, err := p.newRun(ctx, o)
	if err != nil {
		return nil, err
	}
	defer r.giveBack()
	r.entered, r.firstSend, r.leaves = from, math.MaxUint64, make([]leave, 0, p.s.Ranks())
	if err := r.simulate(o); err != nil {
		return nil, err
	}
	res, err := r.result(o)
	if err != nil {
		return nil, ErrOverlap // messages of another part; else the whole schedule has the error
	}
	e := &exit{from: from, first: r.firstSend, last: r.lastEvent, Result: res}
	if e.overlaps = !r.leave(e); r.shared != nil && r.shared.byNIC {
		e.slack, e.skew = uint64(tolerance*float64(e.base)), mostSkew
	}
	return e, nil
}

// leave sets the state in which the run ends. It returns false if more is left than that.
func (r *run) leave(e *exit) bool {
	ranks := r.s.Ranks()
	if len(r.leaves) < ranks || len(r.windows) > 0 || len(r.transit) > 0 {
		return false
	}
	if r.flows != nil {
		for _, turn := range r.flows.turns {
			e.last = max(e.last, turn.next)
		}
	}
	first := func(a, b leave) int { return cmp.Compare(a.time, b.time) }
	e.base = slices.MinFunc(r.leaves, first).time
	final := slices.MaxFunc(r.leaves, first).time
	e.ready, e.leaves = make([]uint64, ranks), make([]leave, ranks)
	for _, l := range r.leaves {
		e.order = append(e.order, l.rank)
		e.ready[l.rank], e.leaves[l.rank] = l.time-e.base, l
	}
	for rank := range uint32(ranks) {
		ready := e.base + e.ready[rank]
		clocks := r.clock[int(rank)*r.stride:]
		cpus, nics := len(r.cpus.list), len(r.nics.list)
		for _, t := range clocks[:cpus] {
			if t > ready {
				return false
			}
		}
		for i, label := range r.nics.list {
			if t := clocks[cpus+i]; t > ready {
				e.busy = append(e.busy, busyNIC{rank, label, false, t - e.base})
			}
			if t := clocks[cpus+nics+i]; t > final { // no message comes before that
				e.busy = append(e.busy, busyNIC{rank, label, true, t - e.base})
			}
		}
	}
	return true
}
