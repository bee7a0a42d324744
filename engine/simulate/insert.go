package simulate

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

func (r *run) push(at uint64, what uint32) {
	r.q.push(entry{at, r.num | r.fresh, what})
	r.num++
}

// start queues the operations without predecessors, rank by rank. Receives for which post returns
// true are posted immediately.
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
		if len(r.here) > 0 { // operations that waited for the posting of a receive
			r.insertFree(uint32(rank), r.here, nil)
			r.here = r.here[:0]
		}
	}
}

// insertFree queues the operations of a rank that became free together: at the times at which they
// are ready or, by LogGOPSim's rules, at the times of their own clocks.
func (r *run) insertFree(rank uint32, list []uint32, post func(receive uint32) bool) {
	switch len(list) {
	case 0, 1:
	case 2:
		if r.ops[list[1]].Kind < r.ops[list[0]].Kind {
			list[0], list[1] = list[1], list[0]
		}
	default:
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
				r.finish(r.s.AfterStarted(i), 0, r.recordPosting(i, 0))
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
		cpu, nic := r.cpuOf(rank, op), -1
		if op.Kind == schedule.Send {
			nic = r.sendNIC(rank, op)
		}
		n := r.countAlike(list)
		for _, i := range list[:n] {
			if n == 1 {
				r.push(r.freeAt(cpu, nic), i)
			} else { // one entry represents all
				r.park(rank, r.num, i, cpu, nic)
				r.num++
			}
		}
		list = list[n:]
	}
}

// insert queues the operations that are free now, those of the lower rank first.
func (r *run) insert() {
	first, second := r.here, r.there
	if len(second) > 0 && (len(first) == 0 || r.nodes[second[0]].rank < r.nodes[first[0]].rank) {
		first, second = second, first
	}
	r.insertFree(r.nodes[first[0]].rank, first, nil)
	if len(second) > 0 {
		r.insertFree(r.nodes[second[0]].rank, second, nil)
	}
	r.here, r.there = r.here[:0], r.there[:0]
}

// countAlike returns the number of operations at the head of a list that need the same resources at
// the same time.
func (r *run) countAlike(list []uint32) int {
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

// sort puts operations that became free together into the order in which they proceed: sends, then
// receives, then computations; within a kind, the order of the schedule's dependencies.
func (r *run) sort(list []uint32) {
	if r.ready == nil {
		byKind(list, r.ops)
		return
	}
	slices.SortStableFunc(list, func(a, b uint32) int { return int(r.ops[a].Kind) - int(r.ops[b].Kind) })
}
