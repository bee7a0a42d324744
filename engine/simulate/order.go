package simulate

import "github.com/halfpeak/halfpeak/engine/schedule"

// byKind sorts operations that become free together by kind, exactly as LogGOPSim does: its sort is
// that of the GNU C++ library, introsort (Musser 1997), which keeps the order of equal elements
// only up to 16 of them. The order decides ties, so finish times depend on it.
func byKind(list []uint32, ops []schedule.Op) {
	s := kindSort{list, ops}
	if len(list) > 16 {
		depth := 0
		for n := len(list); n > 1; n >>= 1 {
			depth += 2
		}
		s.partition(0, len(list), depth)
		s.insert(0, 16)
		for i := 16; i < len(list); i++ {
			s.sink(i)
		}
		return
	}
	s.insert(0, len(list))
}

type kindSort struct {
	list []uint32
	ops  []schedule.Op
}

func (s kindSort) less(a, b uint32) bool { return s.ops[a].Kind < s.ops[b].Kind }

// partition splits list[lo:hi] until its parts have at most 16 elements.
func (s kindSort) partition(lo, hi, depth int) {
	l := s.list
	for hi-lo > 16 {
		if depth == 0 {
			s.heapSort(lo, hi)
			return
		}
		depth--
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
		s.partition(i, hi, depth)
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

// heapSort takes over where the parts of a partition are too uneven.
func (s kindSort) heapSort(lo, hi int) {
	l := s.list[lo:hi]
	// adjust fills the hole at i with v: first down along the greater children, then up.
	adjust := func(i, n int, v uint32) {
		top, child := i, i
		for child < (n-1)/2 {
			child = 2*child + 2
			if s.less(l[child], l[child-1]) {
				child--
			}
			l[i] = l[child]
			i = child
		}
		if n%2 == 0 && child == (n-2)/2 {
			child = 2*child + 1
			l[i] = l[child]
			i = child
		}
		for i > top && s.less(l[(i-1)/2], v) {
			l[i] = l[(i-1)/2]
			i = (i - 1) / 2
		}
		l[i] = v
	}
	for i := (len(l) - 2) / 2; i >= 0; i-- {
		adjust(i, len(l), l[i])
	}
	for n := len(l) - 1; n > 0; n-- {
		v := l[n]
		l[n] = l[0]
		adjust(0, n, v)
	}
}
