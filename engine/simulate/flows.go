package simulate

import "math"

// skewStarts delays the first operations of each rank by up to 10 ns, the same in each run of a
// seed. Ranks that begin at exactly the same time keep in step, since equal flows end together;
// that state is unstable, and no clock keeps ranks in it.
func (r *run) skewStarts() {
	if r.flows == nil {
		return
	}
	const most = 10 * picos / nanos
	for i := range r.ready {
		if r.nodes[i].waits == 0 {
			r.ready[i] = uint64(r.nodes[i].rank*(2654435761^r.flows.seed<<1)) % most
		}
	}
}

// flow begins the flow of send i, whose first byte is at the receiver. It returns false if the
// message does not flow, or has flowed already. A message or request that does not flow waits for
// the flows between its ranks that began before, since receives match messages in the order sent.
func (r *run) flow(i uint32, t uint64) bool {
	if r.flows == nil || r.flows.states[i] == arrived || r.nodes[i].waits == requested {
		return false
	}
	n, op := &r.nodes[i], &r.ops[i]
	c := r.messageCost(n.rank, op.Peer, op.Size)
	pair := [2]uint32{n.rank, op.Peer}
	q := r.flows.pairs[pair]
	request := c.rendezvous && n.waits == flying
	switch {
	case r.flows.states[i] == released:
		r.flows.states[i] = unsent
		return false
	case request || !c.fair && !c.rendezvous:
		if q == nil || len(q.sends) == 0 {
			return false
		}
		r.flows.states[i], r.ready[i] = behind, t
		q.sends = append(q.sends, i)
		return true
	case !c.fair:
		return false
	case q == nil:
		q = &inOrder{}
		r.flows.pairs[pair] = q
	}
	if r.flows.states[i] == unsent {
		r.flows.states[i] = admitted
		q.sends = append(q.sends, i)
		begin := max(t, q.ready)
		q.ready = begin + c.gap
		if begin > t {
			r.recordDelay(i, delay{shared: begin - t})
			r.push(begin, i|message)
			return true
		}
	}
	f := flow{op: i, start: t, left: 1, size: float64(op.Size), by: r.flows.sent[i]}
	f.most = 1 / r.uses(&f, n.rank, op.Peer, c, 1)
	if reverse := r.shared.levelAt(r.shared.Level(int(n.rank), int(op.Peer))).Reverse; reverse > 0 {
		r.uses(&f, op.Peer, n.rank, c, reverse)
	}
	r.flows.active = append(r.flows.active, f)
	r.computeRates(t)
	return true
}

// uses adds to a flow the resources on the way from one rank to another, each with the given part
// of its occupancy. It returns how long the message takes there alone, in ticks.
func (r *run) uses(f *flow, from, to uint32, c *cost, part float64) (alone float64) {
	add := func(resource int, ticks uint64) {
		if ticks > 0 {
			f.uses = append(f.uses, use{resource, part * float64(ticks)})
		}
	}
	ranks := r.s.Ranks()
	alone = float64(c.stream)
	links := r.shared.pass(from, to, r.ops[f.op].Size, c.gap,
		func(resource int, inside bool, o occupancy) {
			if o.each > 0 {
				alone = max(alone, float64(o.alone))
			}
			if !inside || part == 1 { // the inside has no direction
				add(2*ranks+resource, o.each)
			}
		})
	if links == 0 {
		add(int(from), c.gap)
		add(ranks+int(to), c.intake)
	}
	return alone
}

// computeRates schedules a computation of the rates for the end of moment t.
func (r *run) computeRates(t uint64) {
	if !r.flows.pending {
		r.flows.pending = true
		r.push(t, flowTick)
	}
}

// flowOn advances all flows to time t, ends the flows that are complete, and computes the rates.
func (r *run) flowOn(t uint64) {
	f := r.flows
	if t != f.next && !f.pending {
		return // the rates have changed since
	}
	f.pending = false
	passed := float64(t - f.now)
	f.now = t
	going := f.active[:0]
	var ended []flow
	for _, w := range f.active {
		if w.start < t {
			w.left -= w.rate * passed
		}
		if w.rate > 0 && w.left <= w.rate {
			ended = append(ended, w)
			continue
		}
		going = append(going, w)
	}
	f.active = going
	for _, w := range ended {
		r.endFlow(w, t)
	}
	f.share()
	f.next = math.MaxUint64
	for _, w := range f.active {
		f.next = min(f.next, t+uint64(math.Ceil(w.left/w.rate)))
	}
	if len(f.active) > 0 {
		r.push(f.next, flowTick)
	}
}

// endFlow completes the message of a flow whose last byte has arrived.
func (r *run) endFlow(w flow, t uint64) {
	n, op := &r.nodes[w.op], &r.ops[w.op]
	r.flows.states[w.op], r.ready[w.op] = arrived, t
	c := r.messageCost(n.rank, op.Peer, op.Size)
	if took := t - w.start; took > c.stream {
		r.recordDelay(w.op, delay{shared: took - c.stream})
	}
	left := t
	if !c.joint {
		left = uint64(int64(t) - c.latency)
	}
	r.setLastByte(n.rank, left, w.by)
	if n.waits == streaming {
		r.finish(r.s.AfterDone(w.op), left, w.by.as(atDone))
		r.insertFree(n.rank, r.here, nil)
		r.here = r.here[:0]
	}
	q := r.flows.pairs[[2]uint32{n.rank, op.Peer}]
	for ; len(q.sends) > 0; q.sends = q.sends[1:] {
		i := q.sends[0]
		by := delay{order: t - r.ready[i]}
		switch r.flows.states[i] {
		case arrived:
		case behind:
			r.flows.states[i] = released
			if r.messageCost(n.rank, op.Peer, r.ops[i].Size).rendezvous {
				by = delay{request: by.order}
			}
		default:
			return
		}
		r.recordDelay(i, by)
		r.push(t, i|message)
	}
}

// firstByte returns the arrival time of the first byte of message i, if t is the time of its
// arrival or, if the message flowed, of its last byte.
func (r *run) firstByte(i uint32, t uint64) uint64 {
	if r.flows == nil || r.flows.states[i] != arrived {
		return t
	}
	c := r.messageCost(r.nodes[i].rank, r.ops[i].Peer, r.ops[i].Size)
	return t - min(c.stream, t)
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
