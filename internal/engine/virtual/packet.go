package virtual

import (
	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A packet is a frame on its way through the network, and where it is.
type packet struct {
	engine.Frame
	route, stage int32
	held         int32   // what it occupies while it waits for room
	next         *packet // in a list
}

// A queue holds the events ordered by time and, at equal times, by host<<44 | sequence number.
type queue = list.Heap[quantity.Micros, uint64, event]

// An event is an action at a time.
type event struct {
	frame *packet // the packet that leaves its stage; nil: see what
	index uint32  // of a node or a resource
	what  what
	gen   uint16
}

type what uint16

const (
	wake what = iota // a node goes on, if its generation is gen
	free             // a resource may take its next packet
	die              // a node fails
)

// A fifo is linked through the packets themselves: a packet is in one place at a time, so that
// passing it on allocates nothing.
type fifo struct {
	first, last *packet
	count       int
}

func (l *fifo) push(f *packet) {
	f.next = nil
	if l.first == nil {
		l.first = f
	} else {
		l.last.next = f
	}
	l.last = f
	l.count++
}

func (l *fifo) pop() *packet {
	f := l.first
	l.first = f.next
	f.next = nil
	l.count--
	return f
}

// A resource serves one packet at a time, in the order of arrival.
type resource struct {
	until   quantity.Micros // busy
	queue   fifo
	blocked fifo  // packets that stay in the stage before, as the queue is full
	holding int32 // packets that it has served and that cannot leave it
	asked   bool  // an event will free it
}
