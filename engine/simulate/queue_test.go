package simulate

import (
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/internal/list"
)

// The queue gives the same order as a plain heap, also for times before the one last taken, and for
// numbers that come late.
func TestQueue(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		var q queue
		var h plainHeap
		now, num := uint64(0), uint32(0)
		spread := []uint64{1, 3, 100, 1 << 20, 1 << 62}[seed%5]
		for range 2000 {
			if q.size != len(h.Heap) {
				t.Fatalf("seed %d: %d entries, want %d", seed, q.size, len(h.Heap))
			}
			if len(h.Heap) == 0 || r.IntN(5) < 3 && len(h.Heap) < 500 {
				e := entry{time: now + r.Uint64N(spread), num: num, what: r.Uint32()}
				switch r.IntN(10) {
				case 0:
					e.time = r.Uint64N(now + 1)
				case 1:
					e.time = r.Uint64()
				case 2:
					e.num = r.Uint32N(num + 1) // as of one that was parked
				}
				num++
				q.push(e)
				h.push(e)
				continue
			}
			a, b := q.pop(), h.pop()
			if a.time != b.time || a.num != b.num {
				t.Fatalf("seed %d: %v, want %v", seed, a, b)
			}
			now = a.time
		}
	}
}

// The queue beside a heap with four children to a node, each with so many entries, of which one is
// taken and put back later: at one of a few delays, as in a regular pattern, or at random ones.
func BenchmarkQueue(b *testing.B) {
	const entries = 1 << 17
	for _, delays := range []struct {
		name string
		next func(r *rand.Rand) uint64
	}{
		{"regular", func(r *rand.Rand) uint64 { return []uint64{1500, 4000, 5542}[r.IntN(3)] }},
		{"random", func(r *rand.Rand) uint64 { return 1000 + r.Uint64N(100000) }},
	} {
		b.Run("radix/"+delays.name, func(b *testing.B) {
			var q queue
			hold(b, entries, delays.next, q.push, q.pop)
		})
		b.Run("heap4/"+delays.name, func(b *testing.B) {
			var h plainHeap
			hold(b, entries, delays.next, h.push, h.pop)
		})
	}
}

func hold(b *testing.B, entries int, next func(*rand.Rand) uint64, push func(entry), pop func() entry) {
	r := rand.New(rand.NewPCG(1, 7))
	num := uint32(0)
	for ; int(num) < entries; num++ {
		push(entry{time: next(r), num: num})
	}
	b.ResetTimer()
	for b.Loop() {
		e := pop()
		push(entry{e.time + next(r), num, e.what})
		num++
	}
}

// plainHeap is the queue as a heap alone.
type plainHeap struct {
	list.Heap[uint64, uint32, uint32]
}

func (h *plainHeap) push(e entry) { h.Push(e.item()) }
func (h *plainHeap) pop() entry {
	e := h.Pop()
	return entry{e.Key, e.Order, e.Value}
}
