package simulate

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/machine"
)

// flows holds the messages in transit that share capacity fairly. It is nil on machines without
// fair shares.
//
// The bytes of a message that is larger than a level's [machine.Level.Packet] flow at a rate of at
// most size/Serialization. No shared resource exceeds its capacity: for each unit that several
// messages use, and for the NICs of both ranks, the sum of rate · occupancy/size over those
// messages is at most 1, where a NIC is occupied for the gap. A message also takes the part
// [machine.Level.Reverse] of this from the opposite direction of each. The rates are max-min fair
// (Bertsekas, Gallager, Data Networks, §6.5.2): all rates rise together; a rate that can rise no
// further stays, while the remaining rates rise on. They are recomputed, once for each moment, when
// a flow begins or ends. Messages from one rank to another begin at least a gap after each other,
// and are received in this order.
type flows struct {
	pairs   map[[2]uint32]*inOrder // by sender and receiver
	active  []flow
	states  []flowState     // by send
	sent    map[uint32]link // by recorded send: the step that sent the data
	now     uint64          // time at which the rates were computed
	next    uint64          // time at which the first flow ends
	pending bool            // the rates must be computed at the end of this moment
	free    []float64       // by resource: the remaining capacity
	load    []float64       // by resource: its use by flows with rising rates, for each byte per tick
	rising  []int           // by resource: number of flows with rising rates
	users   []int           // by resource: number of flows that use it
	seed    uint32          // of the ranks' first moments
}

// A flow is one message. Its rate is in messages per tick.
type flow struct {
	op         uint32
	start      uint64
	left, rate float64 // remaining fraction of the message, and fraction per tick
	most       float64 // rate of the message without competing flows
	size       float64
	uses       []use
	by         link // the step that sent it
}

// A flowState is how far a send's bytes are.
type flowState uint8

const (
	unsent   flowState = iota
	admitted           // the flow has a time at which it begins
	arrived            // the last byte has arrived
)

// inOrder holds the flows from one rank to another that are not received yet.
type inOrder struct {
	ready uint64 // earliest time at which the next one may begin
	sends []uint32
}

// A use is the number of ticks for which a message occupies a resource.
type use struct {
	resource int
	ticks    float64
}

// flowTick marks a queue entry at whose time flows end or rates are computed.
const flowTick = message | armed

func newFlows(m Machine, operations int, seed uint64) *flows {
	l, ok := m.(*levels)
	if !ok || !l.flows() {
		return nil
	}
	n := 2*l.ranks() + l.resources()
	return &flows{pairs: map[[2]uint32]*inOrder{}, states: make([]flowState, operations), sent: map[uint32]link{}, next: math.MaxUint64,
		free: make([]float64, n), load: make([]float64, n), rising: make([]int, n), users: make([]int, n), seed: uint32(seed)}
}

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

// flows reports whether messages of any size have fair shares.
func (l *levels) flows() bool {
	return slices.ContainsFunc(l.Levels, func(l machine.Level) bool { return l.Packet > 0 })
}

// fair reports whether a message of n bytes has fair shares.
func (l *levels) fair(level int, n uint64) bool {
	packet := float64(l.at(level).Packet)
	return packet > 0 && n != handshake && float64(n) > packet
}

// flow begins the flow of send i, whose first byte is at the receiver. It returns false if the
// message does not flow, or has flowed already.
func (r *run) flow(i uint32, t uint64) (bool, error) {
	if r.flows == nil || r.flows.states[i] == arrived || r.nodes[i].waits == requested {
		return false, nil
	}
	n, op := &r.nodes[i], &r.ops[i]
	c, err := r.costs.messageCost(n.rank, op.Peer, op.Size)
	if err != nil || !c.fair || c.rendezvous && n.waits == flying {
		return false, err
	}
	pair := [2]uint32{n.rank, op.Peer}
	q := r.flows.pairs[pair]
	if q == nil {
		q = &inOrder{}
		r.flows.pairs[pair] = q
	}
	if r.flows.states[i] == unsent {
		r.flows.states[i] = admitted
		q.sends = append(q.sends, i)
		begin := max(t, q.ready)
		q.ready = begin + c.gap
		if begin > t {
			r.push(begin, i|message)
			return true, nil
		}
	}
	f := flow{op: i, start: t, left: 1, size: float64(op.Size), by: r.flows.sent[i]}
	alone, err := r.uses(&f, n.rank, op.Peer, c, 1)
	if reverse := r.shared.at(r.shared.Level(int(n.rank), int(op.Peer))).Reverse; err == nil && reverse > 0 {
		_, err = r.uses(&f, op.Peer, n.rank, c, reverse)
	}
	if err != nil {
		return false, err
	}
	f.most = 1 / alone
	r.flows.active = append(r.flows.active, f)
	r.computeRates(t)
	return true, nil
}

// uses adds to a flow the resources on the way from one rank to another, of which it takes a part,
// and returns how long the message takes there alone, in ticks.
func (r *run) uses(f *flow, from, to uint32, c *cost, part float64) (alone float64, err error) {
	add := func(resource int, ticks uint64) {
		if ticks > 0 {
			f.uses = append(f.uses, use{resource, part * float64(ticks)})
		}
	}
	ranks := r.s.Ranks()
	alone = float64(c.stream)
	links, err := r.shared.pass(from, to, r.ops[f.op].Size, c.gap, func(resource int, inside bool, o occupancy) {
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
	return alone, err
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
	r.flows.states[w.op] = arrived
	c, err := r.costs.messageCost(n.rank, op.Peer, op.Size)
	if err != nil {
		return // the same cost was valid when the flow began
	}
	if took := t - w.start; took > c.stream {
		r.recordSharingDelay(w.op, took-c.stream)
	}
	left := t
	if !c.joint {
		left = uint64(int64(t) - c.latency)
	}
	if left > r.out[n.rank] {
		r.out[n.rank] = left
		r.recordLastByte(n.rank, w.by)
	}
	if n.waits == streaming {
		r.finish(r.s.AfterDone(w.op), left, w.by.as(atDone))
		r.insertFree(n.rank, r.here, nil)
		r.here = r.here[:0]
	}
	q := r.flows.pairs[[2]uint32{n.rank, op.Peer}]
	for len(q.sends) > 0 && r.flows.states[q.sends[0]] == arrived {
		r.push(t, q.sends[0]|message)
		q.sends = q.sends[1:]
	}
}

// firstByte returns the arrival time of the first byte of message i, if t is the time of its
// arrival or, if the message flowed, of its last byte.
func (r *run) firstByte(i uint32, t uint64) (uint64, error) {
	if r.flows == nil || r.flows.states[i] != arrived {
		return t, nil
	}
	c, err := r.costs.messageCost(r.nodes[i].rank, r.ops[i].Peer, r.ops[i].Size)
	if err != nil {
		return t, err
	}
	return t - min(c.stream, t), nil
}

// share computes the rates of all flows.
func (f *flows) share() {
	var used []int
	open := make([]*flow, len(f.active))
	single := func(resource int) bool { return f.users[resource] < 2 }
	for i := range f.active {
		w := &f.active[i]
		open[i] = w
		for _, u := range w.uses {
			if f.rising[u.resource] == 0 {
				used = append(used, u.resource)
				f.free[u.resource], f.load[u.resource], f.users[u.resource] = 1, 0, 0
			}
			f.rising[u.resource]++
			f.users[u.resource]++
			f.load[u.resource] += u.ticks / w.size
		}
	}
	for len(open) > 0 {
		rate := math.Inf(1) // bytes per tick: the lowest rate at which a flow can rise no further
		for _, u := range used {
			if f.rising[u] > 0 && !single(u) {
				rate = min(rate, f.free[u]/f.load[u])
			}
		}
		for _, w := range open {
			rate = min(rate, w.most*w.size)
		}
		limit := rate * (1 + 1e-9)
		var stopped []*flow
		open = slices.DeleteFunc(open, func(w *flow) bool {
			stops := w.most*w.size <= limit || slices.ContainsFunc(w.uses, func(u use) bool { return !single(u.resource) && f.free[u.resource] <= limit*f.load[u.resource] })
			if stops {
				stopped = append(stopped, w)
			}
			return stops
		})
		for _, w := range stopped {
			w.rate = rate / w.size
			for _, u := range w.uses {
				f.rising[u.resource]--
				f.free[u.resource] = max(f.free[u.resource]-w.rate*u.ticks, 0)
				f.load[u.resource] -= u.ticks / w.size
			}
		}
	}
}
