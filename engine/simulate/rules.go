package simulate

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A run is one simulation by the default rules.
type run struct {
	kernel
	*costs
	limits
	presence
	observers
	net       network
	shared    *shared     // net, if it is that
	arrivals  order       // of net, if it is exclusive and has several latencies
	parked    uint32      // operations that have waited at a desk
	out       []uint64    // by rank: when the last byte that it has sent left its NIC
	firstSend uint64      // when the first message is sent; the largest number if none is
	joined    []gathering // by the number of a joint operation
	links     []links     // of ranks, for these: two for each, by their NIC
	instant   bool        // these take no time
}

// firstFresh is added to the numbers of entries that were not parked: at one time they come behind
// those that were.
const firstFresh = 1 << 31

// A gathering is the state of a joint operation.
type gathering struct {
	left uint32 // ranks that have not come
	list uint32 // the operation of the rank that came before, plus 1; node.next has the one before
	last struct {
		op             uint32 // of the rank that is ready last
		start, arrival uint64 // with noise between them
		late           bool   // it waited for its processor
	}
}

// The links of a rank carry one joint operation after the other.
type links struct {
	until uint64 // when they are free; 0: they have carried none
	by    link   // the step of the last one
}

// presence holds when ranks compute, in a schedule that was made of calls. A rank that computes is
// outside of the messaging library: see [machine.Presence].
type presence struct {
	calls     bool
	computing []uint64     // by clock of a processor: the end of its last computation
	outside   [][]interval // by rank: computations; nil where no message stops for them
	holds     map[uint32]stopping
	assumed   bool // see Result.Assumed
}

type interval struct{ from, to uint64 }

// A stopping is a message whose bytes stop while a rank is outside.
type stopping struct {
	since, paused uint64 // when the bytes began, and the pauses that were counted
	sent          link   // the step that sent the data
}

// start queues the operations without predecessors, rank by rank. Receives are posted at once.
func (r *run) start() {
	for i := range r.ready {
		if n := &r.nodes[i]; n.waits == 0 {
			r.ready[i] = r.net.skew(n.rank)
		}
	}
	for rank := range r.s.Ranks() {
		r.startRank(rank, func(list []uint32) { r.queueFrom(list, true) })
		r.queueHere() // operations that waited for the posting of a receive
	}
}

func (r *run) network(t uint64) { r.net.advance(t) }

// queue queues the operations of a rank that became free together, at their ready times: sends,
// then receives, then computations; within a kind, in the order of the schedule's dependencies.
func (r *run) queue(list []uint32) { r.queueFrom(list, false) }

// queueFrom does what queue does; post posts receives at once, before the begin of the run.
func (r *run) queueFrom(list []uint32, post bool) {
	if r.order != 0 && r.calls {
		slices.Reverse(list) // entries run backwards, but a rank calls in its program's order
	}
	if len(list) > 1 {
		slices.SortStableFunc(list, func(a, b uint32) int {
			return int(r.ops[a].Kind) - int(r.ops[b].Kind)
		})
	}
	for _, i := range list {
		if post && r.ops[i].Kind == schedule.Recv {
			r.finish(r.s.AfterStarted(i), 0, r.record.posting(i, 0))
			r.post(i)
			r.num++
		} else {
			r.push(r.ready[i], i)
		}
	}
}

// queueHere queues the operations that are free now.
func (r *run) queueHere() {
	r.queue(r.here)
	r.here = r.here[:0]
}

// observe shows a step, which occupies clock cpu and, unless nic is negative, clock nic, to those
// who look on, and returns a link to it. late is set if the operation waited for one of the two.
func (r *run) observe(a act, late bool, cpu, nic int) link {
	if r.tally != nil && r.ops[a.op].CPU == 0 && cpu != noProcessor {
		r.tally[r.nodes[a.op].rank].add(&a)
	}
	return r.record.step(a, late, cpu, nic)
}

// setLastByte sets when the last byte of a step leaves its rank, if that is the latest so far.
func (r *run) setLastByte(rank uint32, left uint64, by link) {
	if left > r.out[rank] {
		r.out[rank] = left
		r.record.left(rank, by)
	}
}

// noteLeave notes the end of the last operation of a rank in a run of a part.
func (r *run) noteLeave(i uint32, end uint64, by link) {
	if r.leaves == nil {
		return
	}
	if _, hi := r.s.Rank(int(r.nodes[i].rank)); i == hi-1 {
		r.leaves = append(r.leaves, leave{r.nodes[i].rank, end, by.as(atDone)})
	}
}

// finish records the finish or start time of an operation in its successors. It appends to r.here
// those that wait for no other predecessor.
func (r *run) finish(successors []uint32, at uint64, by link) {
	r.here = slices.Grow(r.here, len(successors))
	for _, op := range successors {
		n := &r.nodes[op]
		if r.record != nil && at >= r.ready[op] {
			r.record.why[op] = by
		}
		r.ready[op] = max(r.ready[op], at)
		if n.waits--; n.waits == 0 {
			n.waits = free
			r.here = append(r.here, op)
		}
	}
}
