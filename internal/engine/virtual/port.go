package virtual

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A port is a node as the engine sees it. Its methods run in the coroutine of the node's
// program.
type port struct{ *node }

func (p port) Node() int { return p.id }

func (p port) Nodes() int { return len(p.net.nodes) }

func (p port) Now() quantity.Micros { return p.net.now }

// routeOf returns the number of the route of a frame, which depends on its message and its piece.
func (p port) routeOf(f *engine.Frame) int32 {
	if c := &p.route; c.piece != f.Total || c.whole != f.Whole || c.whole == 0 {
		route := p.net.plan.routeAt(max(1, int(f.Whole)), max(1, int(f.Total)))
		*c = choice{f.Whole, f.Total, route}
	}
	return p.route.route
}

func (p port) Cut(n, left int) (piece, size int) { return p.net.cut(n, left) }

func (p port) suspend() {
	// The run is over. The program may be deep in a call, so a panic unwinds it, which add
	// recovers.
	if !p.pause(struct{}{}) {
		panic(unwound{})
	}
}

// sleep lets d µs go by on this node.
func (p port) sleep(d quantity.Micros) {
	net := p.net
	until := net.now + d
	// Then nothing else can happen meanwhile, and the program goes on without an event.
	if len(net.events) == 0 || net.events[0].Key > until { // no event before that time
		net.now = until
		return
	}
	net.schedule(until, p.id, event{what: wake, index: uint32(p.id), gen: p.gen})
	p.suspend()
}

// work is sleep with its place in the trace. Time with messages counts as busy, the
// program's own computations do not: [Report.Busy] is compared with the overheads of a
// model.
func (p port) work(d quantity.Micros, f *engine.Frame) {
	if p.net.trace != nil {
		p.net.trace.add(-1-int32(p.id), p.net.now, p.net.now+d, f)
	}
	if f != nil {
		p.busy += d
	}
	if d > 0 {
		p.sleep(d)
	}
}

func (p port) Compute(d quantity.Micros, interruptible bool) (left quantity.Micros) {
	// Without interrupts a computation runs to its end, and packets wait in the inbox.
	if p.net.Interrupt < 0 || !interruptible {
		p.work(d, nil)
		return 0
	}
	start := p.net.now
	for p.inbox.count == 0 && p.net.now < start+d { // room in the network ends a wait too
		p.Wait(start + d)
	}
	if p.net.trace != nil {
		p.net.trace.add(-1-int32(p.id), start, p.net.now, nil)
	}
	left = start + d - p.net.now
	if left > 0 {
		// The rest of the computation follows after the handlers, so the interrupt comes on top
		// of it. A packet that comes at the end of the computation interrupts nothing.
		p.sleep(p.net.Interrupt)
	}
	return left
}

func (p port) Send(frame *engine.Frame) {
	net := p.net
	f := net.packet(frame)
	// The library's own packets cross the network in a fixed time, and occupy nothing.
	if f.Control() {
		net.schedule(net.now+net.ack, p.id, event{frame: f})
		return
	}
	f.route = p.routeOf(frame)
	r := &net.routes[f.route]
	added, _ := r.additionalWork(&f.Frame)
	if d := costOf(r.Send, quantity.Bytes(f.Size())) + added; d > 0 {
		p.work(d, &f.Frame)
	}
	f.stage, f.held = 0, processor
	// The first stage is full. Send returns all the same, as its processor time is over; Room is
	// false until the packet has entered.
	if !net.enter(f) {
		p.parked++
	}
}

func (p port) Room() bool { return p.parked == 0 }

func (p port) Receive() *engine.Frame {
	net := p.net
	if p.current != nil {
		net.pool = append(net.pool, p.current)
		p.current = nil
	}
	// A stopped node never returns from this poll. Packets pile up in its inbox and then in
	// the network, as behind a process that hangs.
	if at, stops := net.faults.Stop[p.id]; stops && net.now >= at && p.state < stopped {
		p.setState(stopped)
	}
	if p.state == stopped {
		p.suspend()
	}
	if p.inbox.count == 0 {
		p.miss()
		return nil
	}
	f := p.inbox.pop()
	// The inbox has room again: the packet that has waited longest comes in.
	if p.blocked.count > 0 {
		g := p.blocked.pop()
		p.inbox.push(g)
		net.release(g)
	}
	// The processor takes the packet out of the interface: the time is the receiver's
	// overhead.
	if r := &net.routes[f.route]; !f.Control() {
		_, added := r.additionalWork(&f.Frame)
		if d := costOf(r.Receive, quantity.Bytes(f.Size())) + added; d > 0 {
			p.work(d, &f.Frame)
		}
	}
	p.empty = 0
	p.current = f
	return &f.Frame
}

// patience is the number of polls at the same time after which a run advances to the next
// event. Without it, a program that loops over Poll until something arrives would never end,
// as its polls take no virtual time.
const patience = 10000

// miss handles a poll that finds no packet.
func (p port) miss() {
	if p.net.Poll > 0 {
		p.sleep(p.net.Poll)
		return
	}
	if p.last != p.net.now {
		p.last, p.empty = p.net.now, 0
	}
	if p.empty++; p.empty < patience {
		return
	}
	next := quantity.Micros(math.Inf(1))
	if len(p.net.events) > 0 {
		next = p.net.events[0].Key
	}
	// Until the next event nothing can change what the program polls for. At the same time,
	// other nodes have steps to make first.
	if next > p.net.now {
		p.Wait(next)
	} else {
		p.sleep(0)
	}
	p.empty = 0
}

func (p port) Wait(until quantity.Micros) {
	if p.inbox.count > 0 || until <= p.net.now {
		return
	}
	p.waiting, p.since = true, p.net.now
	if !math.IsInf(float64(until), 1) {
		p.net.schedule(until, p.id, event{what: wake, index: uint32(p.id), gen: p.gen})
	}
	p.suspend()
}
