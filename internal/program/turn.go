package program

import "slices"

// A turn compares each rank of a program with the rank a number of ranks behind it. If all do the
// same, with peers as far from them, the first of them can stand for all, see [Calls.Sequence].
type turn struct {
	*Calls
	by    int
	index []int // of each rank in its class
	known map[*group]*turning
}

// A turning is the communicator to which the members of another one turn, each to a place so much
// further. Nil if there is none.
type turning struct {
	to     *group
	places int
	same   map[uint64]bool // by call: whether its algorithm turns too
}

func (x *Calls) newTurn(by int) *turn {
	t := &turn{Calls: x, by: by, known: map[*group]*turning{}}
	if by == 0 {
		return t
	}
	t.index = make([]int, x.Ranks)
	next := map[*rank]int{}
	for number, r := range x.of {
		t.index[number] = next[r]
		next[r]++
	}
	return t
}

// alike reports whether each rank does in its piece what the turned one does.
func (t *turn) alike(pieces func(r *rank) piece) bool {
	for number := range t.of {
		if !t.same(number, pieces) {
			return false
		}
	}
	return true
}

func (t *turn) turned(rank uint64) uint64 { return (rank + uint64(t.by)) % uint64(t.Ranks) }

// same reports whether a rank does what the turned one does. The lines of their calls may differ.
func (t *turn) same(number int, pieces func(r *rank) piece) bool {
	other := int(t.turned(uint64(number)))
	a, b := t.of[number], t.of[other]
	i, j := t.index[number], t.index[other]
	p, q := pieces(a), pieces(b)
	from, to := reader(a.tape.bytes[p.from:p.to]), reader(b.tape.bytes[q.from:q.to])
	equal := func() bool { return from.number() == to.number() }
	for len(from) > 0 && len(to) > 0 {
		c := from.code()
		if c != to.code() {
			return false
		}
		from.number() // the lines
		to.number()
		ok := true
		switch c {
		case compute, mark:
			ok = equal()
		case computeEach:
			ok = a.class.vectors[from.number()][i] == b.class.vectors[to.number()][j]
		case begin, blocking:
			if c == begin && !equal() {
				return false
			}
			n := from.number()
			ok = n == to.number()
			for ; ok && n > 0; n-- {
				ok = t.sameMessage(from.message(a.class, i), to.message(b.class, j))
			}
		case wait:
			n := from.number()
			ok = n == to.number()
			for ; ok && n > 0; n-- {
				ok = from.number()-uint64(p.requests) == to.number()-uint64(q.requests)
			}
		case runCollective, beginRun:
			if c == beginRun && !equal() {
				return false
			}
			g, called := t.groups[from.number()], from.number()
			h, also := t.groups[to.number()], to.number()
			from.number() // the places follow from the ranks
			to.number()
			ok = called == also && t.sameCall(g, h, called)
		}
		if !ok {
			return false
		}
	}
	return len(from) == len(to)
}

// sameMessage reports whether b is the turned a. A receive of any source is not: it would also take
// messages of ranks that others stand for.
func (t *turn) sameMessage(a, b message) bool {
	if a.peer == 0 || b.peer != t.turned(a.peer-1)+1 {
		return false
	}
	return a.receive == b.receive && a.size == b.size && a.tag == b.tag && a.context == b.context
}

// sameCall reports whether the call of a number in two communicators is one, turned.
func (t *turn) sameCall(g, h *group, number uint64) bool {
	way := t.known[g]
	if way == nil {
		way = t.turning(g)
		t.known[g] = way
	}
	if way.to != h {
		return false
	}
	same, known := way.same[number]
	if !known {
		a, b := &g.calls[number], &h.calls[number]
		call := a.chosen
		call.Bytes = a.bytes
		same = a.callArguments == b.callArguments && !a.unequal &&
			a.entry.Turns(g.size, way.places, call)
		way.same[number] = same
	}
	return same
}

// turning returns how a communicator turns.
func (t *turn) turning(g *group) *turning {
	way := &turning{same: map[uint64]bool{}}
	to, places := Turning(g.family.ranks(), g.ranks(), func(rank uint32) uint32 {
		return uint32(t.turned(uint64(rank)))
	})
	if to >= 0 && g.family.groups[to].context == g.context {
		way.to, way.places = g.family.groups[to], places
	}
	return way
}

// Turning returns which of the groups has the turned ranks of one, each so many places further; −1
// if none has.
func Turning(groups [][]uint32, ranks []uint32, turned func(uint32) uint32) (to, places int) {
	for to, h := range groups {
		places := slices.Index(h, turned(ranks[0]))
		if places < 0 || len(h) != len(ranks) {
			continue
		}
		same := true
		for place := 0; same && place < len(ranks); place++ {
			same = h[(place+places)%len(h)] == turned(ranks[place])
		}
		if same {
			return to, places
		}
	}
	return -1, 0
}
