package simulate

import (
	"errors"
	"time"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// loop processes the entries in the order of their times, and those of one time in the order of
// their numbers, until none is left. What an entry has set free is queued before the next entry is
// taken, since it may belong at the same time.
func (r *run) loop() error {
	for r.q.size > 0 || r.flows != nil && r.flows.held {
		if r.events++; r.events&tickMask == 0 {
			if err := r.tick(); err != nil {
				return err
			}
		}
		e := r.next()
		r.lastEvent = max(r.lastEvent, e.time)
		switch {
		case e.what == flowTick:
			r.flowOn(e.time)
		case e.what&armed != 0:
			r.call(e)
		default:
			r.proceed(e, false)
		}
		if r.err != nil {
			return r.err
		}
		if len(r.here)+len(r.there) > 0 {
			r.insert()
		}
	}
	return nil
}

// next takes the next entry. Most moments in which a flow begins have no other event, so that their
// computation of rates need not go through the queue.
func (r *run) next() entry {
	if f := r.flows; f != nil && f.held {
		f.held = false
		if r.q.isBeforeAll(f.tick) {
			return f.tick
		}
		r.q.push(f.tick)
	}
	r.prefetch()
	return r.q.pop()
}

// call begins the operation of a desk that is due, if there is one, and queues a call for the next
// operation.
func (r *run) call(e entry) {
	rank := e.what & opMask
	d := &r.desks[rank]
	if d.time != e.time || d.num != e.num {
		return // a newer entry represents the desk
	}
	d.time = noEntry
	l, at := r.nextLine(d)
	if at == e.time && l.waiting[l.first].num == e.num {
		what := l.waiting[l.first].what
		if l.first++; l.first == len(l.waiting) { // empty: the next new line reuses its memory
			d.used--
			*l, d.lines[d.used] = d.lines[d.used], *l
		}
		r.proceed(entry{e.time, e.num, what}, true)
		l, at = r.nextLine(d)
	}
	if l != nil {
		r.callAt(rank, at, l.waiting[l.first].num)
	}
}

// tickMask sets how often a run calls tick: every 8,192 entries.
// At ten million entries a second that is about once a millisecond: soon enough for an interrupt,
// and rare enough to cost nothing.
const tickMask = 1<<13 - 1

// ErrSteps is the error of a run that needs more than [Setup.Steps].
var ErrSteps = errors.New("the run takes more steps than it may")

// tick ends the run if its context has ended or its steps are too many, and reports progress, at
// most five times a second: a terminal shows no more.
func (r *run) tick() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	steps := r.events
	if r.flows != nil {
		steps += r.flows.computed
	}
	if r.most > 0 && steps > r.most {
		return ErrSteps
	}
	if r.report != nil {
		if now := time.Since(r.began); now-r.reported > 200*time.Millisecond {
			r.reported = now
			r.report(Progress{r.done, uint64(len(r.ops)), now})
		}
	}
	return nil
}

// How many entries ahead memory is brought into the cache: first the operation or rank that an
// entry names, and then, step by step, the memory that this leads to.
const (
	aheadOps   = 16
	aheadRanks = 12
	aheadLists = 8
	aheadNext  = 4
)

// prefetch brings the memory that coming entries will need into the cache. State that was not
// touched for long is in main memory, and processing an entry needs about ten places of it.
func (r *run) prefetch() {
	if len(r.q.late) > 2 {
		r.prefetchLate()
	}
	c, at := r.q.current.first, r.q.next+aheadNext
	// Steps of equal size need no help: the processor prefetches them by itself.
	if c == nil || at >= c.n ||
		c.entries[at].what-c.entries[at-1].what == c.entries[at-1].what-c.entries[at-2].what {
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
		if what&message != 0 && r.flows != nil {
			r.flows.prefetch(what & opMask)
		}
	}
}

// prefetchLate brings in what entries of the present moment need, which are in a heap of their own,
// before those of the current bucket.
func (r *run) prefetchLate() {
	for _, e := range r.q.late[1:3] {
		if e.Value&armed != 0 {
			r.prefetchRank(e.Value & opMask)
		} else {
			r.prefetchOp(e.Value & opMask)
		}
	}
	r.prefetchNext(r.q.late[0].Value)
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
