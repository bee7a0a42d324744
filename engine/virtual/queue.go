package virtual

import (
	"github.com/halfpeak/halfpeak/internal/heap"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A queue has the events in the order of time and, at the same time, of host<<44 | sequence number.
type queue = heap.Heap[quantity.Micros, uint64, event]

// An event is what happens at a time of the queue.
type event struct {
	frame *packet // that leaves its stage; nil: see what
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
