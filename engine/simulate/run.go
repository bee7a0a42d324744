package simulate

import (
	"context"
	"slices"
	"time"
	"unsafe"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/memory"
)

// Bits of entry.what beside the number of an operation.
const (
	message uint32 = 1 << 31 // the send's message comes to its receiver
	armed   uint32 = 1 << 30 // a rank, whose desk is called, takes the place of the operation
	opMask         = armed - 1
)

// A run is the state of one simulation, whatever the rules.
//
// The clocks of a rank are those of its processors, of its NICs as they send, and of
// its NICs as they receive: when each is free.
type run struct {
	*Program
	ctx      context.Context
	nodes    []node
	borrowed bool     // nodes are the program's
	tail     []uint32 // by channel: the last member of its list, plus 1
	wild     map[uint32]*wildLists
	q        queue
	clock    []uint64
	stride   int                            // clocks of a rank
	plain    bool                           // nothing is parked: clocks may shrink
	eager    uint64                         // S, by LogGOPSim's rules
	num      uint32                         // of the next entry
	fresh    uint32                         // added to the numbers of entries that were not parked
	events   uint64                         // entries processed
	desks    []desk                         // of the ranks
	lines    slab[line]                     // memory of their lines
	places   slab[parked]                   // and of those
	proceed  func(e entry, late bool) error // does what an entry says; late if it was parked
	here     []uint32                       // operations that are free now, at the rank of the event
	there    []uint32                       // the same at the sender, by LogGOPSim's rules
	noise    noise

	// The default rules.
	costs  costs
	shared *sharing
	flows  *flows
	parked uint32   // operations that have waited at a desk
	ready  []uint64 // when what an operation waits for is finished; or an unexpected message came
	out    []uint64 // when the last byte that a rank has sent left its NIC
	record

	progress func(Progress)
	began    time.Time
	reported time.Duration
}

func newRun(ctx context.Context, p *Program, recorded bool) *run {
	r := &run{
		Program: p,
		ctx:     ctx,
		tail:    memory.Make[uint32](p.names),
	}
	r.borrow(recorded)
	c, k, ranks := len(p.cpus.list), len(p.nics.list), p.s.Ranks()
	r.stride = c + 2*k
	r.clock, r.desks = memory.Make[uint64](ranks*r.stride), memory.Make[desk](ranks)
	for rank := range r.desks {
		r.desks[rank].time = noEntry
	}
	if p.wild != nil {
		r.wild = make(map[uint32]*wildLists, len(p.wild))
		for rank, w := range p.wild {
			r.wild[rank] = &wildLists{wildRank: w, lists: make([]wildList, len(w.list))}
		}
	}
	return r
}

// borrow gets the nodes of the program, or a copy if another run has them, or if they are to be
// kept.
func (r *run) borrow(keep bool) {
	if !keep && r.lent.CompareAndSwap(false, true) {
		r.nodes, r.borrowed = r.Program.nodes, true
	} else {
		r.nodes = memory.Make[node](len(r.ops))
		for i := range r.nodes {
			from := &r.Program.nodes[i]
			r.nodes[i].rank, r.nodes[i].channel = from.rank, from.channel
		}
	}
	for i := range r.nodes {
		r.nodes[i].waits = 0
	}
	for i := range r.nodes {
		for _, after := range r.s.AfterDone(uint32(i)) {
			r.nodes[after].waits++
		}
		for _, after := range r.s.AfterStarted(uint32(i)) {
			r.nodes[after].waits++
		}
	}
}

func (r *run) giveBack() {
	if r.borrowed {
		r.nodes, r.borrowed = nil, false
		r.lent.Store(false)
	}
}

// The clocks of an operation's labels at a rank, by index.

func (r *run) cpuOf(rank uint32, op *schedule.Op) int {
	return int(rank)*r.stride + r.cpus.number(op.CPU)
}
func (r *run) sendNIC(rank uint32, op *schedule.Op) int {
	return int(rank)*r.stride + len(r.cpus.list) + r.nics.number(op.NIC)
}
func (r *run) receiveNIC(rank uint32, op *schedule.Op) int {
	return int(rank)*r.stride + len(r.cpus.list) + len(r.nics.list) + r.nics.number(op.NIC)
}

// The distances, in entries, at which what an entry will need is brought into the cache: first what
// it names itself, and then, step by step, what that leads to.
const (
	aheadOps   = 16
	aheadRanks = 12
	aheadLists = 8
	aheadNext  = 4
)

// prefetch brings the memory that coming entries will need into the cache. State that was not
// touched for long is in main memory, and processing an entry needs about ten places of it.
func (r *run) prefetch() {
	if late := r.q.late; len(late) > 2 {
		for _, e := range late[1:3] {
			if e.Value&armed != 0 {
				r.prefetchRank(e.Value & opMask)
			} else {
				r.prefetchOp(e.Value & opMask)
			}
		}
		r.prefetchNext(late[0].Value)
	}
	c, at := r.q.current.first, r.q.next+aheadNext
	// Steps of equal size need no help: the processor prefetches them by itself.
	if c == nil || at >= c.n || c.entries[at].what-c.entries[at-1].what == c.entries[at-1].what-c.entries[at-2].what {
		return
	}
	r.prefetchNext(c.entries[at].what)
	if at += aheadLists - aheadNext; at >= c.n {
		return
	}
	switch what := c.entries[at].what; {
	case what&armed != 0:
		if l := r.desks[what&opMask].first(); l != nil {
			p := unsafe.Pointer(&l.waiting[l.first])
			memory.Prefetch(p, p)
		}
	case what&message != 0:
		if n := &r.nodes[what&opMask]; n.channel < maxChannel && r.tail[n.channel] != 0 {
			r.prefetchOp(r.tail[n.channel] - 1)
		}
	}
	if at += aheadRanks - aheadLists; at >= c.n {
		return
	}
	if what := c.entries[at].what; what&armed != 0 {
		p := unsafe.Pointer(r.desks[what&opMask].first())
		memory.Prefetch(p, p)
	} else {
		n := &r.nodes[what&opMask]
		rank := n.rank
		if what&message != 0 {
			if rank = r.ops[what&opMask].Peer; n.channel < maxChannel {
				p := unsafe.Pointer(&r.tail[n.channel])
				memory.Prefetch(p, p)
			}
		}
		r.prefetchRank(rank)
	}
	if at += aheadOps - aheadRanks; at >= c.n {
		return
	}
	if what := c.entries[at].what; what&armed != 0 {
		r.prefetchRank(what & opMask)
	} else {
		r.prefetchOp(what & opMask)
	}
}

// prefetchNext brings the operation into the cache that an entry will begin, or those that it will
// release.
func (r *run) prefetchNext(what uint32) {
	op := what & opMask
	switch {
	case what&armed != 0:
		if l := r.desks[op].first(); l != nil {
			r.prefetchOp(l.waiting[l.first].what & opMask)
		}
	case what&message != 0:
		if n := &r.nodes[op]; n.channel < maxChannel && r.tail[n.channel] != 0 {
			receive := r.tail[n.channel] - 1
			r.s.PrefetchAfter(receive)
			r.prefetchOp(min(receive+1, uint32(len(r.ops)-1))) // mostly the one that waits for it
		}
	}
}

func (r *run) prefetchRank(rank uint32) {
	memory.Prefetch(unsafe.Pointer(&r.desks[rank]), unsafe.Pointer(&r.clock[int(rank)*r.stride]))
}

func (r *run) prefetchOp(op uint32) {
	node := unsafe.Pointer(&r.nodes[op])
	ready := node
	if r.ready != nil {
		ready = unsafe.Pointer(&r.ready[op])
	}
	memory.Prefetch(node, ready)
	r.s.Prefetch(op)
}

// release decrements the counts of the operations that wait for an operation, and appends those
// that are free now.
func (r *run) release(list, successors []uint32) []uint32 {
	list = slices.Grow(list, len(successors))
	for _, op := range successors {
		n := &r.nodes[op]
		if n.waits >= lastState { // it runs already
			continue
		}
		if n.waits--; n.waits == 0 {
			n.waits = free
			list = append(list, op)
		}
	}
	return list
}

func (r *run) loop() error {
	for r.q.size > 0 {
		if r.events++; r.events&tickMask == 0 {
			if err := r.tick(); err != nil {
				return err
			}
		}
		r.prefetch()
		e := r.q.pop()
		var err error
		switch {
		case e.what == flowTick:
			r.flowOn(e.time)
		case e.what&armed != 0:
			err = r.call(e)
		default:
			err = r.proceed(e, false)
		}
		if err != nil {
			return err
		}
		if len(r.here)+len(r.there) > 0 {
			r.insert()
		}
	}
	return nil
}
