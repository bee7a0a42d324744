//go:build linux

package live

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A link moves the frames of a port.
type link interface {
	// send takes the frame, or returns false if there is no room now; then the frame is the
	// caller's again.
	send(f *engine.Frame) (sent bool)
	// receive puts the next frame into an empty box, or reports that none has come.
	receive(b *box) (received bool)
	// release gives back what a box holds of the link's memory.
	release(b *box)
	// sleep waits for a frame, at most d; it may return early.
	sleep(d time.Duration)
	// nap returns the duration of the i-th sleep in a row.
	nap(i int) time.Duration
	wake() // from sleep, by another goroutine
	close()
}

// A box is a frame that has come in, and the memory that its payload is in: the box's own, or the
// link's until release.
type box struct {
	engine.Frame
	short [beside]byte
	own   []byte // grows to the largest payload
	block *block // of shared memory
	lent  bool   // of a stream: its buffer
}

// memory gives the box n bytes of its own for its payload. Short ones lie in the box, so that
// most messages allocate nothing; own grows to the largest piece and stays.
func (b *box) memory(n int) {
	if n <= len(b.short) {
		b.Payload = b.short[:n]
		return
	}
	if len(b.own) < n {
		b.own = make([]byte, n)
	}
	b.Payload = b.own[:n]
}

// A port is a node on real time. It implements [engine.Port].
type port struct {
	_ [2 * line]byte // ports of one process share no cache line
	link
	node    int
	epoch   uint8              // of the program; frames of other epochs are thrown away
	alone   bool               // the other node is in another process
	largest int                // the largest piece that the link takes
	cut     int                // the largest piece that a job wants
	spin    int                // polls before the processor is let go
	yield   int                // polls after those that let other goroutines run, before it sleeps
	adapts  bool               // spin changes with what adapt finds
	waits   int                // since the last trial
	tried   [2]quantity.Micros // the time of waits with polling, and without
	began   quantity.Micros    // when the trial did
	stall   quantity.Micros    // how long it waits before it gives the peer up; 0: for ever
	since   quantity.Micros    // when it began to wait
	start   time.Time
	chain   uint32          // what pauses are made of
	got     box             // what Receive returned last
	waited  bool            // got ended a wait, and the next Receive returns it
	sees    bool            // the clock is read before each poll, for seen
	seen    quantity.Micros // before the poll that ended a wait
	stash   []*box          // came in while the port waited for room
	taken   int             // how many of the stash were received
	stashed int             // bytes of the stash since it was empty
	spare   []*box          // for the stash
	place   func(f *engine.Frame, n int) []byte
	signal  atomic.Pointer[signal]
	_       [2 * line]byte
}

// A signal ends waiting: with err, it also ends the program.
type signal struct{ err error }

// lost is the panic of a port whose peer is gone; guard recovers it.
type lost struct{ error }

func newPort(node int) *port {
	// 2,000 polls take some 50 µs, longer than a message takes to come back; a wait that is
	// longer need not be quick. The 20,000 polls that yield after it are for the other
	// goroutine, which reads orders.
	p := &port{node: node, cut: math.MaxInt, spin: 2000, yield: 20000, start: time.Now()}
	// On one processor the other node cannot run while this one polls.
	if nodes > runtime.NumCPU() {
		p.spin = 20
	}
	return p
}

// raise sets the port's signal and wakes it. An error replaces an earlier signal.
func (p *port) raise(s *signal) {
	if s.err != nil {
		p.signal.Store(s)
	} else {
		p.signal.CompareAndSwap(nil, s)
	}
	p.wake()
}

// fail ends the program on this node with an error, which guard returns. A panic, since the
// methods of [engine.Port] return no errors: a loss is too rare to be checked for in every
// send.
func (p *port) fail(format string, args ...any) { panic(lost{fmt.Errorf(format, args...)}) }

func (p *port) Node() int { return p.node }

func (p *port) Nodes() int { return nodes }

func (p *port) Now() quantity.Micros { return micros(time.Since(p.start)) }

func micros(d time.Duration) quantity.Micros {
	return quantity.Micros(float64(d) / float64(time.Microsecond))
}

// Compute reads the clock until d has passed. Sleeping would give up the processor, and cold
// caches would slow down the next message. Nothing interrupts it.
func (p *port) Compute(d quantity.Micros, _ bool) (left quantity.Micros) {
	for until := p.Now() + d; p.Now() < until; {
	}
	return 0
}

func (p *port) Cut(_, left int) (piece, size int) {
	piece = min(p.largest, p.cut, left)
	return piece, piece
}

// Short is the size up to which all transports send one frame without waiting for a block.
func (p *port) Short() int { return min(beside, p.cut) }

// prepare makes the port ready for a job, whose pieces have at most the given size; 0: no bound.
func (p *port) prepare(epoch uint8, piece int) {
	p.epoch, p.cut = epoch, cmp.Or(piece, math.MaxInt)
}

// Direct implements [engine.Direct] for links that read data to its place.
func (p *port) Direct(place func(f *engine.Frame, n int) []byte) { p.place = place }

func (p *port) Send(f *engine.Frame) {
	for i := 0; !p.send(f); i++ {
		p.stuck(i)
	}
}

// maxStash bounds the bytes of frames that come in while a port waits for room: a peer could send
// them for ever. A frame costs stashCost beside its payload.
const (
	maxStash  = 64 << 20
	stashCost = int(unsafe.Sizeof(box{}))
)

// stuck waits for room, for the i-th time. It moves arrived frames to the stash, so that two nodes
// that both wait for room do not wait for each other. A box in the stash has a copy of what it
// borrowed: the memory goes back to the sender.
func (p *port) stuck(i int) {
	p.idle(i, forever)
	for {
		if len(p.spare) == 0 {
			p.spare = append(p.spare, &box{})
		}
		b := p.spare[len(p.spare)-1]
		if !p.receive(b) {
			return
		}
		p.spare = p.spare[:len(p.spare)-1]
		if b.block != nil || b.lent {
			lent := b.Payload
			b.memory(len(lent))
			copy(b.Payload, lent)
			p.release(b)
		}
		if p.stashed += len(b.Payload) + stashCost; p.stashed > maxStash {
			p.fail("node %d sends more than %d MiB while it takes nothing", 1-p.node, maxStash>>20)
		}
		p.stash = append(p.stash, b)
	}
}

func (p *port) Receive() *engine.Frame {
	b := &p.got
	if p.waited {
		p.waited = false
		return &b.Frame
	}
	// The frame before is no longer valid, so its block or buffer goes back now and not with the
	// next message.
	p.release(b)
	if p.taken < len(p.stash) {
		next := p.stash[p.taken]
		*b, *next = *next, *b
		// short is an array in the box: a payload in it must follow the copy of the box.
		if len(b.Payload) > 0 && len(b.Payload) <= len(b.short) && &b.Payload[0] == &next.short[0] {
			b.Payload = b.short[:len(b.Payload)]
		}
		p.spare = append(p.spare, next)
		if p.taken++; p.taken == len(p.stash) {
			p.stash, p.taken, p.stashed = p.stash[:0], 0, 0
		}
		return &b.Frame
	}
	if p.receive(b) {
		return &b.Frame
	}
	return nil
}

func (p *port) Wait(until quantity.Micros) {
	chain := p.chain
	p.release(&p.got)
	// A frame in the stash has come already, so there is nothing to wait for.
	for i := 0; len(p.stash) == 0; i++ {
		if p.sees {
			p.seen = p.Now()
		}
		if p.receive(&p.got) {
			p.waited, p.chain = true, chain
			if p.adapts {
				p.adapt()
			}
			return
		}
		if i >= p.spin && !p.idle(i, float64(until)) {
			return
		}
		// The chain is kept in a local variable, since its field would be a store in each poll.
		chain = pause(chain)
	}
}

// pause delays the next poll. Without it, polling takes the cache line again and again from the
// node that wants to write it, so that handing over takes longer.
func pause(chain uint32) uint32 {
	// Each step needs the result of the one before, and the result is kept in the port, so
	// neither the processor nor the compiler can shorten the pause. The numbers are those of a
	// common linear congruential generator; any would do.
	for range gap {
		chain = chain*1664525 + 1
	}
	return chain
}

// gap is the number of steps of a pause. With about 4 cycles each (a multiplication and an
// addition) it takes some 20 ns at 3 GHz, a quarter of the 85 ns that handing over takes
// (docs/live.md): a message is not seen much later, and its line is left alone for most of
// the time.
const gap = 15

// maxPolls is the number of times that a socket is polled before the port sleeps on it. A
// poll is a system call that finds nothing, of a few tenths of a µs, so the polls cover the
// times of messages over loopback (4 to 30 µs up to 64 KiB, docs/live.md) and end soon after.
const maxPolls = 500

// adapt chooses after each wait whether to poll before sleeping. Polling is faster on a processor
// that has nothing else to do, and slower on one that the other node needs. Both are tried for
// some waits, and the faster one is kept for many.
func (p *port) adapt() {
	// 16 waits are compared on each side; the next trial is 4,000 waits later, so trials cost
	// little.
	const try, keep = 16, 4000
	switch p.waits++; p.waits {
	case try, 2 * try:
		now := p.Now()
		p.tried[p.waits/try-1] = now - p.began
		p.began = now
		p.spin = 0
		if p.waits == 2*try && p.tried[0] < p.tried[1] {
			p.spin = maxPolls
		}
	case keep:
		p.waits, p.began, p.spin = 0, p.Now(), maxPolls
	}
}

// idle lets time go by before poll i+1: it spins, then yields the processor, then sleeps. It
// returns false at the time until, and when there is a signal.
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
	// Yielding lets another goroutine of this process run, such as the one that reads orders.
	if i < p.spin+p.yield {
		runtime.Gosched()
		return true
	}
	naps := i - p.spin - p.yield
	if naps == 1 { // not before: reading the clock takes time from a message that comes soon
		p.since = p.Now()
	} else if naps > 1 && p.stall > 0 && p.Now() > p.since+p.stall {
		p.fail("no message from the other node for %.3g s", float64(p.stall)/1e6)
	}
	d := p.nap(naps)
	if !math.IsInf(until, 1) {
		d = min(d, time.Duration(max(0, (until-float64(p.Now()))*1e3)))
	}
	p.sleep(d)
	return true
}

var forever = math.Inf(1)

// guard runs f, and returns the error if its port gave up.
func guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			// Any other panic is a fault of the program, and goes on.
			l, ok := r.(lost)
			if !ok {
				panic(r)
			}
			err = l.error
		}
	}()
	return f()
}
