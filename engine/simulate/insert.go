package simulate

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// push queues an entry.
func (r *run) push(at uint64, what uint32) { r.q.push(r.entry(at, what)) }

// entry returns an entry with the next number. Numbers rise, so that entries of one time run in the
// order in which they were made; order turns that round for a run that asks what ties decide, and
// fresh keeps the entries of this moment behind those that waited.
func (r *run) entry(at uint64, what uint32) entry {
	e := entry{at, r.num ^ r.order | r.fresh, what}
	r.num++
	return e
}

// start queues the operations without predecessors, rank by rank. Receives for which post returns
// true are posted immediately.
func (r *run) start(post func(receive uint32) bool) {
	for rank := range r.s.Ranks() {
		r.startRank(rank, post)
	}
}

func (r *run) startRank(rank int, post func(receive uint32) bool) {
	lo, hi := r.s.Rank(rank)
	list := r.list[:0]
	for i := lo; i < hi; i++ {
		if r.nodes[i].waits == 0 {
			r.nodes[i].waits = free
			list = append(list, i)
		}
	}
	r.list = list
	r.insertFree(uint32(rank), list, post)
	if len(r.here) > 0 { // operations that waited for the posting of a receive
		r.insertFree(uint32(rank), r.here, nil)
		r.here = r.here[:0]
	}
}

// insertFree queues the operations of a rank that became free together: at their ready times or, by
// LogGOPSim's rules, at the times of their own clocks.
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
		need := needs{cpu: r.cpuOf(rank, op), nic: -1}
		if op.Kind == schedule.Send {
			need.nic = r.sendNIC(rank, op)
		}
		n := r.countAlike(list)
		for _, i := range list[:n] {
			if n == 1 {
				r.push(r.freeAt(need), i)
			} else { // one entry represents all
				r.park(rank, r.num, i, need)
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

// sort puts operations that became free together into the order of their beginnings: sends, then
// receives, then computations; within a kind, the order of the schedule's dependencies.
func (r *run) sort(list []uint32) {
	if r.ready == nil {
		byKind(list, r.ops)
		return
	}
	sorted := r.sorted[:0]
	for kind := schedule.Send; kind <= schedule.Joint; kind++ {
		for _, i := range list {
			if r.ops[i].Kind == kind {
				sorted = append(sorted, i)
			}
		}
	}
	copy(list, sorted)
	r.sorted = sorted
}

// finish records the finish or start time of an operation in its successors. It appends to r.here
// those that wait for no other predecessor.
func (r *run) finish(successors []uint32, at uint64, by link) {
	r.here = slices.Grow(r.here, len(successors))
	for _, op := range successors {
		n := &r.nodes[op]
		if r.recording && at >= r.ready[op] {
			r.setCause(op, by)
		}
		r.ready[op] = max(r.ready[op], at)
		if n.waits--; n.waits == 0 {
			n.waits = free
			r.here = append(r.here, op)
		}
	}
}

// ended counts an operation that is done, and returns those that waited for it.
func (r *run) ended(op uint32) []uint32 {
	r.done++
	return r.s.AfterDone(op)
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

// byKind sorts operations that become free together by kind, exactly as LogGOPSim does: its sort is
// that of the GNU C++ library, introsort (Musser 1997), which keeps the order of equal elements
// only up to 16 of them. The order decides ties, so finish times depend on it. Introsort's heap
// sort, for more than 2 lg n uneven splits, is omitted: a split is uneven only if it leaves one
// side without one of the three kinds, so there are few.
func byKind(list []uint32, ops []schedule.Op) {
	s := kindSort{list, ops}
	if len(list) > 16 {
		s.partition(0, len(list))
		s.insert(0, 16)
		for i := 16; i < len(list); i++ {
			s.sink(i)
		}
		return
	}
	s.insert(0, len(list))
}

// A kindSort sorts a list of operations by kind. It does what the library does to the letter, with
// its order of equal elements, so it cannot be a sort of Go's.
type kindSort struct {
	list []uint32
	ops  []schedule.Op
}

func (s kindSort) less(a, b uint32) bool { return s.ops[a].Kind < s.ops[b].Kind }

// partition splits list[lo:hi] until its parts have at most 16 elements.
func (s kindSort) partition(lo, hi int) {
	l := s.list
	for hi-lo > 16 {
		// The median of the second, the middle and the last element goes to the front.
		a, b, c := lo+1, lo+(hi-lo)/2, hi-1
		m := c
		if s.less(l[a], l[b]) {
			if s.less(l[b], l[c]) {
				m = b
			} else if !s.less(l[a], l[c]) {
				m = a
			}
		} else if s.less(l[a], l[c]) {
			m = a
		} else if !s.less(l[b], l[c]) {
			m = b
		}
		l[lo], l[m] = l[m], l[lo]
		pivot := l[lo]
		i, j := lo+1, hi
		for {
			for s.less(l[i], pivot) {
				i++
			}
			for j--; s.less(pivot, l[j]); j-- {
			}
			if i >= j {
				break
			}
			l[i], l[j] = l[j], l[i]
			i++
		}
		s.partition(i, hi)
		hi = i
	}
}

// insert is an insertion sort in which a new least element goes to the front at once.
func (s kindSort) insert(lo, hi int) {
	l := s.list
	for i := lo + 1; i < hi; i++ {
		if v := l[i]; s.less(v, l[lo]) {
			copy(l[lo+1:i+1], l[lo:i])
			l[lo] = v
		} else {
			s.sink(i)
		}
	}
}

// sink moves element i down to its place; a smaller or equal one is known to be below.
func (s kindSort) sink(i int) {
	l, v := s.list, s.list[i]
	for s.less(v, l[i-1]) {
		l[i] = l[i-1]
		i--
	}
	l[i] = v
}
