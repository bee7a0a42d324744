package simulate

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
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
// schedule. If not even such states come again, a long sequence has the times of a few of its parts
// in turn, see Scattered.
type Sequence struct {
	Ranks int // of all parts, or more than they have
	Parts []*Program
	Order []int32 // indices of parts
	// Tolerance is the part of the time of a part by which the moments at which ranks leave it may
	// differ in equal states, where NICs interleave messages.
	Tolerance float64
	// Recorded is the number of operations of simulated parts above which a run keeps no record of
	// any, if it is not 0.
	Recorded int
	// Scattered is the number of operations of equal parts, from scattered states, that are
	// simulated, where NICs interleave messages; fewer if their mean time is known well before.
	// Further ones take the time of one of these. 0: all are simulated.
	Scattered int
}

// A SequenceResult is the outcome of a run of a sequence. Its result has no marks.
type SequenceResult struct {
	*Result
	Simulated int // parts that were simulated; the other ones of Order were kept
	// Scattered is the number of parts that took the time of another one, though their ranks began
	// earlier or later. Off is half the width of the 95 % interval of the mean time of such parts,
	// as a part of it.
	Scattered int
	Off       float64

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
	o.Computed = false
	kept := make([][]*exit, len(s.Parts))
	var from *partState // nil: the begin of the run
	begin, last := uint64(0), uint64(0)
	recorded := 0
	r := &run{} // of one part after the other
	for i, part := range s.Order {
		p := s.Parts[part]
		if from = from.among(p.s.Ranks()); from == nil && i > 0 {
			return nil, ErrUneven
		}
		at := slices.IndexFunc(kept[part], func(e *exit) bool { return from.equals(e.from) })
		if at < 0 {
			var off float64
			if at, off = s.scattered(kept[part], len(p.ops), from); at >= 0 {
				all.Scattered, all.Off = all.Scattered+1, max(all.Off, off)
			}
		}
		if at < 0 {
			if recorded += len(p.ops); o.Record && s.Recorded > 0 && recorded > s.Recorded {
				o.Record = false
				for _, e := range all.exits {
					e.record = nil
				}
			}
			e, err := r.part(ctx, p, o, from, s.Tolerance)
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

// Where NICs interleave messages, the states after equal parts need not repeat: each moment
// depends on all before it, and varies around a mean. Such states are scattered. In ring
// all-gathers of 64 to 256 GPUs, ranks leave earlier or later by up to 2.5 % of the time of a part,
// and its time has a standard deviation of 0.3 to 0.4 %.

// mostScatter is the largest difference of two scattered states, in the time at which a rank
// begins, as a part of the time of the part. It is somewhat more than the 2.5 % above.
const mostScatter = 1. / 32

// Parts stand for further ones as soon as the 95 % interval of their mean time is within ±surelyOff
// of it, which three digits just show, or when there are enough operations of them and its standard
// error is at most mostOff. Fewer parts do not tell: the deviation of a few may be small by chance.
const (
	surelyOff, surelyParts = 1. / 500, 8
	mostOff, fewestParts   = 1. / 400, 3
)

// scattered returns which of the kept runs of a part, with so many operations, stands for one from
// a state scattered around theirs; −1 if it must be simulated. It is the first, behind which the
// others come again, so that the mean of all counts. It also returns half the width of the 95 %
// interval of that mean, as a part of it.
func (s *Sequence) scattered(kept []*exit, ops int, from *partState) (int, float64) {
	few := len(kept) < surelyParts && len(kept)*ops < s.Scattered
	if s.Scattered == 0 || few || kept[0].slack == 0 {
		return -1, 0
	}
	var near []int
	mean, squares := 0.0, 0.0 // of squares of deviations from the mean, their sum
	for i, e := range kept {
		t := float64(e.base)
		if e.from.apart(from) > mostScatter*t {
			continue
		}
		near = append(near, i)
		by := t - mean
		mean += by / float64(len(near))
		squares += by * (t - mean)
	}
	if len(near) < fewestParts {
		return -1, 0
	}
	n := float64(len(near))
	off := math.Sqrt(squares/(n-1)/n) / mean
	within := off * stats.T95(n-1)
	if len(near) >= surelyParts && within <= surelyOff ||
		len(near)*ops >= s.Scattered && off <= mostOff {
		return near[0], within
	}
	return -1, 0
}

// part runs the program of a part from a state.
func (r *run) part(ctx context.Context, p *Program, o Setup, from *partState, tolerance float64) (
	*exit, error) {
	if err := r.renew(ctx, p, o); err != nil {
		return nil, err
	}
	defer r.giveBack()
	r.leaves = make([]leave, 0, p.s.Ranks())
	if from == nil {
		r.start()
	} else if !r.beginFrom(from) {
		return nil, ErrOverlap
	}
	if err := r.loop(r); err != nil {
		return nil, err
	}
	if r.end().deadlock() != nil {
		return nil, ErrOverlap // messages of another part; else the whole schedule has the error
	}
	e := &exit{from: from, first: r.firstSend, last: r.last, Result: r.result()}
	if e.overlaps = !r.leave(e); r.levels != nil && r.levels.interleaves() {
		e.slack, e.skew = uint64(tolerance*float64(e.base)), mostSkew
	}
	return e, nil
}

// leave sets the state in which the run ends. It returns false if more is left than that. The links
// of joint operations are free when the processors are: each of these keeps one of its rank too.
func (r *run) leave(e *exit) bool {
	ranks := r.s.Ranks()
	if len(r.leaves) < ranks || len(r.windows) > 0 || len(r.transit) > 0 {
		return false
	}
	e.last = max(e.last, r.net.quiet())
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
