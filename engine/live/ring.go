//go:build linux

package live

import (
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
	line      = 64 // bytes of a cache line
	inline    = 64 // bytes that travel in a slot
	slots     = 64 // of a ring, a power of two
	blocks    = 32 // of a node
	blockSize = 16 << 10
	ringSize  = int(unsafe.Sizeof(ring{}))
	poolSize  = int(unsafe.Sizeof(pool{}))
)

// A ring carries slots from one node to one other. Only the reader writes read, only the
// writer writes slots.
type ring struct {
	read atomic.Uint32 // slots that the reader is done with, told now and then
	_    [2*line - 4]byte
	slot [slots]slot
}

// A slot is a header and its flag, in one cache line, and the data in the next if that is short. Pieces
// travel whole, so a frame's offset is 0 and its total is its size.
type slot struct {
	valid atomic.Uint32 // the number of the message, from 1
	block int16         // that holds the payload; -1: it is inline
	epoch uint16
	engine.Header
	data [inline]byte
}

// inside is where n ≤ inline bytes of data are: in the line of the header, if they fit into the words.
func (q *slot) inside(n int) []byte {
	if words := (*[unsafe.Sizeof(q.Words)]byte)(unsafe.Pointer(&q.Words)); n <= len(words) && q.NWords == 0 {
		return words[:n]
	}
	return q.data[:n]
}

// A pool has the blocks for what a node sends. The sender marks a block as used, the
// receiver as free again.
type pool struct {
	block [blocks]block
}

type block struct {
	used atomic.Uint32
	_    [line - 4]byte
	data [blockSize]byte
}

// sharedSize is the number of bytes of shared memory for a number of nodes.
func sharedSize(nodes int) int { return nodes*nodes*ringSize + nodes*poolSize }

// shared is a node's view of shared memory. It implements link.
type shared struct {
	*port
	memory  []byte
	unmap   func() error
	in, out []ringEnd
	pools   []*pool
	next    int   // the block to try first
	turn    int   // the source to try first
	sources []int // nodes that may have sent something: all others, and itself once it has
}

// A ringEnd is the reader's or writer's place in a ring.
type ringEnd struct {
	*ring
	at   uint32 // the slot's number
	told uint32 // reader: what it has told; writer: what it has been told
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
		if i != node {
			s.sources = append(s.sources, i)
		}
		s.pools[i] = (*pool)(unsafe.Pointer(&memory[nodes*nodes*ringSize+i*poolSize]))
	}
	p.link, p.largest = s, blockSize
	return p, nil
}

// heap is memory for nodes of one process. The race detector sees what happens in it.
func heap(nodes int) []byte {
	size := sharedSize(nodes)
	memory := make([]byte, size+line)
	skip := -int(uintptr(unsafe.Pointer(&memory[0]))) & (line - 1)
	return memory[skip : skip+size]
}

func (s *shared) room(b *box, n int) bool {
	if n <= inline {
		b.memory(inline)
		b.Payload = b.Payload[:n]
		return true
	}
	mine := s.pools[s.node]
	for i := range blocks {
		at := (s.next + i) % blocks
		if k := &mine.block[at]; k.used.Load() == 0 {
			k.used.Store(1)
			s.next = at + 1
			b.block, b.Payload = k, k.data[:n]
			return true
		}
	}
	return false
}

func (s *shared) load(b *box, data []byte) bool {
	if len(data) <= inline {
		b.Payload = data // until send copies it into the slot
		return true
	}
	if !s.room(b, len(data)) {
		return false
	}
	copy(b.Payload, data)
	return true
}

func (s *shared) release(b *box) {
	if b.block != nil {
		b.block.used.Store(0)
		b.block = nil
	}
}

func (s *shared) send(b *box) bool {
	r := &s.out[b.Dst]
	if r.at-r.told >= slots {
		if r.told = r.ring.read.Load(); r.at-r.told >= slots {
			return false
		}
	}
	if r.at == 0 && int(b.Dst) == s.node {
		s.sources = append(s.sources, s.node)
	}
	q := &r.slot[r.at%slots]
	r.at++
	q.Set(&b.Header)
	q.block, q.epoch = -1, uint16(s.epoch)
	if b.block != nil {
		q.block = s.number(b.block)
		b.block = nil // the receiver's now
	} else if n := len(b.Payload); n > 0 {
		copy(q.inside(n), b.Payload)
	}
	q.valid.Store(r.at)
	s.free = append(s.free, b)
	return true
}

// number is the place of a block in the node's pool.
func (s *shared) number(k *block) int16 {
	first := &s.pools[s.node].block[0]
	return int16((uintptr(unsafe.Pointer(k)) - uintptr(unsafe.Pointer(first))) / unsafe.Sizeof(*first))
}

func (s *shared) receive() *box {
	for range s.sources {
		src := s.sources[s.turn]
		r := &s.in[src]
		if q := &r.slot[r.at%slots]; q.valid.Load() == r.at+1 {
			return s.open(src, r, q)
		}
		if s.turn++; s.turn == len(s.sources) {
			s.turn = 0
		}
	}
	return nil
}

// open takes the frame out of a valid slot. What cannot be a frame is an error of the peer.
func (s *shared) open(src int, r *ringEnd, q *slot) *box {
	b := s.box()
	b.Header, b.Src, b.Dst, b.Offset = q.Header, int32(src), int32(s.node), 0
	size, number, epoch := b.Total, q.block, q.epoch
	switch {
	case size == 0 && number < 0:
		b.Payload = nil
	case size <= inline && number < 0:
		b.memory(int(size))
		copy(b.Payload, q.inside(int(size)))
		if b.NWords == 0 {
			b.Words = [len(b.Words)]uint32{} // which may have been the data
		}
	case number >= 0 && number < blocks && size <= blockSize:
		b.block = &s.pools[src].block[number]
		b.Payload = b.block.data[:size]
	default:
		s.fail("node %d wrote what is no message into shared memory: block %d of %d bytes", src, number, size)
	}
	r.at++
	if r.at-r.told >= slots/8 {
		r.told = r.at
		r.ring.read.Store(r.at)
	}
	if epoch != uint16(s.epoch) {
		s.Free(&b.Frame)
		return nil
	}
	return b
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
