package simulate

import (
	"math/bits"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// loggopsim runs the schedule by LogGOPSim's rules, exactly. Times are nanoseconds modulo 2⁶⁴, as
// in LogGOPSim.
func (r *run) loggopsim(m loggops) error {
	L, o, g, G, O, S := m.L, m.o, m.g, m.G, m.O, m.S
	r.plain, r.eager = r.wraps(m), S
	r.start(func(i uint32) bool { return o+L > 0 && len(r.s.AfterStarted(i)) == 0 })
	for r.q.size > 0 {
		if r.events++; r.events&tickMask == 0 {
			if err := r.tick(); err != nil {
				return err
			}
		}
		r.prefetch()
		e, ok := r.pop()
		if !ok {
			continue
		}
		t, i := e.time, e.what&opMask
		n, op := &r.nodes[i], &r.ops[i]
		rank := n.rank
		bytes := op.Size - 1
		switch {
		case e.what&message != 0:
			rank = op.Peer
			cpu, nic := r.cpuOf(rank, op), r.receiveNIC(rank, op)
			if until := max(r.clock[cpu], r.clock[nic]); until > t {
				r.block(e, r.receiveGroup(rank, op), until)
				continue
			}
			r.clock[cpu] = t + o + r.noise.delay(rank, t, o) + max(bytes*O, bytes*G)
			r.clock[nic] = t + g + bytes*G
			if e.what&armed != 0 {
				r.leave(r.receiveGroup(rank, op), max(t, r.clock[cpu], r.clock[nic]))
			}
			j, ok := r.arrive(i)
			if !ok {
				continue
			}
			n.waits = done
			if op.Size > S {
				r.unblock(n.rank, op, t)
				r.doneAt(rank, n.rank, i)
			}
			r.nodes[j].waits = done
			r.here = r.release(r.here, r.s.AfterDone(j))

		case op.Kind == schedule.Send:
			cpu, nic := r.cpuOf(rank, op), r.sendNIC(rank, op)
			if until := max(r.clock[cpu], r.clock[nic]); until > t {
				r.block(e, r.sendGroup(rank, op), until)
				continue
			}
			r.clock[cpu] = t + o + bytes*O + r.noise.delay(rank, t, o)
			r.clock[nic] = t + g + bytes*G
			if e.what&armed != 0 {
				r.leave(r.sendGroup(rank, op), max(t, r.clock[cpu], r.clock[nic]))
			}
			n.waits = flying
			r.push(t+o+L, i|message)
			r.here = r.release(r.here, r.s.AfterStarted(i))
			if op.Size <= S {
				r.here = r.release(r.here, r.s.AfterDone(i))
			}

		case op.Kind == schedule.Recv:
			r.here = r.release(r.here, r.s.AfterStarted(i))
			if s, ok := r.post(i); ok {
				from := &r.nodes[s]
				from.waits, n.waits = done, done
				if op.Size > S {
					r.unblock(from.rank, op, t)
					r.doneAt(rank, from.rank, s)
				}
				r.here = r.release(r.here, r.s.AfterDone(i))
			}

		default:
			cpu := r.cpuOf(rank, op)
			if until := r.clock[cpu]; until > t {
				r.block(e, r.cpuGroup(rank, op), until)
				continue
			}
			r.clock[cpu] = t + op.Size + r.noise.delay(rank, t, op.Size)
			if e.what&armed != 0 {
				r.leave(r.cpuGroup(rank, op), max(t, r.clock[cpu]))
			}
			n.waits = done
			r.here = r.release(r.here, r.s.AfterStarted(i))
			r.here = r.release(r.here, r.s.AfterDone(i))
		}
		if len(r.here)+len(r.there) > 0 {
			r.insert(rank)
		}
	}
	return nil
}

// unblock advances the clocks of a sender at least to t, the time at which its message is matched.
// The labels are those of op: of the late receive, or of the message.
func (r *run) unblock(rank uint32, op *schedule.Op, t uint64) {
	cpu, nic := r.cpuOf(rank, op), r.sendNIC(rank, op)
	r.clock[cpu] = max(r.clock[cpu], t)
	r.clock[nic] = max(r.clock[nic], t)
}

// doneAt releases the operations that wait for a send that is completed by an event at rank, which
// may be the sender itself.
func (r *run) doneAt(rank, sender, send uint32) {
	if sender == rank {
		r.here = r.release(r.here, r.s.AfterDone(send))
	} else {
		r.there = r.release(r.there, r.s.AfterDone(send))
	}
}

// insert queues the operations that are free now, those of the lower rank first.
func (r *run) insert(rank uint32) {
	if len(r.there) > 0 {
		far := r.nodes[r.there[0]].rank
		if far < rank {
			r.insertFree(far, r.there, nil)
			r.there = r.there[:0]
		}
		r.insertFree(rank, r.here, nil)
		r.insertFree(far, r.there, nil)
		r.here, r.there = r.here[:0], r.there[:0]
		return
	}
	r.insertFree(rank, r.here, nil)
	r.here = r.here[:0]
}

// wraps reports whether a clock can become smaller, as it does in wrapped arithmetic: by messages
// of 0 bytes, whose size minus one is the largest number, and by sums beyond 2⁶³.
func (r *run) wraps(m loggops) bool {
	if r.zero && (m.O > m.o || m.G > m.o || m.G > m.g) {
		return true
	}
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
