package list

import "cmp"

// An Item is a value with its place in the queue. Items are taken in increasing order of Key, and
// of Order among equal keys. Neither may be NaN.
//
// The order is data, and not a function or method, because the compiler inlines comparisons of
// ordered types and calls everything else.
type Item[K, O cmp.Ordered, V any] struct {
	Key   K
	Order O
	Value V
}

// Before reports whether a is taken before b.
func (a *Item[K, O, V]) Before(b *Item[K, O, V]) bool {
	return a.Key < b.Key || a.Key == b.Key && a.Order < b.Order
}

// A Heap is a priority queue: a heap with four children per item, which is half as deep as a binary
// heap, with the children side by side in memory. Its first item is at index 0; the rest is in no
// particular order.
type Heap[K, O cmp.Ordered, V any] []Item[K, O, V]

// Push adds an item. Parents move down until the place of the item is found, so that
// it is written once and not swapped at each step.
func (h *Heap[K, O, V]) Push(item Item[K, O, V]) {
	*h = append(*h, item)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !item.Before(&s[parent]) {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = item
}

// Pop removes and returns the first item of a heap that is not empty. The last item
// takes its place and sinks, as in Push without swaps.
func (h *Heap[K, O, V]) Pop() Item[K, O, V] {
	s := *h
	n := len(s) - 1
	first, last := s[0], s[n]
	s[n] = Item[K, O, V]{} // keeps no pointer alive
	s = s[:n]
	*h = s
	if n == 0 {
		return first
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= n {
			break
		}
		least := child
		for c := child + 1; c < min(child+4, n); c++ {
			if s[c].Before(&s[least]) {
				least = c
			}
		}
		if !s[least].Before(&last) {
			break
		}
		s[i] = s[least]
		i = least
	}
	s[i] = last
	return first
}
