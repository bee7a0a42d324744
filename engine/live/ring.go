//go:build linux

package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/halfpeak/halfpeak/engine"
)

// The layout of shared memory for n nodes: n × n rings, that from node s to node d at s·n + d;
// then n pools of blocks, one for what each node sends.
const (
	line      = 64  // bytes of a cache line
	inline    = 64  // bytes that travel in a slot
	beside    = 256 // bytes that travel beside it
	slots     = 64  // of a ring; a power of two
	blocks    = 32  // of a node
	blockSize = 16 << 10
	ringSize  = int(unsafe.Sizeof(ring{}))
	poolSize  = int(unsafe.Sizeof(pool{}))
)

// A ring carries slots from one node to one other. Only the reader writes read, only the
// writer writes slots.
type ring struct {
	read uint32 // slots that the reader has freed, updated now and then
	_    [2*line - 4]byte
	slot [slots]slot
	data [slots][beside]byte // that has no place in the slot of its number
}

// A slot is a header and its flag, in one cache line, and the data in the next if that is short:
// two lines one after the other are fetched together. Pieces travel whole, so a frame's offset is 0
// and its total is its size.
type slot struct {
	valid uint32 // the number of the message, from 1; the writer's last store
	block int16  // that holds the payload; -1: the slot does; -2: the ring does
	epoch uint16
	engine.Header
	data [inline]byte
}

// wide is the place of the words, for a few bytes of data as two numbers: a load as wide as the
// store before it need not wait until that has left the store buffer.
func (q *slot) wide() *[2]uint64 { return (*[2]uint64)(unsafe.Pointer(&q.Words)) }

// few is the number of bytes of data that fit into the words of a header.
const few = int(unsafe.Sizeof(engine.Header{}.Words))

// A pool has the blocks for what a node sends. The sender marks a block as used, the
// receiver as free again.
type pool struct {
	block [blocks]block
}

type block struct {
	used uint32
	_    [line - 4]byte
	data [blockSize]byte
}

func sharedSize(nodes int) int { return nodes*nodes*ringSize + nodes*poolSize }

// shared is a node's view of shared memory. It implements link.
type shared struct {
	*port
	memory  []byte
	unmap   func() error
	in, out []ringEnd
	pools   []*pool
	next    int        // the block to try first
	from    *ringEnd   // the source to try first
	turn    int        // its place among the sources
	sources []*ringEnd // of nodes that may have sent: every other node, and itself once it has
	selfish bool       // it has
}

// pack puts 1 to 16 bytes of data into two numbers. It saves the call that copies any length.
func pack(d []byte) (low, high uint64) {
	le := binary.LittleEndian
	switch n := len(d); {
	case n >= 8:
		return le.Uint64(d), le.Uint64(d[n-8:]) >> (8 * (16 - n))
	case n >= 4:
		return uint64(le.Uint32(d)) | uint64(le.Uint32(d[n-4:]))<<(8*(n-4)), 0
	}
	n := len(d)
	return uint64(d[0]) | uint64(d[n/2])<<(8*(n/2)) | uint64(d[n-1])<<(8*(n-1)), 0
}

type ringEnd struct {
	*ring
	node  int    // at the other end
	at    uint32 // the slot's number
	freed uint32 // last value of ring.read that this end has written, or read
}

var errSmall = errors.New("the shared memory has another size")

// newShared makes a node of shared memory, which is cleared and aligned to cache lines.
func newShared(memory []byte, node, nodes int, unmap func() error) (*port, error) {
	if len(memory) != sharedSize(nodes) {
		return nil, fmt.Errorf("%w: %d bytes, wanted %d", errSmall, len(memory), sharedSize(nodes))
	}
	p := newPort(node, nodes)
	s := &shared{port: p, memory: memory, unmap: unmap, in: make([]ringEnd, nodes), out: make([]ringEnd, nodes), pools: make([]*pool, nodes)}
	for i := range nodes {
		s.in[i].ring = (*ring)(unsafe.Pointer(&memory[(i*nodes+node)*ringSize]))
		s.out[i].ring = (*ring)(unsafe.Pointer(&memory[(node*nodes+i)*ringSize]))
		s.in[i].node, s.out[i].node = i, i
		if i != node {
			s.sources = append(s.sources, &s.in[i])
		}
		s.pools[i] = (*pool)(unsafe.Pointer(&memory[nodes*nodes*ringSize+i*poolSize]))
	}
	if nodes == 1 {
		s.selfish, s.sources = true, []*ringEnd{&s.in[0]}
	}
	s.from = s.sources[0]
	p.link, p.largest = s, blockSize
	return p, nil
}

func (s *shared) release(b *box) {
	if b.block != nil {
		publish(&b.block.used, 0)
		b.block = nil
	}
}

func (s *shared) take() *block {
	mine := s.pools[s.node]
	for i := range blocks {
		at := (s.next + i) % blocks
		if k := &mine.block[at]; atomic.LoadUint32(&k.used) == 0 {
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
	r := &s.out[f.Dst]
	for i := 0; r.at-r.freed >= slots; i++ {
		if r.freed = atomic.LoadUint32(&r.ring.read); r.at-r.freed >= slots {
			s.stuck(i)
		}
	}
	q := &r.slot[r.at%slots]
	n := len(f.Payload)
	if n > 0 && n <= few && f.NWords == 0 {
		low, high := pack(f.Payload)
		q.block, q.epoch = -1, uint16(s.epoch)
		q.Set(&f.Header)
		w := q.wide()
		w[0], w[1] = low, high
	} else {
		number := int16(-1)
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
	publish(&q.valid, r.at)
	if int(f.Dst) == s.node && !s.selfish {
		s.selfish = true
		s.sources = append(s.sources, &s.in[s.node])
	}
}

func (s *shared) number(k *block) int16 {
	first := &s.pools[s.node].block[0]
	return int16((uintptr(unsafe.Pointer(k)) - uintptr(unsafe.Pointer(first))) / unsafe.Sizeof(*first))
}

// Receive returns the next frame as [engine.Port] requires, with direct calls.
func (s *shared) Receive() *engine.Frame {
	b := &s.got
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
	for range s.sources {
		r := s.from
		if q := &r.slot[r.at%slots]; atomic.LoadUint32(&q.valid) == r.at+1 {
			return s.open(b, r, q)
		}
		if len(s.sources) > 1 {
			s.turn = (s.turn + 1) % len(s.sources)
			s.from = s.sources[s.turn]
		}
	}
	return false
}

// open takes the frame out of a valid slot. What cannot be a frame is an error of the peer.
func (s *shared) open(b *box, r *ringEnd, q *slot) bool {
	b.Header.Set(&q.Header)
	b.Src, b.Dst, b.Offset = int32(r.node), int32(s.node), 0
	size, number, epoch := int(b.Total), q.block, q.epoch
	switch {
	case number == -1 && size <= few && b.NWords == 0:
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
		b.block = &s.pools[r.node].block[number]
		b.Payload = b.block.data[:size]
	default:
		s.fail("node %d wrote an invalid message into shared memory: block %d of %d bytes", r.node, number, size)
	}
	r.at++
	if r.at-r.freed >= slots/8 {
		r.freed = r.at
		publish(&r.ring.read, r.at)
	}
	if epoch != uint16(s.epoch) {
		s.release(b)
		return false
	}
	return true
}

func (s *shared) sleep(d time.Duration) { nanosleep(d) }

func (s *shared) nap(i int) time.Duration {
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
