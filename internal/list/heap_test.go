package list

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// A value has the size of a simulator's event.
type value [2]uint64

// Items come out in the order of a stable sort, whatever is pushed in between.
func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var h Heap[float64, uint64, int]
	var all []Item[float64, uint64, int]
	check := func() {
		slices.SortFunc(all, func(a, b Item[float64, uint64, int]) int {
			if a.Before(&b) {
				return -1
			}
			return 1
		})
		if got := h.Pop(); got != all[0] {
			t.Fatalf("%v, want %v", got, all[0])
		}
		all = all[1:]
	}
	for i := range 400 {
		item := Item[float64, uint64, int]{float64(r.IntN(20)), uint64(r.IntN(1000))<<10 | uint64(i), i}
		h.Push(item)
		all = append(all, item)
		if r.IntN(3) == 0 {
			check()
		}
	}
	for len(h) > 0 {
		check()
	}
	if len(all) > 0 {
		t.Errorf("%d items are lost", len(all))
	}
}

// hold is the usual measure of a queue of events: each taken is put back at a later time.
func hold[K float64 | uint64, O uint32 | uint64, V any](b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var h Heap[K, O, V]
	for i := range 1000 {
		h.Push(Item[K, O, V]{Key: K(r.IntN(1000)), Order: O(i)})
	}
	for b.Loop() {
		x := h.Pop()
		x.Key += K(r.Uint32() % 1000)
		h.Push(x)
	}
}

func BenchmarkHeap(b *testing.B) {
	b.Run("events", hold[float64, uint64, value])
	b.Run("entries", hold[uint64, uint32, uint32])
}
