package simulate

import "math"

// By LogGOPSim's rules, blocked entries that need the same processor and the same NIC are parked
// together, as a group. Only the first of a group is in the queue, at the time when its resources
// are expected to be free. It then proceeds, and the next one takes its place. The remaining
// entries cost nothing meanwhile.
//
// The result equals that of the simple method, in which each blocked entry goes back into the
// queue, keeping its number, until it comes when its resources are free: clocks only grow, so all
// of a group are free at the same moments, and the one with the least number is then the first of
// them to be taken. Where clocks can shrink, in wrapped arithmetic, nothing is parked.
type group struct {
	time  uint64 // of the entry in the queue
	num   uint32 // its number: that of the first
	start uint32 // of a ring in the yard
	first uint32 // in the ring
	n     uint32
	class uint8 // the ring has room for 2^class; 0: there is none
}

// A yard holds the rings of all groups: the parked entries in ascending order, each with number and
// operation in one word.
type yard struct {
	index  []uint32 // group of a rank and kind, plus 1
	groups []group
	rings  []uint64
	spare  [40][]uint32 // rings that were outgrown, by class
}

// group returns the group with the given index, and creates it if necessary.
func (y *yard) group(index int) *group {
	g := y.index[index]
	if g == 0 {
		y.groups = append(y.groups, group{num: math.MaxUint32})
		g = uint32(len(y.groups))
		y.index[index] = g
	}
	return &y.groups[g-1]
}

func (y *yard) ring(class uint8) uint32 {
	if spare := y.spare[class]; len(spare) > 0 {
		y.spare[class] = spare[:len(spare)-1]
		return spare[len(spare)-1]
	}
	start := uint32(len(y.rings))
	n := len(y.rings) + 1<<class
	if n > cap(y.rings) {
		grown := make([]uint64, len(y.rings), max(2*cap(y.rings), n, 1024))
		copy(grown, y.rings)
		y.rings = grown
	}
	y.rings = y.rings[:n]
	return start
}

// add parks an entry in the group, at the place of its number.
func (y *yard) add(g *group, num, what uint32) {
	if g.class == 0 || g.n == 1<<g.class {
		class := max(g.class+1, 2)
		start := y.ring(class)
		for i := range g.n {
			y.rings[start+i] = y.rings[g.start+(g.first+i)&(1<<g.class-1)]
		}
		if g.class > 0 {
			y.spare[g.class] = append(y.spare[g.class], g.start)
		}
		g.start, g.first, g.class = start, 0, class
	}
	ring := y.rings[g.start : g.start+1<<g.class]
	mask := uint32(len(ring) - 1)
	x := uint64(num)<<32 | uint64(what)
	i := g.n
	for i > 0 && ring[(g.first+i-1)&mask] > x {
		ring[(g.first+i)&mask] = ring[(g.first+i-1)&mask]
		i--
	}
	ring[(g.first+i)&mask] = x
	g.n++
}

// head returns the first entry of a group.
func (y *yard) head(g *group) (num, what uint32) {
	x := y.rings[g.start+g.first]
	return uint32(x >> 32), uint32(x)
}

// drop removes the first entry of a group.
func (y *yard) drop(g *group) {
	g.first = (g.first + 1) & (1<<g.class - 1)
	g.n--
}

// block keeps the entry until its resources are free, which are now busy until the given time.
func (r *run) block(e entry, index int, until uint64) {
	if r.plain {
		r.q.push(entry{until, e.num, e.what})
		return
	}
	g := r.yard.group(index)
	if e.what&armed == 0 {
		r.yard.add(g, e.num, e.what)
		if g.n > 1 && e.num > g.num {
			return
		}
	}
	r.arm(index, g, until, e.num)
}

// arm puts an entry that stands for the group into the queue.
func (r *run) arm(index int, g *group, time uint64, num uint32) {
	g.time, g.num = time, num
	r.q.push(entry{time, num, armed | (r.yard.index[index] - 1)})
}

// wake returns the first entry of the group that e represents. It returns false if another entry of
// the group has replaced it in the meantime.
func (r *run) wake(e entry) (entry, bool) {
	g := &r.yard.groups[e.what&opMask]
	if g.time != e.time || g.num != e.num {
		return e, false
	}
	_, what := r.yard.head(g)
	e.what = what | armed
	return e, true
}

// leave takes the head of a group, which goes on now, and arms the next one for
// the time when the resources are free.
func (r *run) leave(index int, until uint64) {
	y := &r.yard
	g := &y.groups[y.index[index]-1]
	y.drop(g)
	if g.n == 0 {
		g.num = math.MaxUint32
		return
	}
	num, _ := y.head(g)
	r.arm(index, g, until, num)
}

// insertAll puts entries that become free at the same moment for the same resources into the
// queue: one of them represents all.
func (r *run) insertAll(list []uint32, index int, at uint64) {
	g := r.yard.group(index)
	if g.n > 0 && g.time < at { // the entry in the queue is too early for these
		for _, i := range list {
			r.push(at, i)
		}
		return
	}
	if g.n == 0 {
		r.arm(index, g, at, r.num)
	}
	for _, i := range list {
		r.yard.add(g, r.num, i)
		r.num++
	}
}
