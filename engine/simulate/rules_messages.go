package simulate

import (
	"context"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/memory"
)

// renew makes a run ready that keeps what the setup asks for. It takes the memory of the run
// before, if there was one, and what that knows of messages on the same machine.
func (r *run) renew(ctx context.Context, p *Program, o Setup) (err error) {
	if o.Record {
		err := memory.Check(fmt.Sprintf("the record of %d operations", len(p.ops)),
			float64(len(p.ops))*(schedule.OpBytes+runBytes+recordBytes))
		if err != nil {
			return err
		}
	}
	ranks := p.s.Ranks()
	if r.costs, err = r.costs.on(o, ranks); err != nil {
		return err
	}
	r.init(ctx, p, o)
	r.refuse = r.fail
	r.ready, r.out = memory.Again(r.ready, len(r.ops)), memory.Again(r.out, ranks)
	before := r.record
	r.limits, r.presence, r.observers = limits{}, presence{}, observers{}
	r.joined, r.instant, r.parked = r.gatherings(), o.Instant, 0
	r.links = nil
	if len(r.joints) > 0 {
		r.links = memory.Make[links](2 * ranks)
	}
	r.fresh, r.firstSend = firstFresh, math.MaxUint64
	if o.Reversed {
		r.order = firstFresh - 1
	}
	r.shared = r.shared.on(&r.kernel, r.costs, o.Seed)
	var inOrder *order
	if _, oneLatency := r.machine.(LogGOPS); r.shared == nil && !oneLatency {
		inOrder = &r.arrivals
		inOrder.on(&r.kernel)
	}
	if o.Record || o.Computed {
		r.record = newRecord(&r.kernel, r.costs, r.out, !o.Record, r.shared != nil, before)
	}
	if o.Parts {
		r.tally = make([]Parts, ranks)
	}
	if r.net = (exclusive{&r.kernel, r.costs, r.record, inOrder}); r.shared != nil {
		r.shared.record, r.shared.delivered, r.shared.taken = r.record, r.delivered, r.takenIn
		r.net = r.shared
	}
	r.startPresence()
	return nil
}

// proceed processes a queue entry, or parks its operation at the desk of its rank; late is set if
// it comes from there.
func (r *run) proceed(e entry, late bool) {
	t, i := e.time, e.what&opMask
	n, op := &r.nodes[i], &r.ops[i]
	switch {
	case late:
		r.begin(i, t, true)
		return
	case t > latest:
		r.fail("rank %d: %s begins after more than 26 days; "+
			"check the times of computations and the parameters", n.rank, r.name(i))
		return
	case e.what&message != 0:
		r.arrival(i, t)
		return
	case op.Kind == schedule.Send && n.waits == requested: // the grant comes
		n.waits = granted
		r.take(i, n.next, true, t, t)
		return
	case op.Kind == schedule.Recv && n.waits == free:
		r.finish(r.s.AfterStarted(i), t, r.record.posting(i, t))
		if s, ok := r.post(i); ok {
			r.meet(s, i, r.ready[s], t)
		} else {
			r.s.PrefetchAfter(i)
		}
		return
	}
	need := needs{cpu: r.cpuOf(n.rank, op), nic: -1}
	switch handshakes := n.waits == granting || n.waits == granted; {
	case handshakes && r.calls:
		r.answer(i, t)
		return
	case n.waits == arriving && r.holds != nil && r.paused(i, t):
		return
	case handshakes || op.Kind == schedule.Send && !r.doesNotBlock(i):
		need.nic = r.sendNIC(n.rank, op)
		need.lead = r.lead(i)
	}
	if r.freeAt(need) > t {
		r.parked++
		r.park(n.rank, r.parked, i, need)
		return
	}
	r.begin(i, t, false)
}

// answer begins an answer to a request, or the data behind a grant, in a schedule of calls. It
// waits for a processor that computes only if the rank must be inside.
func (r *run) answer(i uint32, t uint64) {
	n, op := &r.nodes[i], &r.ops[i]
	cpu := r.cpuOf(n.rank, op)
	var present bool
	if op.Kind == schedule.Send {
		c := r.costs.of(n.rank, op.Peer, op.Size)
		present = c.handshake.OfSender() || c.data.OfSender()
	} else {
		c := r.net.costOf(n.next)
		present = c.handshake.OfReceiver() || c.data.OfReceiver()
	}
	if r.clock[cpu] > t && (present || r.computing[cpu] <= t) {
		r.parked++
		r.park(n.rank, r.parked, i, needs{cpu: cpu, nic: -1, independent: !present})
		return
	}
	r.begin(i, t, false)
}

// lead returns how long the next part of an operation receives a request or a grant before it
// sends: the NIC, which may still be sending, is needed only then.
func (r *run) lead(i uint32) uint64 {
	switch n := &r.nodes[i]; n.waits {
	case granting:
		return r.costs.of(r.nodes[n.next].rank, n.rank, handshake).receive
	case granted:
		return r.costs.of(r.ops[i].Peer, n.rank, handshake).receive
	}
	return 0
}

// arrival processes the arrival of a message's first byte.
func (r *run) arrival(i uint32, t uint64) {
	if !r.net.arrive(i, t) {
		return
	}
	n := &r.nodes[i]
	if n.waits == streaming {
		j := n.next
		n.waits, r.nodes[j].waits = done, arriving
		r.take(j, i, false, t, t)
	} else if j, ok := r.arrive(i); ok {
		r.meet(i, j, t, t)
	} else {
		r.ready[i] = t
	}
}

// begin begins the next part of an operation whose clocks are free; late is set if it had to wait
// for them.
func (r *run) begin(i uint32, t uint64, late bool) {
	switch n, op := &r.nodes[i], &r.ops[i]; {
	case op.Kind == schedule.Calc:
		r.calc(i, t, late)
	case op.Kind == schedule.Joint:
		r.join(i, t, late)
	case op.Kind == schedule.Send:
		r.send(i, t, late)
	case n.waits == granting:
		r.grant(i, t, late)
	default:
		r.receive(i, t, late)
	}
}

func (r *run) calc(i uint32, t uint64, late bool) {
	n, op := &r.nodes[i], &r.ops[i]
	cpu := r.cpuOf(n.rank, op)
	if op.Size > 1<<60/1000 {
		r.fail("rank %d: %s computes for %d ns; the longest is 13 days", n.rank, r.name(i), op.Size)
		return
	}
	length := op.Size * 1000
	end := t + length + r.noise.delay(n.rank, t, length)
	by := r.observe(act{start: t, begin: t, end: end, op: i, step: stepCalc}, late, cpu, -1)
	r.clock[cpu] = end
	r.compute(i, n.rank, cpu, t, end)
	n.waits = done
	r.noteLeave(i, end, by)
	if op.Memory == schedule.Mark {
		r.marks = append(r.marks, MarkEnd{i, end})
	}
	r.finish(r.s.AfterStarted(i), t, by.as(atStart))
	r.finish(r.ended(i), end, by.as(atDone))
}

// send begins an eager message, or requests a rendezvous, or sends its data when the grant has
// come.
func (r *run) send(i uint32, t uint64, late bool) {
	n, op := &r.nodes[i], &r.ops[i]
	r.firstSend = min(r.firstSend, t)
	cpu, nic := r.cpuOf(n.rank, op), r.sendNIC(n.rank, op)
	c := r.costs.of(n.rank, op.Peer, op.Size)
	begin, step, bytes := t, stepSend, op.Size
	if c.rendezvous {
		if step, bytes = stepRequest, handshake; n.waits != free {
			step, bytes = stepData, op.Size
			back := r.costs.of(op.Peer, n.rank, handshake)
			begin += back.receive + r.noise.delay(n.rank, t, back.receive)
		}
		c = r.costs.of(n.rank, op.Peer, bytes)
	}
	sending := c.sending(op.Memory)
	end := begin + sending + r.noise.delay(n.rank, begin, sending)
	a := act{start: t, begin: begin, end: end, op: i, step: step, short: bytes == handshake}
	s := r.inject(&a, c, op.Peer, late, cpu, nic)
	by := s.by
	end += s.delay
	flows := c.flows && step != stepRequest
	if flows {
		r.record.flow(i).sent = by
	}
	gap := c.gap
	if c.interleaved && flows {
		gap = 0 // the bytes share the NIC
	}
	r.clock[nic] = begin + s.delay + gap
	left := end + c.stream
	if c.joint && step == stepData {
		left = c.arrival(left)
	}
	if !flows && !c.deferred {
		r.setLastByte(n.rank, left, by)
	}
	at := c.arrival(end)
	if c.deferred {
		at = end // the receiver learns of the message at once; its bytes come later
	}
	if step != stepData {
		at = r.net.leave(i, step == stepRequest, flows && !c.deferred, at)
	}
	r.net.prefetch(i)
	r.push(at, i|message)
	n.waits = streaming
	if step != stepData {
		n.waits = flying
		r.finish(r.s.AfterStarted(i), t, s.call.as(atStart))
	}
	if step == stepSend {
		r.finish(r.ended(i), s.end, s.call.as(atDone))
	} else if step == stepData && !r.hold(i, c, begin+s.delay, by) && !flows {
		r.finish(r.ended(i), left, by.as(atDone))
	}
}

// A sending is how a step puts its message into the network.
type sending struct {
	delay    uint64 // of the message at its NIC, for messages before it or for credits
	end      uint64 // of the processor's part
	call, by link   // the processor's part, and the message's
}

// inject lets the processor, if it is free, do its part of step a, and returns when the message
// leaves. The processor of an operation that blocks waits with the message until the network takes
// it; any other goes on.
func (r *run) inject(a *act, c *cost, to uint32, late bool, cpu, nic int) (s sending) {
	rank := r.nodes[a.op].rank
	queue := r.clock[nic] - min(a.begin, r.clock[nic])
	stall := r.limits.wait(c, rank, to, a.begin+queue, a.end+queue)
	s.delay, s.end = queue+stall, a.end
	queued := queue > 0 || stall > 0 && r.calls && (a.step != stepSend || r.doesNotBlock(a.op))
	if !queued {
		a.end += stall
		s.end = a.end
		r.record.stall(opStep{a.op, a.step, false}, stall)
	}
	if r.clock[cpu] > a.start {
		cpu = noProcessor
	}
	before := r.record.lastAtNIC(nic)
	s.call = r.observe(*a, late, cpu, nic)
	if s.by = s.call; queued {
		r.record.stall(opStep{a.op, a.step, true}, stall)
		s.by = r.record.queued(*a, queue, stall, s.call, before, nic)
	}
	if cpu != noProcessor {
		r.clock[cpu] = s.end
	}
	return s
}

// meet matches the message of send i, or its request, with receive j. Its first byte arrived at
// time came.
func (r *run) meet(i, j uint32, came, now uint64) {
	from, to := &r.nodes[i], &r.nodes[j]
	to.next = i
	if r.ops[i].Size > r.ops[j].Size {
		r.fail("rank %d: %s has no room for the message of rank %d: %s", to.rank, r.name(j),
			from.rank, r.name(i))
		return
	}
	from.next = j
	c := r.net.costOf(i)
	if c.rendezvous {
		from.waits, to.waits = requested, granting
		r.take(j, i, true, came, now)
		return
	}
	if c.deferred {
		r.depart(i, j, c, came, now)
		return
	}
	from.waits, to.waits = done, arriving
	r.take(j, i, false, came, now)
	for _, next := range r.s.AfterDone(j) { // which the receive will set free
		r.prefetchOp(next)
	}
}

// depart lets the first byte of a deferred message leave for receive j, which matches it now. The
// sender's processor takes no part. The message came to its receiver's attention at time came.
func (r *run) depart(i, j uint32, c *cost, came, now uint64) {
	from, to := &r.nodes[i], &r.nodes[j]
	if now > came {
		r.record.delay(i, delay{shared: now - came})
	}
	if !c.flows {
		r.setLastByte(from.rank, now+c.stream, r.record.lastStep(i))
	}
	from.waits, to.waits = streaming, streaming
	r.push(max(now, c.arrival(now)), i|message)
}

// take lets the NIC of operation i take in bytes from operation from, which arrived at time came;
// i continues when it has them. A NIC takes in one message after the other, in the order of their
// matches.
func (r *run) take(i, from uint32, short bool, came, now uint64) {
	rank := r.nodes[i].rank
	nic := r.receiveNIC(rank, &r.ops[i])
	begin := max(came, r.clock[nic])
	var c *cost
	var end uint64
	known := true
	if short {
		c = r.costs.of(r.nodes[from].rank, rank, handshake)
		end = begin + c.stream
	} else {
		c = r.net.costOf(from)
		end, known = r.net.take(from, begin, begin+c.stream)
	}
	a := act{start: begin, begin: begin, end: end, op: i, step: stepTake, short: short}
	by := r.record.intake(a, nic, !c.interleaved, came)
	if !c.interleaved {
		r.clock[nic] = begin + c.intake
	}
	if !known { // takenIn goes on
		r.record.flow(from).take = by
		return
	}
	if end >= now { // else the receive was posted late: what it waits for is its posting
		r.record.lastByte(i, by, end)
	}
	r.push(max(now, end), i)
}

func (r *run) grant(i uint32, t uint64, late bool) {
	n, op := &r.nodes[i], &r.ops[i]
	cpu, nic, from := r.cpuOf(n.rank, op), r.sendNIC(n.rank, op), n.next
	peer := r.nodes[from].rank
	there := r.costs.of(peer, n.rank, handshake)
	begin := t + there.receive + r.noise.delay(n.rank, t, there.receive)
	back := r.costs.of(n.rank, peer, handshake)
	end := begin + back.send + r.noise.delay(n.rank, begin, back.send)
	a := act{start: t, begin: begin, end: end, op: i, step: stepGrant, short: true}
	s := r.inject(&a, back, peer, late, cpu, nic)
	by := s.by
	end += s.delay
	r.clock[nic] = begin + s.delay + back.gap
	r.setLastByte(n.rank, end+back.stream, by)
	r.record.setCause(from, by.as(atArrival))
	n.waits = streaming
	r.push(back.arrival(end), from)
}

// receive begins the processor's part of receive i, whose message the NIC has taken in.
func (r *run) receive(i uint32, t uint64, late bool) {
	n, op := &r.nodes[i], &r.ops[i]
	cpu := r.cpuOf(n.rank, op)
	c := r.net.costOf(n.next)
	receiving := c.receiving(op.Memory)
	end := t + receiving + r.noise.delay(n.rank, t, receiving)
	a := act{start: t, begin: t, end: end, op: i, step: stepReceive}
	by := r.observe(a, late, cpu, -1)
	r.clock[cpu] = end
	n.waits = done
	r.finish(r.ended(i), end, by.as(atDone))
}

// delivered completes the send of a message that flows, whose last byte arrives at time t.
func (r *run) delivered(i uint32, t uint64) {
	n, c := &r.nodes[i], r.net.costOf(i)
	left := t
	if !c.joint {
		left = uint64(int64(t) - c.latency)
	}
	flow := r.record.flow(i)
	if took := t - flow.started; took > c.stream {
		r.record.delay(i, delay{flow: took - c.stream})
	}
	r.setLastByte(n.rank, left, flow.sent)
	if _, held := r.holds[i]; c.rendezvous && !held {
		r.finish(r.ended(i), left, flow.sent.as(atDone))
		r.queueHere()
	}
}

// takenIn lets the receive of a message that flows go on, whose bytes its NIC has at time end.
func (r *run) takenIn(i uint32, end uint64) {
	receive := r.nodes[i].next
	r.record.lastByte(receive, r.record.flow(i).take, end)
	r.push(end, receive)
}
