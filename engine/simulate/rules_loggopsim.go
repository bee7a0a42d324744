package simulate

import (
	"context"
	"errors"
	"math/bits"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A peer is one simulation by LogGOPSim's rules, exactly. Times are nanoseconds modulo 2⁶⁴, as in
// LogGOPSim.
//
// That program puts each blocked operation back into its queue, with its number, until it comes
// when its resources are free. Parking them at desks gives the same, since clocks only grow: all of
// a line are free at the same moments, and the one with the least number is then the first of them
// to be taken. Where clocks can shrink, in wrapped arithmetic, nothing is parked.
type peer struct {
	kernel
	loggops
	plain bool     // nothing is parked: clocks may shrink
	there []uint32 // operations that are free now at the sender of the message of the event
}

// newPeer returns a run whose operations without predecessors are queued, rank by rank. Receives
// are posted at once, up to the first that others wait for.
func newPeer(ctx context.Context, p *Program, o Setup) (*peer, error) {
	switch {
	case o.Machine != nil:
		return nil, errors.New("LogGOPSim's rules require LogGOPS parameters and cannot use " +
			"another machine")
	case o.Reversed:
		return nil, errors.New("LogGOPSim's rules have one order; leave out the rules")
	case o.Record || o.Computed:
		return nil, errors.New("a run by LogGOPSim's rules cannot be recorded: " +
			"its clocks of one rank run apart; leave out the rules")
	}
	m, err := o.LogGOPS.inNanoseconds()
	if err != nil {
		return nil, err
	}
	if len(p.joints) > 0 {
		return nil, errors.New("collectives with measured times require the default rules")
	}
	r := &peer{loggops: m}
	r.init(ctx, p, o)
	r.plain = r.wraps()
	for rank := range r.s.Ranks() {
		r.startRank(rank, func(list []uint32) { r.queueFrom(list, m.o+m.L > 0) })
	}
	return r, nil
}

func (r *peer) network(uint64) {}

// queue queues the operations of one or two ranks that became free together.
func (r *peer) queue(list []uint32) {
	n := 1
	for rank := r.nodes[list[0]].rank; n < len(list) && r.nodes[list[n]].rank == rank; {
		n++
	}
	if r.queueFrom(list[:n], false); n < len(list) {
		r.queueFrom(list[n:], false)
	}
}

// queueFrom queues operations of a rank, at the times of its clocks; post posts receives at once,
// before the begin of the run.
func (r *peer) queueFrom(list []uint32, post bool) {
	if len(list) == 0 {
		return
	}
	rank := r.nodes[list[0]].rank
	if len(list) > 1 {
		byKind(list, r.ops)
	}
	for len(list) > 0 {
		i := list[0]
		op := &r.ops[i]
		if op.Kind == schedule.Recv && post {
			// Nor those behind one that others wait for: their order counts.
			if post = len(r.s.AfterStarted(i)) == 0; post {
				r.post(i)
				r.num++
				list = list[1:]
				continue
			}
		}
		need := needs{cpu: r.cpuOf(rank, op), nic: -1}
		if op.Kind == schedule.Send {
			need.nic = r.sendNIC(rank, op)
		}
		n := r.countAlike(list)
		for _, i := range list[:n] {
			if n == 1 {
				r.push(r.freeAt(need), i)
			} else { // one entry represents all
				r.park(rank, r.num, i, need)
				r.num++
			}
		}
		list = list[n:]
	}
}

// countAlike returns the number of operations at the head of a list that need the same resources at
// the same time.
func (r *peer) countAlike(list []uint32) int {
	first := &r.ops[list[0]]
	if first.Kind == schedule.Recv || r.plain {
		return 1
	}
	n := 1
	for n < len(list) {
		op := &r.ops[list[n]]
		if op.Kind != first.Kind || op.CPU != first.CPU || op.NIC != first.NIC {
			break
		}
		n++
	}
	return n
}

// release decrements the counts of the operations that wait for an operation, and appends those
// that are free now.
func (r *peer) release(list, successors []uint32) []uint32 {
	list = slices.Grow(list, len(successors))
	for _, op := range successors {
		n := &r.nodes[op]
		if n.waits >= lastState { // it runs already
			continue
		}
		if n.waits--; n.waits == 0 {
			n.waits = free
			list = append(list, op)
		}
	}
	return list
}

// proceed does what an entry says, unless that has to wait.
func (r *peer) proceed(e entry, _ bool) {
	r.act(e)
	if len(r.there) > 0 { // the lower rank comes first
		first, second := r.here, r.there
		if len(first) == 0 || r.nodes[second[0]].rank < r.nodes[first[0]].rank {
			first, second = second, first
		}
		r.here, r.there = append(first, second...), second[:0]
	}
}

func (r *peer) act(e entry) {
	t, i := e.time, e.what&opMask
	n, op := &r.nodes[i], &r.ops[i]
	bytes := op.Size - 1
	switch {
	case e.what&message != 0:
		r.arrival(e)
	case op.Kind == schedule.Send:
		cpu, nic := r.cpuOf(n.rank, op), r.sendNIC(n.rank, op)
		if r.blocked(e, n.rank, cpu, nic) {
			return
		}
		r.clock[cpu] = t + r.o + bytes*r.O + r.noise.delay(n.rank, t, r.o)
		r.clock[nic] = t + r.g + bytes*r.G
		n.waits = flying
		r.push(t+r.o+r.L, i|message)
		r.here = r.release(r.here, r.s.AfterStarted(i))
		if op.Size <= r.S {
			r.here = r.release(r.here, r.ended(i))
		}
	case op.Kind == schedule.Recv:
		r.here = r.release(r.here, r.s.AfterStarted(i))
		if s, ok := r.post(i); ok {
			n.waits = done
			r.matched(s, op, n.rank, t)
			r.here = r.release(r.here, r.ended(i))
		}
	default:
		cpu := r.cpuOf(n.rank, op)
		if r.blocked(e, n.rank, cpu, -1) {
			return
		}
		r.clock[cpu] = t + op.Size + r.noise.delay(n.rank, t, op.Size)
		n.waits = done
		r.here = r.release(r.here, r.s.AfterStarted(i))
		r.here = r.release(r.here, r.ended(i))
	}
}

// arrival charges the message of a send to its receiver, whether its receive is posted or not.
func (r *peer) arrival(e entry) {
	t, i := e.time, e.what&opMask
	op := &r.ops[i]
	rank, bytes := op.Peer, op.Size-1
	cpu, nic := r.cpuOf(rank, op), r.receiveNIC(rank, op)
	if r.blocked(e, rank, cpu, nic) {
		return
	}
	r.clock[cpu] = t + r.o + r.noise.delay(rank, t, r.o) + max(bytes*r.O, bytes*r.G)
	r.clock[nic] = t + r.g + bytes*r.G
	if j, ok := r.arrive(i); ok {
		r.matched(i, op, rank, t)
		r.nodes[j].waits = done
		r.here = r.release(r.here, r.ended(j))
	}
}

// matched ends a send whose message is matched at rank, at time t. If it is a rendezvous, the
// clocks of the sender advance to t; their labels are those of op, the late receive or the message.
func (r *peer) matched(send uint32, op *schedule.Op, rank uint32, t uint64) {
	from := &r.nodes[send]
	from.waits = done
	if op.Size <= r.S {
		return
	}
	cpu, nic := r.cpuOf(from.rank, op), r.sendNIC(from.rank, op)
	r.clock[cpu], r.clock[nic] = max(r.clock[cpu], t), max(r.clock[nic], t)
	if from.rank == rank {
		r.here = r.release(r.here, r.ended(send))
	} else {
		r.there = r.release(r.there, r.ended(send))
	}
}

// blocked reports whether one of the clocks is busy at the time of an entry. If so, the entry comes
// again.
func (r *peer) blocked(e entry, rank uint32, cpu, nic int) bool {
	need := needs{cpu: cpu, nic: nic}
	until := r.freeAt(need)
	if until <= e.time {
		return false
	}
	if r.plain {
		r.q.push(entry{until, e.num, e.what})
	} else {
		r.park(rank, e.num, e.what, need)
	}
	return true
}

// wraps reports whether a clock can become smaller, as it does in wrapped arithmetic: by messages
// of 0 bytes, whose size minus one is the largest number, and by sums beyond 2⁶³.
func (r *peer) wraps() bool {
	// bytes is −1 then, so clocks advance by o − O, o − G and g − G.
	if r.zero && (r.O > r.o || r.G > r.o || r.G > r.g) {
		return true
	}
	// The sum of all costs bounds every clock, in whatever order the operations run.
	sum := uint64(0)
	add := func(a, b uint64) bool {
		hi, lo := bits.Mul64(a, b)
		sum += lo
		return hi == 0 && lo < 1<<62 && sum < 1<<62
	}
	for i := range r.ops {
		op := &r.ops[i]
		ok := true
		if op.Kind == schedule.Calc {
			ok = add(op.Size, 1)
		} else {
			ok = add(op.Size, r.O) && add(op.Size, r.G) && add(r.o, 2) && add(r.g, 1) && add(r.L, 1)
		}
		if !ok {
			return true
		}
	}
	return false
}
