//go:build linux

package live

import (
	"encoding/binary"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// nodes is the number of nodes of a run. Rings, sockets and sleeping hold one peer instead of
// lists: no command measures more, and a list costs time in each poll.
const nodes = 2

// The layout of shared memory: a ring for what each node sends, then a pool of blocks for the same.
type layout struct {
	rings [nodes]ring
	pools [nodes]pool
}

const (
	// Of x86 and of most ARM processors. On others, two nodes may share a line: slower, not
	// wrong.
	line = 64 // bytes of a cache line
	// A slot is two lines, which processors of x86 fetch as a pair: 64 bytes of data come with
	// the header.
	inline = 64 // bytes that travel in a slot
	// Larger payloads need a block, whose mark of being free is a line that the other processor
	// has. One way of 256 B took 0.116 to 0.122 µs beside the slot, and 0.125 to 0.146 µs in a
	// block.
	beside = 256 // bytes that travel beside it
	// A power of two, so that numbers of messages find their slot with a mask and may wrap
	// around.
	slots = 64 // of a ring; a power of two
	// 512 KiB in 32 blocks are on their way before a sender waits for one.
	blocks    = 32 // of a node
	blockSize = 16 << 10

	sharedSize = int(unsafe.Sizeof(layout{}))
)

// A ring carries slots from one node to the other. Only the reader writes read, only the writer
// writes slots.
type ring struct {
	read uint32 // slots that the reader has freed, updated now and then
	// The reader writes read, the writer writes slots: they share no line, nor a pair of lines
	// that are fetched together.
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

// wide returns the place of the words, for a few bytes of data as two numbers: a load as wide as
// the store before it need not wait until that has left the store buffer.
func (q *slot) wide() *[2]uint64 { return (*[2]uint64)(unsafe.Pointer(&q.Words)) }

// inWords is the number of bytes of data that fit into the words of a header.
const inWords = int(unsafe.Sizeof(engine.Header{}.Words))

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
