package collective

import (
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Loop is a program of benchmarks such as OSU's: the collective, a barrier, the collective, a
// barrier … so many in all, that is, calls of the collective and barriers together. What ranks take
// for the last call is the difference between their finish times in a loop of an odd number and in
// the loop that is one shorter. It depends on the order in which the barrier lets them go: after an
// exchange of two ranks, say, the receiver of a broadcast leaves the barrier one message's time
// before the root.
func (a Algorithm) Loop(ranks int, c Call, barrier Algorithm, parts int) (*schedule.Schedule, error) {
	if c.Root < 0 || c.Root >= ranks {
		return nil, fmt.Errorf("the root is %d, but ranks are 0 to %d", c.Root, ranks-1)
	}
	b := schedule.NewBuilder(ranks)
	call, wait := Part{Group: Group{Size: ranks}, Call: c, b: b}, Part{Group: Group{Size: ranks}, Call: Call{Tag: c.Tag + 2}, b: b}
	var after, end []uint32
	for range ranks {
		place := b.NextRank()
		call.Place, wait.Place = place, place
		after = after[:0]
		for i := range parts {
			if i%2 == 0 {
				end = a.add(&call, after, end[:0])
			} else {
				end = barrier.add(&wait, after, end[:0])
			}
			after, end = end, after
			if int(b.Next()) > maxOperations {
				return nil, TooLarge{ranks, maxOperations}
			}
		}
	}
	return b.Build()
}

// DefaultBarrier is what Open MPI takes for a barrier among so many ranks if nothing is configured:
// the fixed decision of coll/tuned in 4.1 and 5.0.
func DefaultBarrier(ranks int) Algorithm {
	switch {
	case ranks < 4:
		return synchronousDoubling
	case ranks < 8:
		return linearRounds
	case ranks < 64:
		return synchronousDoubling
	case ranks < 256, ranks >= 512 && ranks < 1024, ranks >= 4096:
		return disseminationRounds
	}
	return treeBarrier
}

// rounds are operations of a rank that calls a blocking exchange for each: a round waits for all of
// the round before.
type rounds struct {
	*Part
	before []uint32
}

func (r *rounds) next(ops ...uint32) {
	for _, op := range ops {
		for _, before := range r.before {
			r.Requires(op, before)
		}
	}
	r.before = ops
}

func (r *rounds) exchange(to, from int) { r.next(r.Recv(0, from), r.Send(0, to)) }

// synchronousDoubling is doublingBarrier as Open MPI runs it: who answers a member beyond the
// power of two sends synchronously, which is a message back when it was received.
func synchronousDoubling(p *Part) {
	r := rounds{Part: p}
	power := highest(p.Size)
	if p.Place >= power {
		r.exchange(p.Place-power, p.Place-power)
		r.next(p.Send(0, p.Place-power))
		return
	}
	other := p.Place + power
	if other < p.Size {
		r.next(p.Recv(0, other))
	}
	for d := 1; d < power; d *= 2 {
		r.exchange(p.Place^d, p.Place^d)
	}
	if other < p.Size {
		r.next(p.Send(0, other))
		r.next(p.Recv(0, other))
	}
}

// disseminationRounds is Dissemination with blocking exchanges.
func disseminationRounds(p *Part) {
	r := rounds{Part: p}
	for d := 1; d < p.Size; d *= 2 {
		r.exchange((p.Place+d)%p.Size, (p.Place-d+p.Size)%p.Size)
	}
}

// linearRounds is linearBarrier, whose root answers when it has heard of all.
func linearRounds(p *Part) {
	r := rounds{Part: p}
	if p.Place > 0 {
		r.next(p.Send(0, 0))
		r.next(p.Recv(0, 0))
		return
	}
	var reports, answers []uint32
	for other := 1; other < p.Size; other++ {
		reports = append(reports, p.Recv(0, other))
	}
	r.next(reports...)
	for other := 1; other < p.Size; other++ {
		answers = append(answers, p.Send(0, other))
	}
	r.next(answers...)
}
