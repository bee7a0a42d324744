//go:build linux

package live

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A link moves the frames of a port.
type link interface {
	// send takes the box, or says that there is no room now.
	send(b *box) (sent bool)
	// receive returns the next box, or nil.
	receive() *box
	// room prepares the box for n bytes, or says that there is no memory now.
	room(b *box, n int) bool
	// load is room for data and a copy of it, or lends data itself until it is sent.
	load(b *box, data []byte) bool
	// release gives back what a box holds of the link's memory.
	release(b *box)
	// sleep waits for a frame, at most d; it may return early.
	sleep(d time.Duration)
	// nap is how long to sleep for the i-th time in a row.
	nap(i int) time.Duration
	wake() // from sleep, by another goroutine
	close()
}

// A box is a frame with its memory. The frame comes first: a pointer to it is one to the box.
type box struct {
	engine.Frame
	own    []byte // headerSize bytes for the header, then data
	block  *block // shared memory that holds the payload instead
	lender *stream
	lent   bool // the payload is memory of the program, until it is sent
}

func boxOf(f *engine.Frame) *box { return (*box)(unsafe.Pointer(f)) }

// memory makes the box's own memory the payload.
func (b *box) memory(n int) {
	if len(b.own) < headerSize+n {
		b.own = make([]byte, headerSize+max(n, inline))
	}
	b.Payload, b.lent = b.own[headerSize:headerSize+n], false
}

// lendFrom is the size of payloads that are not copied behind the header before they are sent.
const lendFrom = 1 << 10

// borrow makes data the payload, or a copy of it if it is small.
func (b *box) borrow(data []byte) bool {
	if len(data) < lendFrom {
		b.memory(len(data))
		copy(b.Payload, data)
		return true
	}
	b.memory(0)
	b.Payload, b.lent = data, true
	return true
}

// parts are the header and the data, or both and nothing.
func (b *box) parts() (head, data []byte) {
	if b.lent {
		return b.own[:headerSize], b.Payload
	}
	return b.own[:headerSize+len(b.Payload)], nil
}

// A port is a node on real time. It implements [engine.Port].
type port struct {
	_ [2 * line]byte // ports of one process are in lines of the cache of their own
	link
	node, nodes int
	epoch       uint8              // of the program: frames of others are thrown away
	alone       bool               // no other node is in this process
	largest     int                // piece that the link takes
	cut         int                // a smaller largest piece that a job wants; else 0
	spin        int                // polls before the processor is let go
	yield       int                // polls after those that let other goroutines run, before it sleeps
	adapts      bool               // the spin to what was found in time
	waits       int                // since the last trial
	tried       [2]quantity.Micros // the time of waits with polling, and without
	began       quantity.Micros    // when the trial did
	stall       quantity.Micros    // how long it waits before the peer is given up; 0: for ever
	since       quantity.Micros    // when it began to
	start       time.Time
	free        []*box
	chain       uint32          // what pauses are made of
	next        *box            // ended a wait
	sees        bool            // the clock is read before each poll, for seen
	seen        quantity.Micros // before the poll that ended a wait
	stash       []*box          // came in while the port waited for room
	taken       int             // how many of the stash were received
	place       func(f *engine.Frame, n int) []byte
	signal      atomic.Pointer[signal]
	_           [2 * line]byte
}

// A signal ends waiting: with err, it also ends the program.
type signal struct{ err error }

// lost is what a port panics with when its peer is gone; run recovers it.
type lost struct{ error }

func newPort(node, nodes int) *port {
	p := &port{node: node, nodes: nodes, spin: 2000, yield: 20000, start: time.Now()}
	if nodes > runtime.NumCPU() {
		p.spin = 20
	}
	return p
}

// tell gives the port a signal, and wakes it. An error replaces what was there.
func (p *port) tell(s *signal) {
	if s.err != nil {
		p.signal.Store(s)
	} else {
		p.signal.CompareAndSwap(nil, s)
	}
	p.wake()
}

// fail ends the program on this node with an error.
func (p *port) fail(format string, args ...any) { panic(lost{fmt.Errorf(format, args...)}) }

func (p *port) Node() int            { return p.node }
func (p *port) Nodes() int           { return p.nodes }
func (p *port) Now() quantity.Micros { return micros(time.Since(p.start)) }
func micros(d time.Duration) quantity.Micros {
	return quantity.Micros(float64(d) / float64(time.Microsecond))
}

func (p *port) Compute(d quantity.Micros, _ bool) (left quantity.Micros) {
	for until := p.Now() + d; p.Now() < until; {
	}
	return 0
}

func (p *port) Cut(_, left int) (piece, size int, route int32) {
	if piece = p.largest; p.cut > 0 {
		piece = min(piece, p.cut)
	}
	piece = min(piece, left)
	return piece, piece, 0
}

// box is an empty box.
func (p *port) box() *box {
	if last := len(p.free) - 1; last >= 0 {
		b := p.free[last]
		p.free = p.free[:last]
		return b
	}
	return &box{}
}

func (p *port) Alloc(n int) *engine.Frame {
	b := p.box()
	for i := 0; !p.room(b, n); i++ {
		p.stuck(i)
	}
	return &b.Frame
}

func (p *port) Load(data []byte) *engine.Frame {
	b := p.box()
	for i := 0; !p.load(b, data); i++ {
		p.stuck(i)
	}
	return &b.Frame
}

// Direct is for links that read data to its place.
func (p *port) Direct(place func(f *engine.Frame, n int) []byte) { p.place = place }

func (p *port) Free(f *engine.Frame) {
	b := boxOf(f)
	if b.block != nil || b.lender != nil {
		p.release(b)
	}
	p.free = append(p.free, b)
}

func (p *port) Send(f *engine.Frame) {
	b := boxOf(f)
	for i := 0; !p.send(b); i++ {
		p.stuck(i)
	}
}

// stuck is what a port does while it waits for room, for the i-th time. It moves what has come in to the stash, so
// that two nodes that both wait for room do not wait for each other.
func (p *port) stuck(i int) {
	p.idle(i, forever)
	for b := p.receive(); b != nil; b = p.receive() {
		if b.block != nil || b.lender != nil {
			c := p.box()
			c.memory(len(b.Payload))
			copy(c.Payload, b.Payload)
			payload := c.Payload
			c.Frame = b.Frame
			c.Payload = payload
			p.Free(&b.Frame)
			b = c
		}
		p.stash = append(p.stash, b)
	}
}

func (p *port) Receive() *engine.Frame {
	if p.taken < len(p.stash) {
		b := p.stash[p.taken]
		if p.taken++; p.taken == len(p.stash) {
			p.stash, p.taken = p.stash[:0], 0
		}
		return &b.Frame
	}
	b := p.next
	if p.next = nil; b == nil {
		if b = p.receive(); b == nil {
			return nil
		}
	}
	return &b.Frame
}

func (p *port) Wait(until quantity.Micros) {
	chain := p.chain
	for i := 0; len(p.stash) == 0; i++ {
		if p.sees {
			p.seen = p.Now()
		}
		if b := p.receive(); b != nil {
			p.next, p.chain = b, chain
			if p.adapts {
				p.adapt()
			}
			return
		}
		if i >= p.spin && !p.idle(i, float64(until)) {
			return
		}
		chain = pause(chain)
	}
}

// pause takes some 15 ns. A cache line that is polled without a pause is taken from the node that wants to write
// it, again and again: a hand-over then takes half as long again, and three times as long at worst.
func pause(chain uint32) uint32 {
	for range gap {
		chain = chain*1664525 + 1
	}
	return chain
}

const gap = 15

// mostPolls is the most that a socket is polled before it is slept on.
const mostPolls = 500

// adapt chooses whether to poll before sleeping, after each wait: polling is faster where the processor has
// nothing else to do, and slower where the other node wants it. Both are tried for some waits, and
// the faster is kept for many.
func (p *port) adapt() {
	const try, keep = 16, 4000
	switch p.waits++; p.waits {
	case try, 2 * try:
		now := p.Now()
		p.tried[p.waits/try-1] = now - p.began
		p.began = now
		p.spin = 0
		if p.waits == 2*try && p.tried[0] < p.tried[1] {
			p.spin = mostPolls
		}
	case keep:
		p.waits, p.began, p.spin = 0, p.Now(), mostPolls
	}
}

// idle lets time go by before poll i+1: it spins, then yields the processor, then sleeps. It returns
// false at the time until, and when there is a signal.
func (p *port) idle(i int, until float64) bool {
	if i < p.spin {
		return true
	}
	if s := p.signal.Load(); s != nil {
		if s.err != nil {
			panic(lost{s.err})
		}
		return false
	}
	if !math.IsInf(until, 1) && float64(p.Now()) >= until {
		return false
	}
	if i < p.spin+p.yield {
		runtime.Gosched()
		return true
	}
	if now := p.Now(); i == p.spin+p.yield {
		p.since = now
	} else if p.stall > 0 && now > p.since+p.stall {
		p.fail("the other node has said nothing for %.3g s", float64(p.stall)/1e6)
	}
	d := p.nap(i - p.spin - p.yield)
	if left := (until - float64(p.Now())) * 1e3; left < float64(d) {
		d = max(0, time.Duration(left))
	}
	p.sleep(d)
	return true
}

var forever = math.Inf(1)
