package simulate

import "math"

// clocks holds the times at which processors and NICs become free, the operations that wait for
// them, and the queue of entries.
//
// Operations that need a processor or a NIC that is busy wait at the desk of their rank. A desk has
// one line for each processor, and one for each pair of processor and NIC. When a resource becomes
// free, the head of the line that became ready first begins: the one with the smallest number. One
// queue entry represents the whole desk, at the time when its next operation can begin; so the
// waiting operations cost nothing meanwhile.
type clocks struct {
	clock  []uint64     // see kernel
	stride int          // number of clocks of a rank
	desks  []desk       // by rank
	lines  slab[line]   // memory of the desks' lines
	places slab[parked] // memory of the lines' operations
	q      queue
}

type desk struct {
	lines []line // lines in use come first; empty ones behind them keep their memory
	used  int
	time  uint64 // time of the desk's queue entry; noEntry if it has none
	num   uint32 // number of the queue entry, taken from an operation
}

// noEntry is later than every time of a run, so that any call is earlier than none.
const noEntry = math.MaxUint64

// latest is the last time at which an operation may begin: 26 days in picoseconds. An operation
// that begins then adds less than 2⁶³.
const latest = 1 << 61

// needs are the clocks of an operation.
type needs struct {
	cpu, nic int // indices; nic is −1 if the operation needs no NIC
	// lead is the time for which the operation needs the processor alone, before it sends. A
	// rendezvous receives the request, or the grant, before it sends the answer, or the data.
	lead uint64
	// independent is set for a handshake that needs the processor only while that is free of
	// computations: see run.answer.
	independent bool
}

// A line holds operations that need the same clocks, in the order of their numbers.
type line struct {
	needs
	waiting []parked
	first   int // index of the head in waiting
}

// first returns a line that is in use; nil if there is none.
func (d *desk) first() *line {
	if d.used == 0 {
		return nil
	}
	return &d.lines[0]
}

type parked struct{ num, what uint32 }

// freeAt returns the time, in ticks, at which an operation can begin.
func (k *clocks) freeAt(n needs) uint64 {
	if n.nic < 0 {
		return k.clock[n.cpu]
	}
	return max(k.clock[n.cpu], k.clock[n.nic]-min(n.lead, k.clock[n.nic]))
}

// park makes an operation of a rank wait at the desk for its clocks.
func (k *clocks) park(rank, num, what uint32, need needs) {
	d := &k.desks[rank]
	var l *line
	for i := range d.lines[:d.used] {
		if d.lines[i].needs == need {
			l = &d.lines[i]
			break
		}
	}
	if l == nil {
		// Most ranks use one line and never a second, so memory is taken as lines appear, not for
		// each processor and NIC of each rank.
		if n := len(d.lines); d.used == n {
			if n == cap(d.lines) {
				d.lines = append(k.lines.make(max(1, 2*n)), d.lines...)
			}
			d.lines = append(d.lines, line{})
		}
		l = &d.lines[d.used]
		d.used++
		l.needs, l.first, l.waiting = need, 0, l.waiting[:0]
	}
	if n := len(l.waiting); n == cap(l.waiting) {
		l.waiting = append(k.places.make(max(2, 2*n)), l.waiting...)
	}
	l.waiting = append(l.waiting, parked{num, what})
	// Operations arrive nearly in order of their numbers; one that comes again, because a clock
	// was busy, has an old number and moves to its place.
	for i := len(l.waiting) - 1; i > l.first && l.waiting[i-1].num > num; i-- {
		l.waiting[i], l.waiting[i-1] = l.waiting[i-1], l.waiting[i]
	}
	first := l.waiting[l.first].num
	// An entry that is later than the new one stays in the queue, and call ignores it: a queue of
	// this kind cannot remove one.
	if at := k.freeAt(need); at < d.time || at == d.time && first < d.num {
		k.callAt(rank, at, first)
	}
}

// callAt queues an entry that calls the desk at the given time.
func (k *clocks) callAt(rank uint32, at uint64, num uint32) {
	d := &k.desks[rank]
	d.time, d.num = at, num
	k.q.push(entry{at, num, armed | rank})
}

// nextLine returns the line whose head begins next, and the time at which it begins; nil if no
// operation waits.
func (k *clocks) nextLine(d *desk) (best *line, at uint64) {
	at = noEntry
	for i := range d.lines[:d.used] {
		l := &d.lines[i]
		free := k.freeAt(l.needs)
		if free < at || free == at && l.waiting[l.first].num < best.waiting[best.first].num {
			best, at = l, free
		}
	}
	return best, at
}

// A slab divides large pieces of memory into slices of few elements. Those of desks that are used
// one after the other lie one after the other.
type slab[T any] struct {
	rest []T
	last int // the number of elements of the last piece
}

// make returns an empty slice with room for n elements.
func (s *slab[T]) make(n int) []T {
	// 4,096 elements are 32 to 200 KiB, so that the allocator is asked once for hundreds of desks.
	// A slice above a quarter of that would waste the rest. The first pieces are smaller: to clear
	// 200 KiB took two thirds of a broadcast on 64 ranks.
	const least, whole = 1 << 8, 1 << 12
	if n > whole/4 {
		return make([]T, 0, n)
	}
	if n > len(s.rest) {
		s.last = min(max(2*s.last, least, n), whole)
		s.rest = make([]T, s.last)
	}
	part := s.rest[:0:n]
	s.rest = s.rest[n:]
	return part
}
