package simulate

import (
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// How many entries ahead memory is brought into the cache: first the operation or rank that an
// entry names, and then, step by step, the memory that this leads to.
const (
	aheadOps   = 16
	aheadRanks = 12
	aheadLists = 8
	aheadNext  = 4
)

// lookAhead brings the memory that coming entries will need into the cache. State that was not
// touched for long is in main memory, and processing an entry needs about ten places of it.
func (k *kernel) lookAhead() {
	if len(k.q.late) > 2 {
		k.prefetchLate()
	}
	c, at := k.q.current.first, k.q.next+aheadNext
	// Steps of equal size need no help: the processor prefetches them by itself.
	if c == nil || at >= c.n ||
		c.entries[at].what-c.entries[at-1].what == c.entries[at-1].what-c.entries[at-2].what {
		return
	}
	k.prefetchNext(c.entries[at].what)
	if at += aheadLists - aheadNext; at >= c.n {
		return
	}
	switch what := c.entries[at].what; {
	case what&armed != 0:
		if l := k.desks[what&opMask].first(); l != nil {
			p := unsafe.Pointer(&l.waiting[l.first])
			memory.Prefetch(p, p)
		}
	case what&message != 0:
		if n := &k.nodes[what&opMask]; n.channel < maxChannel && k.tail[n.channel] != 0 {
			k.prefetchOp(k.tail[n.channel] - 1)
		}
	}
	if at += aheadRanks - aheadLists; at >= c.n {
		return
	}
	if what := c.entries[at].what; what&armed != 0 {
		p := unsafe.Pointer(k.desks[what&opMask].first())
		memory.Prefetch(p, p)
	} else {
		n := &k.nodes[what&opMask]
		rank := n.rank
		if what&message != 0 {
			if rank = k.ops[what&opMask].Peer; n.channel < maxChannel {
				p := unsafe.Pointer(&k.tail[n.channel])
				memory.Prefetch(p, p)
			}
		}
		k.prefetchRank(rank)
	}
	if at += aheadOps - aheadRanks; at >= c.n {
		return
	}
	if what := c.entries[at].what; what&armed != 0 {
		k.prefetchRank(what & opMask)
	} else {
		k.prefetchOp(what & opMask)
	}
}

// prefetchLate brings in what entries of the present moment need, which are in a heap of their own,
// before those of the current bucket.
func (k *kernel) prefetchLate() {
	for _, e := range k.q.late[1:3] {
		if e.Value&armed != 0 {
			k.prefetchRank(e.Value & opMask)
		} else {
			k.prefetchOp(e.Value & opMask)
		}
	}
	k.prefetchNext(k.q.late[0].Value)
}

// prefetchNext brings the operation into the cache that an entry will begin, or those that it will
// release.
func (k *kernel) prefetchNext(what uint32) {
	op := what & opMask
	switch {
	case what&armed != 0:
		if l := k.desks[op].first(); l != nil {
			k.prefetchOp(l.waiting[l.first].what & opMask)
		}
	case what&message != 0:
		if n := &k.nodes[op]; n.channel < maxChannel && k.tail[n.channel] != 0 {
			receive := k.tail[n.channel] - 1
			k.s.PrefetchAfter(receive)
			k.prefetchOp(min(receive+1, uint32(len(k.ops)-1))) // mostly the one that waits for it
		}
	}
}

func (k *kernel) prefetchRank(rank uint32) {
	memory.Prefetch(unsafe.Pointer(&k.desks[rank]), unsafe.Pointer(&k.clock[int(rank)*k.stride]))
}

func (k *kernel) prefetchOp(op uint32) {
	node := unsafe.Pointer(&k.nodes[op])
	ready := node
	if k.ready != nil {
		ready = unsafe.Pointer(&k.ready[op])
	}
	memory.Prefetch(node, ready)
	k.s.Prefetch(op)
}
