package virtual

import (
	"math"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A port is a node as its endpoint sees it.
type port struct{ *node }

func (p port) Node() int            { return p.id }
func (p port) Nodes() int           { return len(p.net.nodes) }
func (p port) Now() quantity.Micros { return p.net.now }

func (p port) Cut(n, left int) (piece, size int, route int32) {
	piece = min(p.net.plan.pieceOf(n), left)
	route = p.net.plan.at(n, piece)
	if cut := p.net.routes[route].Cut; cut != nil {
		return piece, cut(piece), route
	}
	return piece, piece, route
}

func (p port) Alloc(n int) *engine.Frame {
	net := p.net
	if last := len(net.pool) - 1; last >= 0 {
		f := net.pool[last]
		net.pool = net.pool[:last]
		payload := f.Payload
		if cap(payload) < n {
			payload = make([]byte, n)
		}
		*f = engine.Frame{Payload: payload[:n]}
		return f
	}
	f := &engine.Frame{}
	if n > 0 {
		f.Payload = make([]byte, n)
	}
	return f
}

func (p port) Load(data []byte) *engine.Frame {
	f := p.Alloc(len(data))
	copy(f.Payload, data)
	return f
}

func (p port) Free(f *engine.Frame) { p.net.pool = append(p.net.pool, f) }

// suspend lets the run go on until the node is woken.
func (p port) suspend() {
	if !p.pause(struct{}{}) {
		panic(unwound{})
	}
}

// sleep keeps the processor busy.
func (p port) sleep(d quantity.Micros) {
	net := p.net
	until := net.now + d
	if len(net.events) == 0 || net.events[0].at > until { // nothing happens before: go there
		net.now = until
		return
	}
	net.schedule(until, p.id, event{what: wake, index: uint32(p.id), gen: p.gen})
	p.suspend()
}

// work is sleep with its place in the trace.
func (p port) work(d quantity.Micros, f *engine.Frame) {
	if p.net.trace != nil {
		p.net.trace.add(-1-int32(p.id), p.net.now, p.net.now+d, f)
	}
	if d > 0 {
		p.sleep(d)
	}
}

func (p port) Compute(d quantity.Micros, interruptible bool) (left quantity.Micros) {
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
		p.sleep(p.net.Interrupt)
	}
	return left
}

func (p port) Send(f *engine.Frame) {
	net := p.net
	if f.Control() {
		net.schedule(net.now+net.ack, p.id, event{frame: f})
		return
	}
	if cost := net.routes[f.Route].Send; cost != (Cost{}) {
		p.work(cost.Of(quantity.Bytes(f.Size())), f)
	}
	f.Stage, f.Held = 0, processor
	if !net.enter(f) {
		p.parked++
	}
}

func (p port) Room() bool { return p.parked == 0 }

func (p port) Receive() *engine.Frame {
	net := p.net
	if at, stops := net.faults.Stop[p.id]; stops && net.now >= at && p.state < stopped {
		p.turn(stopped)
	}
	if p.state == stopped {
		p.suspend()
	}
	if p.inbox.count == 0 {
		p.miss()
		return nil
	}
	f := p.inbox.pop()
	if p.blocked.count > 0 {
		g := p.blocked.pop()
		p.inbox.push(g)
		net.release(g)
	}
	if cost := net.routes[f.Route].Receive; cost != (Cost{}) && !f.Control() {
		p.work(cost.Of(quantity.Bytes(f.Size())), f)
	}
	p.empty = 0
	return f
}

// patience is how often a program may poll at one and the same time before it is taken to
// wait for the next event: no time goes by in a loop that only polls.
const patience = 10000

// miss is a poll that finds nothing.
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
		next = p.net.events[0].at
	}
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
