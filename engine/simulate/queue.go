package simulate

import (
	"math/bits"
	"slices"
)

// An entry waits in the queue until its time comes. Entries are taken in the
// order of time, then of their number.
type entry struct {
	time uint64
	num  uint32
	what uint32 // the operation, and in the highest bits what is to be done with it
}

func (a entry) before(b entry) bool {
	return a.time < b.time || a.time == b.time && a.num < b.num
}

// A queue is a priority queue for times that mostly grow: a radix heap
// (Ahuja, Mehlhorn, Orlin, Tarjan 1990). Bucket i has the entries whose time
// differs from now, the time of the last entry taken, in bit i−1 and not above;
// so an entry moves down at most 64 times, and in schedules about twice.
// Entries of one time stay in the order in which they came, which is nearly always the
// order of their numbers: taking them is reading a list. The few that come
// late for that, or before now, are in a small heap beside.
type queue struct {
	now     uint64
	size    int
	current []entry // of time now, in order, from next on
	next    int
	late    heap4
	used    uint64 // bit i−1: bucket i has entries
	buckets [65]bucket
	free    *chunk
}

// A bucket is a list of chunks. Its least time is kept.
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
			q.late.push(e)
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

// pop takes the first entry; there must be one.
func (q *queue) pop() entry {
	if q.next == len(q.current) {
		if len(q.late) > 0 { // all of them are at now or before
			q.size--
			return q.late.pop()
		}
		q.advance()
	} else if len(q.late) > 0 && q.late[0].before(q.current[q.next]) {
		q.size--
		return q.late.pop()
	}
	q.size--
	e := q.current[q.next]
	q.next++
	return e
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
	sorted := true
	for c != nil {
		for _, e := range c.entries[:c.n] {
			if e.time != q.now {
				q.put(e)
				continue
			}
			if n := len(q.current); n > 0 && q.current[n-1].num > e.num {
				sorted = false
			}
			q.current = append(q.current, e)
		}
		next := c.next
		c.next, q.free = q.free, c
		c = next
	}
	if !sorted {
		slices.SortFunc(q.current, func(a, b entry) int {
			if a.num < b.num {
				return -1
			}
			return 1
		})
	}
}

// heap4 is a heap with four children to a node.
type heap4 []entry

func (h *heap4) push(e entry) {
	*h = append(*h, e)
	a := *h
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(a[up]) {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = e
}

func (h *heap4) pop() entry {
	a := *h
	top, e := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	if len(a) == 0 {
		return top
	}
	i := 0
	for {
		least := 4*i + 1
		if least >= len(a) {
			break
		}
		for c := least + 1; c < min(4*i+5, len(a)); c++ {
			if a[c].before(a[least]) {
				least = c
			}
		}
		if !a[least].before(e) {
			break
		}
		a[i] = a[least]
		i = least
	}
	a[i] = e
	return top
}
