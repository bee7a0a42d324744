package simulate

import (
	"errors"
	"math/bits"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// loggopsim runs the schedule by LogGOPSim's rules, exactly. Times are nanoseconds modulo 2⁶⁴,
// as in LogGOPSim.
//
// That program puts each blocked operation back into its queue, with its number, until it comes
// when its resources are free. Parking them at desks gives the same, since clocks only grow: all of
// a line are free at the same moments, and the one with the least number is then the first of them
// to be taken. Where clocks can shrink, in wrapped arithmetic, nothing is parked.
func (r *run) loggopsim(m loggops) error {
	if len(r.joints) > 0 {
		return errors.New("collectives with measured times require the default rules")
	}
	r.plain, r.eager = r.wraps(m), m.S
	r.proceed = func(e entry, _ bool) { r.peer(m, e) }
	r.start(func(i uint32) bool { return m.o+m.L > 0 && len(r.s.AfterStarted(i)) == 0 })
	return r.loop()
}

// peer does what an entry says, unless that has to wait.
func (r *run) peer(m loggops, e entry) {
	t, i := e.time, e.what&opMask
	n, op := &r.nodes[i], &r.ops[i]
	bytes := op.Size - 1
	switch {
	case e.what&message != 0:
		r.peerArrival(m, e)
	case op.Kind == schedule.Send:
		cpu, nic := r.cpuOf(n.rank, op), r.sendNIC(n.rank, op)
		if r.blocked(e, n.rank, cpu, nic) {
			return
		}
		r.clock[cpu] = t + m.o + bytes*m.O + r.noise.delay(n.rank, t, m.o)
		r.clock[nic] = t + m.g + bytes*m.G
		n.waits = flying
		r.push(t+m.o+m.L, i|message)
		r.here = r.release(r.here, r.s.AfterStarted(i))
		if op.Size <= m.S {
			r.here = r.release(r.here, r.ended(i))
		}
	case op.Kind == schedule.Recv:
		r.here = r.release(r.here, r.s.AfterStarted(i))
		if s, ok := r.post(i); ok {
			n.waits = done
			r.peerMatch(m, s, op, n.rank, t)
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

// peerArrival charges the message of a send to its receiver, whether its receive is posted or not.
func (r *run) peerArrival(m loggops, e entry) {
	t, i := e.time, e.what&opMask
	op := &r.ops[i]
	rank, bytes := op.Peer, op.Size-1
	cpu, nic := r.cpuOf(rank, op), r.receiveNIC(rank, op)
	if r.blocked(e, rank, cpu, nic) {
		return
	}
	r.clock[cpu] = t + m.o + r.noise.delay(rank, t, m.o) + max(bytes*m.O, bytes*m.G)
	r.clock[nic] = t + m.g + bytes*m.G
	if j, ok := r.arrive(i); ok {
		r.peerMatch(m, i, op, rank, t)
		r.nodes[j].waits = done
		r.here = r.release(r.here, r.ended(j))
	}
}

// peerMatch ends a send whose message is matched at rank, at time t. If it is a rendezvous, the
// clocks of the sender advance to t; their labels are those of op, the late receive or the message.
func (r *run) peerMatch(m loggops, send uint32, op *schedule.Op, rank uint32, t uint64) {
	from := &r.nodes[send]
	from.waits = done
	if op.Size <= m.S {
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
func (r *run) blocked(e entry, rank uint32, cpu, nic int) bool {
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
func (r *run) wraps(m loggops) bool {
	// bytes is −1 then, so clocks advance by o − O, o − G and g − G.
	if r.zero && (m.O > m.o || m.G > m.o || m.G > m.g) {
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
			ok = add(op.Size, m.O) && add(op.Size, m.G) && add(m.o, 2) && add(m.g, 1) && add(m.L, 1)
		}
		if !ok {
			return true
		}
	}
	return false
}
