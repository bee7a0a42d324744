package simulate

import "github.com/halfpeak/halfpeak/engine/schedule"

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
