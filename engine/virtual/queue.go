package virtual

import (
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An event happens at a time, in the order of (time, host, sequence number).
type event struct {
	at    quantity.Micros
	order uint64  // host<<44 | sequence number
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

func (e *event) before(o *event) bool {
	return e.at < o.at || e.at == o.at && e.order < o.order
}

// A queue is a heap of events in which each has four children: half as deep as one with
// two, and the children lie side by side.
type queue []event

func (q *queue) push(e event) {
	*q = append(*q, e)
	h := *q
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
}

func (q *queue) pop() event {
	h := *q
	first, last := h[0], h[len(h)-1]
	h[len(h)-1] = event{}
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return first
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, len(h)); c++ {
			if h[c].before(&h[least]) {
				least = c
			}
		}
		if !h[least].before(&last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = last
	return first
}
