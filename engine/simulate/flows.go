package simulate

import "math"

// mostSkew is 10 ns: below the noise of any network, and above the tick by enough that all ranks
// differ.
const mostSkew = 10 * picos / nanos

// skewStarts delays the first operations of each rank by up to 10 ns, the same in each run of a
// seed. Ranks that begin at exactly the same time keep in step, since equal flows end together;
// that state is unstable, and no clock keeps ranks in it.
func (r *run) skewStarts() {
	if r.flows == nil || !r.shared.byNIC {
		return
	}
	for i := range r.ready {
		if r.nodes[i].waits == 0 {
			// A multiplicative hash (Knuth, TAOCP 3, §6.4) spreads neighbouring ranks, which a
			// shift by their number would keep in step at a distance.
			r.ready[i] = uint64(r.nodes[i].rank*(2654435761^r.flows.seed<<1)) % mostSkew
		}
	}
}

// flow begins the flow of send i, if its message flows, when its first byte is at the receiver. It
// returns false if that must wait for messages between the same ranks: NICs that interleave
// messages begin the next one of a pair a gap after the last unless they overlap, and no message
// overtakes another.
func (r *run) flow(i uint32, t uint64) bool {
	if r.flows == nil {
		return true
	}
	n, op := &r.nodes[i], &r.ops[i]
	c := r.messageCost(n.rank, op.Peer, op.Size)
	data := !c.rendezvous && !c.deferred || n.waits == streaming
	way := &r.flows.transits[i]
	way.cost = c
	pair := r.flows.pairs.of[i]
	if !way.admitted && pair > 0 && r.shared.byNIC && (c.interleaved || n.waits == flying) {
		way.admitted = true
		turn := &r.flows.turns[pair]
		begin := max(t, turn.last)
		if c.interleaved && data && !c.overlaps {
			begin = max(t, turn.next)
			turn.next = begin + c.gap
		}
		turn.last = begin
		if begin > t {
			by := delay{shared: begin - t}
			if !data {
				by = delay{request: begin - t}
			}
			r.recordDelay(i, by)
			r.push(begin, i|message)
			return false
		}
	}
	if !data {
		way.admitted = false // the data take a turn of their own
	} else if c.flows {
		way.state = inTransit
		if r.recording {
			r.flows.recorded[i].started = t
		}
		// The same entry comes again after the lag, when the bytes reach what they share.
		if b := r.bundleOf(i); b.lag > 0 {
			way.lags = true
			r.push(t+b.lag, i|message)
		} else {
			r.beginFlow(b, i, t)
		}
	}
	return true
}

// beginFlow begins the flow of send i in its bundle, unless it must wait for flows between the same
// ranks.
func (r *run) beginFlow(b *bundle, i uint32, t uint64) {
	if r.followsOthers(i) {
		before := r.lastFlow(i)
		last := *before
		if *before = i + 1; last > 0 {
			r.flows.transits[last-1].next = i + 1
			return
		}
	}
	r.flows.begin(b, i, t)
	r.computeRates(t)
}

// followsOthers reports whether the flow of send i waits for those before it between the same
// ranks, and those behind it for it. A channel is one connection, so that its messages follow each
// other where NICs interleave, too.
func (r *run) followsOthers(i uint32) bool {
	c := r.flows.transits[i].cost
	return r.flows.pairs.of[i] > 0 && (!c.interleaved || r.ops[i].NIC > 0 && !c.overlaps)
}

// lastFlow returns the place of the last send, plus 1, that flows between the ranks of send i by
// its NIC.
func (r *run) lastFlow(i uint32) *uint32 {
	pair, nics := int(r.flows.pairs.of[i]), len(r.nics.list)
	return &r.flows.last[pair*nics+r.nics.number(r.ops[i].NIC)]
}

// follow begins the flow that waits for send i, whose flow is far enough.
func (r *run) follow(i uint32, t uint64) {
	if !r.followsOthers(i) {
		return
	}
	next := r.flows.transits[i].next
	if next == 0 {
		*r.lastFlow(i) = 0
		return
	}
	r.flows.begin(r.bundleOf(next-1), next-1, t)
}

// bundleOf returns the bundle of the message of send i, whose cost is known.
func (r *run) bundleOf(i uint32) *bundle {
	from, to, size := r.nodes[i].rank, r.ops[i].Peer, r.ops[i].Size
	c := r.flows.transits[i].cost
	k := bundleKey{from: from, to: to, size: size}
	if r.shared.rails > 1 {
		k.channel = r.ops[i].NIC
	}
	if !c.interleaved && !r.shared.byRank {
		k.from, k.to = r.shared.unitsOf(int(from))[0], r.shared.unitsOf(int(to))[0]
	}
	near := &r.flows.near[k.hash()]
	if near.key == k && near.bundle != nil {
		return near.bundle
	}
	if b := r.flows.bundles[k]; b != nil {
		*near = nearBundle{k, b}
		return b
	}
	b := &bundle{size: float64(max(size, 1)) * r.shared.slowness(int(from), int(to))}
	bytes := r.addUses(b, k.channel, from, to, size, c)
	// Where a message uses nothing, as on links without a layer, the flow is all of its time.
	if c.interleaved && len(b.uses) > 0 {
		// Bytes that take longer than they occupy anything pass stages that nobody shares. Messages
		// that NICs do not interleave follow each other, so their order counts, not their shares.
		own := b.alone
		for _, u := range b.uses {
			own = max(own, u.ticks)
		}
		b.lag = uint64(max(float64(c.stream)-own, 0))
	}
	b.alone = max(b.alone, float64(c.stream-b.lag))
	// The bytes of a message alone pass its slowest resource, and a gap follows them.
	b.excess = b.alone - max(float64(c.stream-b.lag), bytes)
	b.ahead = max(b.alone-float64(c.gap), 0)
	for i := range b.uses {
		u := &b.uses[i]
		u.demand = int64(math.Round(u.ticks / b.alone * fullSpeed))
	}

	return r.flows.add(k, b)
}

// addUses adds to a bundle the resources on the way from one rank to another, and the part that the
// message takes of their opposite directions. It returns the longest time, in ticks, that one of
// them needs for the bytes.
func (r *run) addUses(b *bundle, channel uint16, from, to uint32, size uint64, c *cost) (
	bytes float64) {
	ranks := r.s.Ranks()
	links := r.shared.pass(from, to, channel, size, c, func(resource, opposite int, o occupancy) {
		if resource != none && o.each > 0 {
			b.alone = max(b.alone, float64(o.alone))
			bytes = max(bytes, float64(o.bytes))
			b.use(2*ranks+resource, float64(o.each))
		}
		if opposite != none {
			b.use(2*ranks+opposite, o.reverse*float64(o.each))
		}
	})
	if c.interleaved && links == 0 {
		reverse := r.shared.levelAt(r.shared.Level(int(from), int(to))).Reverse
		nic := c.nic
		if channel > 0 {
			nic = c.railNIC
		}
		send, receive := float64(nic), float64(min(c.intake, nic))
		b.use(int(from), send)
		b.use(ranks+int(to), receive)
		b.use(ranks+int(from), reverse*send)
		b.use(int(to), reverse*receive)
	}
	return bytes
}

// use adds a resource that a message occupies, if it does.
func (b *bundle) use(resource int, ticks float64) {
	if ticks > 0 {
		b.uses = append(b.uses, use{resource: uint32(resource), ticks: ticks})
	}
}

// computeRates schedules a computation of the rates for the end of moment t.
func (r *run) computeRates(t uint64) {
	if !r.flows.pending {
		r.flows.pending, r.flows.held = true, true
		r.flows.tick = r.entry(t, flowTick)
	}
}

// flowOn delivers and ends the flows that are complete at time t, and computes the rates.
func (r *run) flowOn(t uint64) {
	f := r.flows
	if t == f.queued {
		f.queued = math.MaxUint64 // this entry may be that one
	}
	if t == f.wake.time {
		f.wake.time = math.MaxUint64
	}
	if t != f.next && !f.pending { // the rates have changed since
		r.queueFlows()
		return
	}
	f.pending = false
	for len(f.due) > 0 && f.due[0].event <= t {
		b := f.due[0]
		b.advance(t)
		// Events are rounded to ticks: a flow is complete within half of one.
		for b.delivered < len(b.flows) && f.untilEnd(b, b.delivered)-b.excess < 0.5 {
			b.arrived += b.flows[b.delivered].until
			b.delivered++
			r.deliver(b.flows[b.delivered-1].op, t)
		}
		for b.followed < len(b.flows) && b.remaining(b.followed)-b.untilNext() < 0.5 {
			b.followed++
			r.follow(b.flows[b.followed-1].op, t)
		}
		for min(b.delivered, b.followed) > 0 && b.remaining(0) < 0.5 {
			r.flows.end(b)
		}
		if len(b.flows) > 0 {
			f.schedule(b)
		}
	}
	f.share(t)
	if f.next = f.settle; len(f.due) > 0 {
		f.next = min(f.next, f.due[0].event)
	}
	if f.next == math.MaxUint64 {
		return
	}
	if f.next != f.wake.time { // else the first entry of that time serves
		f.wake = r.entry(f.next, flowTick)
	}
	r.queueFlows()
}

// queueFlows queues the entry for the next event of flows, unless an earlier one is in the queue,
// which will do so. Each flow that begins may delay those before it: the entries made meanwhile
// would all come too early.
func (r *run) queueFlows() {
	if f := r.flows; f.wake.time < f.queued {
		f.queued = f.wake.time
		r.q.push(f.wake)
	}
}

// deliver completes the message of send i, whose last byte arrives at time t.
func (r *run) deliver(i uint32, t uint64) {
	n, way := &r.nodes[i], &r.flows.transits[i]
	c := way.cost
	left := t
	if !c.joint {
		left = uint64(int64(t) - c.latency)
	}
	var record recordedFlow
	if r.recording {
		record = r.flows.recorded[i]
		if took := t - record.started; took > c.stream {
			r.recordDelay(i, delay{flow: took - c.stream})
		}
	}
	by := record.sent
	r.setLastByte(n.rank, left, by)
	if _, held := r.holds[i]; c.rendezvous && !held {
		r.finish(r.ended(i), left, by.as(atDone))
		r.insertFree(n.rank, r.here, nil)
		r.here = r.here[:0]
	}
	if way.state == taken {
		end := max(t, way.since+c.stream)
		r.recordLastByte(n.next, record.take, end)
		r.push(end, n.next)
	}
	way.state, way.since = arrived, t
}

// inTurn returns when message i, or its request, arrives: at t, or later if a message before it
// arrives later. Messages of a channel, and all from one rank to a rank with wildcards, arrive in
// the order sent. A message that flows also leaves its rank later.
func (r *run) inTurn(i uint32, request, flows bool, t uint64) uint64 {
	latest := t
	switch n := &r.nodes[i]; n.channel {
	case noChannel:
	case wildChannel:
		pair := [2]uint32{n.rank, r.ops[i].Peer}
		latest = max(t, r.shared.wild[pair])
		r.shared.wild[pair] = latest
	default:
		latest = max(t, r.shared.turns[n.channel])
		r.shared.turns[n.channel] = latest
	}
	switch by := latest - t; {
	case request:
		r.recordDelay(i, delay{request: by})
	case flows:
		r.recordDelay(i, delay{shared: by})
	default:
		r.recordDelay(i, delay{order: by})
	}
	return latest
}
