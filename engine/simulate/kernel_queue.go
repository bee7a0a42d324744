package simulate

import (
	"math"
	"math/bits"

	"github.com/halfpeak/halfpeak/internal/list"
)

// An entry waits in the queue until its time comes. Entries are taken in the
// order of time, then of their number.
type entry struct {
	time uint64
	num  uint32
	what uint32 // the operation, and in the highest bits how to process it
}

// Bits of entry.what beside the number of an operation.
const (
	message uint32 = 1 << 31 // the send's message comes to its receiver
	armed   uint32 = 1 << 30 // a rank, whose desk is called, takes the place of the operation
	opMask         = armed - 1
)

// networkTick marks an entry of the network, at whose time flows end or rates are computed.
const networkTick = message | armed

type item = list.Item[uint64, uint32, uint32]

func (e entry) item() item { return item{Key: e.time, Order: e.num, Value: e.what} }

// A queue is a priority queue for times that mostly grow: a radix heap (Ahuja, Mehlhorn, Orlin,
// Tarjan 1990). Bucket i has the entries whose time differs from now, the time of the last entry
// taken, in bit i−1 and not above; so an entry moves down at most 64 times, and in schedules
// about twice. Entries of one time stay in order of arrival, which is nearly always the order of
// their numbers, so taking them is reading a list. The few that arrive out of order, or before now,
// are in a small heap.
type queue struct {
	now     uint64
	size    int
	current bucket                            // of time now, in order
	next    int                               // index in its first chunk
	late    list.Heap[uint64, uint32, uint32] // time, number, what
	used    uint64                            // bit i−1: bucket i has entries
	buckets [65]bucket
	free    *chunk
}

// A bucket is a list of chunks, with the minimum of their times.
type bucket struct {
	least       uint64
	first, last *chunk
}

// Chunks keep what buckets have left over small: a slice for each would keep the room of its
// largest moment, and copy as it grows.
type chunk struct {
	next    *chunk
	n       int
	entries [126]entry
}

func (q *queue) push(e entry) {
	q.size++
	switch last := q.current.last; {
	case e.time > q.now:
		q.put(e)
	case e.time < q.now || last != nil && e.num < last.entries[last.n-1].num:
		q.late.Push(e.item())
	default:
		q.append(&q.current, e)
	}
}

func (q *queue) put(e entry) {
	i := bits.Len64(e.time ^ q.now)
	b := &q.buckets[i]
	if b.last == nil {
		b.least = e.time
		q.used |= 1 << (i - 1)
	}
	b.least = min(b.least, e.time)
	q.append(b, e)
}

func (q *queue) append(b *bucket, e entry) {
	c := b.last
	if c == nil || c.n == len(c.entries) {
		if c = q.free; c == nil {
			c = new(chunk)
		}
		q.free, c.next, c.n = c.next, nil, 0
		b.link(c)
	}
	c.entries[c.n] = e
	c.n++
}

func (b *bucket) link(c *chunk) {
	if b.last == nil {
		b.first = c
	} else {
		b.last.next = c
	}
	b.last = c
}

func (q *queue) pop() entry {
	if q.current.first == nil && len(q.late) == 0 {
		q.advance()
	}
	q.size--
	c := q.current.first
	if len(q.late) > 0 { // all of them are at now or before
		first := entry{math.MaxUint64, 0, 0}.item()
		if c != nil {
			first = c.entries[q.next].item()
		}
		if q.late[0].Before(&first) {
			e := q.late.Pop()
			return entry{e.Key, e.Order, e.Value}
		}
	}
	e := c.entries[q.next]
	if q.next++; q.next == c.n {
		q.next = 0
		if q.current.first = c.next; c.next == nil {
			q.current.last = nil
		}
		c.next, q.free = q.free, c
	}
	return e
}

// isBeforeAll reports whether an entry, whose time is at most now, comes before all in the queue.
func (q *queue) isBeforeAll(e entry) bool {
	first := e.item()
	if c := q.current.first; c != nil {
		if other := c.entries[q.next].item(); other.Before(&first) {
			return false
		}
	}
	return len(q.late) == 0 || !q.late[0].Before(&first)
}

// advance goes to the next time that has entries, and spreads the bucket where they are.
func (q *queue) advance() {
	i := bits.TrailingZeros64(q.used) + 1
	q.used &^= 1 << (i - 1)
	b := q.buckets[i]
	q.buckets[i] = bucket{}
	q.now = b.least
	for c := b.first; c != nil; {
		next := c.next
		c.next = nil
		if q.isCurrent(c) {
			q.current.link(c)
		} else {
			for _, e := range c.entries[:c.n] {
				q.size--
				q.push(e)
			}
			c.next, q.free = q.free, c
		}
		c = next
	}
}

// isCurrent reports whether all entries of a chunk have the time now, in the order of their
// numbers.
func (q *queue) isCurrent(c *chunk) bool {
	num := uint32(0)
	if last := q.current.last; last != nil {
		num = last.entries[last.n-1].num
	}
	for _, e := range c.entries[:c.n] {
		if e.time != q.now || e.num < num {
			return false
		}
		num = e.num
	}
	return true
}
