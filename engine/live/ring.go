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
	line      = 64  // bytes of a cache line
	inline    = 64  // bytes that travel in a slot
	slots     = 256 // of a ring, a power of two
	blocks    = 32  // of a node
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

// A slot is a frame and its flag, in one cache line, and its data in the next if that is short. Pieces
// travel whole, so a frame's offset is 0 and its total is its size.
type slot struct {
	valid   atomic.Uint32 // the number of the message, from 1
	size    uint32        // of the payload
	block   int32         // that holds the payload; -1: it is inline
	words   [4]uint32
	id      uint32
	seq     uint32
	sum     uint32
	addr    uint32
	whole   uint32
	at      uint32
	message uint32
	segment int16
	handler uint8
	kind    uint8
	round   uint8
	nWords  uint8
	flags   uint8
	epoch   uint8
	data    [inline]byte
}

const (
	flagMore = 1 << iota
	flagWordsInside
)

func flags(f *engine.Frame) (bits uint8) {
	if f.More {
		bits = flagMore
	}
	if f.WordsInside {
		bits |= flagWordsInside
	}
	return bits
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
	next    int // the block to try first
	turn    int // the ring to try first
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
		s.pools[i] = (*pool)(unsafe.Pointer(&memory[nodes*nodes*ringSize+i*poolSize]))
	}
	p.link = s
	return p, nil
}

// heap is memory for nodes of one process. The race detector sees what happens in it.
func heap(nodes int) []byte {
	size := sharedSize(nodes)
	memory := make([]byte, size+line)
	skip := -int(uintptr(unsafe.Pointer(&memory[0]))) & (line - 1)
	return memory[skip : skip+size]
}

func (s *shared) piece(n int) int { return blockSize }

func (s *shared) room(b *box, n int) bool {
	if n <= inline {
		b.memory(n)
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
	q := &r.slot[r.at%slots]
	r.at++
	f := &b.Frame
	q.size, q.block = uint32(len(f.Payload)), -1
	q.words, q.id, q.seq, q.sum = f.Words, f.ID, f.Seq, f.Sum
	q.addr, q.whole, q.at, q.message = f.Addr, f.Whole, f.At, f.Message
	q.segment, q.handler, q.kind, q.round = f.Segment, uint8(f.Handler), uint8(f.Kind), f.Round
	q.nWords, q.flags, q.epoch = f.NWords, flags(f), s.epoch
	if b.block != nil {
		q.block = s.number(b.block)
		b.block = nil // the receiver's now
	} else if len(f.Payload) > 0 {
		copy(q.data[:], f.Payload)
	}
	q.valid.Store(r.at)
	s.free = append(s.free, b)
	return true
}

// number is the place of a block in the node's pool.
func (s *shared) number(k *block) int32 {
	first := &s.pools[s.node].block[0]
	return int32((uintptr(unsafe.Pointer(k)) - uintptr(unsafe.Pointer(first))) / unsafe.Sizeof(*first))
}

func (s *shared) receive() *box {
	for range s.nodes {
		src := s.turn
		r := &s.in[src]
		if q := &r.slot[r.at%slots]; q.valid.Load() == r.at+1 {
			return s.open(src, r, q)
		}
		if s.turn++; s.turn == s.nodes {
			s.turn = 0
		}
	}
	return nil
}

// open takes the frame out of a valid slot. What cannot be a frame is an error of the peer.
func (s *shared) open(src int, r *ringEnd, q *slot) *box {
	b := s.box()
	f := &b.Frame
	*f = engine.Frame{
		Src: int32(src), Dst: int32(s.node), ID: q.id, Seq: q.seq, Sum: q.sum, Words: q.words,
		Addr: q.addr, Total: q.size, Whole: q.whole, At: q.at, Message: q.message,
		Segment: q.segment, Handler: engine.HandlerID(q.handler), Kind: engine.Kind(q.kind), Round: q.round, NWords: q.nWords,
		More: q.flags&flagMore != 0, WordsInside: q.flags&flagWordsInside != 0,
	}
	size, number, epoch := q.size, q.block, q.epoch
	switch {
	case number < 0 && size <= inline:
		b.memory(int(size))
		copy(b.Payload, q.data[:])
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
	if epoch != s.epoch {
		s.Free(f)
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
