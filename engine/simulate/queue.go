package simulate

import (
	"math/bits"

	"github.com/halfpeak/halfpeak/internal/heap"
)

// An entry waits in the queue until its time comes. Entries are taken in the
// order of time, then of their number.
type entry struct {
	time uint64
	num  uint32
	what uint32 // the operation, and in the highest bits how to process it
}

type item = heap.Item[uint64, uint32, uint32]

func (e entry) item() item { return item{Key: e.time, Order: e.num, Value: e.what} }

// A queue is a priority queue for times that mostly grow: a radix heap (Ahuja, Mehlhorn, Orlin,
// Tarjan 1990). Bucket i has the entries whose time differs from now, the time of the last entry
// taken, in bit i−1 and not above; so an entry moves down at most 64 times, and in schedules about
// twice. Entries of one time stay in the order in which they came, which is nearly always the order
// of their numbers: taking them is reading a list. The few that come late for that, or before now,
// are in a small heap beside.
type queue struct {
	now     uint64
	size    int
	current []entry // of time now, in order, from next on
	next    int
	late    heap.Heap[uint64, uint32, uint32] // time, number, what
	used    uint64                            // bit i−1: bucket i has entries
	buckets [65]bucket
	free    *chunk
}

// A bucket is a list of chunks, with the minimum of their times.
type bucket struct {
	least       uint64
	first, last *chunk
}

// Chunks keep what buckets have left over small: a slice for each would keep
// the room of its largest moment.
type chunk struct {
	next    *chunk
	n       int
	entries [126]entry
}

func (q *queue) push(e entry) {
	q.size++
	if e.time <= q.now {
		if e.time < q.now || q.next < len(q.current) && e.num < q.current[len(q.current)-1].num {
			q.late.Push(e.item())
			return
		}
		if q.next == len(q.current) {
			q.current, q.next = q.current[:0], 0
		}
		q.current = append(q.current, e)
		return
	}
	q.put(e)
}

// put adds an entry later than now to its bucket.
func (q *queue) put(e entry) {
	i := bits.Len64(e.time ^ q.now)
	b := &q.buckets[i]
	c := b.last
	if c == nil || c.n == len(c.entries) {
		c = q.grow(b, i, e.time)
	}
	c.entries[c.n] = e
	c.n++
	b.least = min(b.least, e.time)
}

// grow gives bucket i another chunk.
func (q *queue) grow(b *bucket, i int, time uint64) *chunk {
	c := q.free
	if c == nil {
		c = new(chunk)
	} else {
		q.free = c.next
		c.next, c.n = nil, 0
	}
	if b.last == nil {
		b.first, b.least = c, time
		q.used |= 1 << (i - 1)
	} else {
		b.last.next = c
	}
	b.last = c
	return c
}

// pop removes and returns the first entry; there must be one.
func (q *queue) pop() entry {
	if q.next == len(q.current) {
		if len(q.late) > 0 { // all of them are at now or before
			return q.popLate()
		}
		q.advance()
	}
	if len(q.late) > 0 {
		if next := q.current[q.next].item(); q.late[0].Before(&next) {
			return q.popLate()
		}
	}
	q.size--
	e := q.current[q.next]
	q.next++
	return e
}

func (q *queue) popLate() entry {
	q.size--
	e := q.late.Pop()
	return entry{e.Key, e.Order, e.Value}
}

// advance goes to the next time that has entries, and spreads the bucket where they are.
func (q *queue) advance() {
	i := bits.TrailingZeros64(q.used) + 1
	q.used &^= 1 << (i - 1)
	b := &q.buckets[i]
	q.now = b.least
	q.current, q.next = q.current[:0], 0
	c := b.first
	b.first, b.last = nil, nil
	for c != nil {
		for _, e := range c.entries[:c.n] {
			if e.time != q.now {
				q.put(e)
				continue
			}
			if n := len(q.current); n > 0 && q.current[n-1].num > e.num {
				q.late.Push(e.item())
				continue
			}
			q.current = append(q.current, e)
		}
		next := c.next
		c.next, q.free = q.free, c
		c = next
	}
}
