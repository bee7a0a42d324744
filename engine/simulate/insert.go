package simulate

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// push puts a new entry into the queue.
func (r *run) push(at uint64, what uint32) {
	r.q.push(entry{at, r.num | r.fresh, what})
	r.num++
}

// pop takes the next entry out of the queue. It is none if it has lost its meaning.
func (r *run) pop() (entry, bool) {
	e := r.q.pop()
	if e.what&armed == 0 {
		return e, true
	}
	return r.wake(e)
}

// start puts the operations that wait for nothing into the queue, rank by rank. Those receives
// are posted at once of which post says so.
func (r *run) start(post func(receive uint32) bool) {
	var list []uint32
	for rank := range r.s.Ranks() {
		lo, hi := r.s.Rank(rank)
		list = list[:0]
		for i := lo; i < hi; i++ {
			if r.nodes[i].waits == 0 {
				r.nodes[i].waits = free
				list = append(list, i)
			}
		}
		r.insertFree(uint32(rank), list, post)
		if len(r.here) > 0 { // what waited for the posting of a receive
			r.insertFree(uint32(rank), r.here, nil)
			r.here = r.here[:0]
		}
	}
}

// insertFree puts the operations of a rank that became free together into the queue: at the
// times when they are ready; by LogGOPSim's rules at those of their own clocks.
func (r *run) insertFree(rank uint32, list []uint32, post func(receive uint32) bool) {
	if len(list) > 1 {
		r.sort(list)
	}
	for len(list) > 0 {
		i := list[0]
		op := &r.ops[i]
		if op.Kind == schedule.Recv && post != nil && !post(i) {
			post = nil // nor those behind it: their order counts
		}
		if op.Kind == schedule.Recv && post != nil {
			if r.ready != nil {
				r.finish(r.s.AfterStarted(i), 0, r.posting(i, 0))
			}
			r.post(i)
			r.num++
			list = list[1:]
			continue
		}
		if r.ready != nil {
			r.push(r.ready[i], i)
			list = list[1:]
			continue
		}
		at := r.clock[r.cpuOf(rank, op)]
		if op.Kind == schedule.Send {
			at = max(at, r.clock[r.sendNIC(rank, op)])
		}
		n := r.alike(list)
		switch {
		case n == 1:
			r.push(at, i)
		case op.Kind == schedule.Send:
			r.insertAll(list[:n], r.sendGroup(rank, op), at)
		default:
			r.insertAll(list[:n], r.cpuGroup(rank, op), at)
		}
		list = list[n:]
	}
}

// alike is the number of operations at the head of a list that need the same resources at the
// same time.
func (r *run) alike(list []uint32) int {
	first := &r.ops[list[0]]
	if first.Kind == schedule.Recv || r.plain {
		return 1
	}
	n := 1
	for n < len(list) {
		op := &r.ops[list[n]]
		if op.Kind != first.Kind || op.CPU != first.CPU || op.NIC != first.NIC {
			break
		}
		n++
	}
	return n
}

// sort brings operations that became free together into the order in which they go on: sends,
// receives, computations; else the order of the schedule's dependencies.
func (r *run) sort(list []uint32) {
	if r.ready == nil {
		byKind(list, r.ops)
		return
	}
	slices.SortStableFunc(list, func(a, b uint32) int { return int(r.ops[a].Kind) - int(r.ops[b].Kind) })
}
