//go:build linux

package live

import (
	"encoding/binary"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// shared is a node's view of shared memory. It implements link.
type shared struct {
	*port
	unmap        func() error
	in, out      ringEnd
	mine, theirs *pool
	next         int // the block to try first
}

type ringEnd struct {
	*ring
	at    uint32 // the slot's number
	freed uint32 // last value of ring.read that this end has written, or read
}

// newShared makes a node of sharedSize bytes of memory, cleared and aligned to cache lines.
func newShared(memory []byte, node int, unmap func() error) *port {
	p := newPort(node)
	l := (*layout)(unsafe.Pointer(&memory[0]))
	p.link = &shared{
		port: p, unmap: unmap,
		in: ringEnd{ring: &l.rings[1-node]}, out: ringEnd{ring: &l.rings[node]},
		mine: &l.pools[node], theirs: &l.pools[1-node],
	}
	p.largest = blockSize
	return p
}

func (s *shared) release(b *box) {
	if b.block != nil {
		publish(&b.block.used, 0)
		b.block = nil
	}
}

func (s *shared) take() *block {
	for i := range blocks {
		at := (s.next + i) % blocks
		if k := &s.mine.block[at]; atomic.LoadUint32(&k.used) == 0 {
			k.used = 1 // which the receiver does not read
			s.next = at + 1
			return k
		}
	}
	return nil
}

func (s *shared) send(f *engine.Frame) bool { s.Send(f); return true }

// Send sends a frame as [engine.Port] requires, without calls of the port. It stores the data
// before the header: the reader polls the cache line of the header, and would take it away during
// the copy.
func (s *shared) Send(f *engine.Frame) {
	r := &s.out
	// The reader's count is loaded only when the ring seems full: each load takes its cache line.
	for i := 0; r.at-r.freed >= slots; i++ {
		if r.freed = atomic.LoadUint32(&r.ring.read); r.at-r.freed >= slots {
			s.stuck(i)
		}
	}
	q := &r.slot[r.at%slots]
	n := len(f.Payload)
	// Up to 16 bytes travel in the words of the header, so the message is one cache line.
	if n > 0 && n <= inWords && f.NWords == 0 {
		low, high := pack(f.Payload)
		q.block, q.epoch = -1, uint16(s.epoch)
		q.Set(&f.Header)
		w := q.wide()
		w[0], w[1] = low, high
	} else {
		number := int16(-1)
		// Three places, from the nearest: in the slot, beside it, in a block.
		if n > inline && n <= beside {
			number = -2
			copy(r.data[r.at%slots][:], f.Payload)
		} else if n > inline {
			k := s.take()
			for i := 0; k == nil; i++ {
				s.stuck(i)
				k = s.take()
			}
			copy(k.data[:], f.Payload)
			number = s.number(k)
		} else if n > 0 {
			copy(q.data[:], f.Payload)
		}
		q.block, q.epoch = number, uint16(s.epoch)
		q.Set(&f.Header)
	}
	r.at++
	// The number is the last store: a reader that sees it sees the whole slot.
	publish(&q.valid, r.at)
}

// number returns the block's index in the pool. An address would mean nothing in the other
// process.
func (s *shared) number(k *block) int16 {
	return int16((uintptr(unsafe.Pointer(k)) - uintptr(unsafe.Pointer(s.mine))) / unsafe.Sizeof(*k))
}

// Receive returns the next frame as [engine.Port] requires, with direct calls.
func (s *shared) Receive() *engine.Frame {
	b := &s.got
	// Rare cases take the common path of all ports.
	if s.waited || len(s.stash) > 0 {
		return s.port.Receive()
	}
	if b.block != nil {
		s.release(b)
	}
	if s.receive(b) {
		return &b.Frame
	}
	return nil
}

func (s *shared) receive(b *box) bool {
	q := &s.in.slot[s.in.at%slots]
	// The flag is the number of the message, so a slot need not be cleared: that of the last round
	// does not match.
	return atomic.LoadUint32(&q.valid) == s.in.at+1 && s.open(b, q)
}

// open takes the frame out of a valid slot. If the slot cannot be a frame, the peer has
// failed. The peer is another process, which may have been killed in the middle of a store or
// be of another version, so sizes and numbers are checked before they are used.
func (s *shared) open(b *box, q *slot) bool {
	r := &s.in
	b.Header.Set(&q.Header)
	b.Src, b.Dst, b.Offset = int32(1-s.node), int32(s.node), 0
	size, number, epoch := int(b.Total), q.block, q.epoch
	switch {
	case number == -1 && size <= inWords && b.NWords == 0:
		w := q.wide()
		binary.LittleEndian.PutUint64(b.short[0:], w[0])
		binary.LittleEndian.PutUint64(b.short[8:], w[1])
		b.Payload = b.short[:size]
		b.Words = [len(b.Words)]uint32{}
	case number == -1 && size <= inline:
		b.Payload = b.short[:size]
		copy(b.Payload, q.data[:])
	case number == -2 && size <= beside:
		b.Payload = b.short[:size]
		copy(b.Payload, r.data[r.at%slots][:])
	case number >= 0 && number < blocks && size <= blockSize:
		b.block = &s.theirs.block[number]
		b.Payload = b.block.data[:size]
	default:
		s.fail("node %d wrote an invalid message into shared memory: block %d of %d bytes",
			1-s.node, number, size)
	}
	r.at++
	// The sender learns of free slots eight at a time: each update takes the cache line from it.
	if r.at-r.freed >= slots/8 {
		r.freed = r.at
		publish(&r.ring.read, r.at)
	}
	// The frame is of an earlier job. Its slot and block are freed all the same.
	if epoch != uint16(s.epoch) {
		s.release(b)
		return false
	}
	return true
}

func (s *shared) sleep(d time.Duration) { nanosleep(d) }

// nap sleeps briefly at first, since nothing wakes a reader of shared memory.
func (s *shared) nap(i int) time.Duration {
	// After 1,000 naps of 50 µs nothing has come for 50 ms: the other node is busy with other
	// work, and this one leaves it the processor.
	if i > 1000 {
		return time.Millisecond
	}
	return 50 * time.Microsecond
}

func (s *shared) wake() {} // it sleeps for a millisecond at most

func (s *shared) close() {
	if s.unmap != nil {
		_ = s.unmap()
	}
}
