package collective

// halving describes the members that take part in recursive halving and doubling: the largest power
// of two. The surplus is in the first extra pairs of places: one member of each pair has a rank,
// and the other sits out.
type halving struct {
	power, extra int
	rank         int                // of the member, from 0; −1 if it sits out
	place        func(rank int) int // of a rank
}

// newHalving returns the ranks of Rabenseifner's algorithm for the virtual place v: in each of the
// first pairs the odd place sits out.
func newHalving(p *member, v int) halving {
	h := halving{power: highest(p.Size)}
	h.extra = p.Size - h.power
	switch {
	case v >= 2*h.extra:
		h.rank = v - h.extra
	case v%2 == 0:
		h.rank = v / 2
	default:
		h.rank = -1
	}
	h.place = func(rank int) int {
		if rank < h.extra {
			return p.real(2 * rank)
		}
		return p.real(rank + h.extra)
	}
	return h
}

// halve combines all slots of p in 2^k members, each of which ends up with one: Rabenseifner's
// first half. The two members of a pair with a surplus first exchange halves; then the one that
// remains gets the other's half. It returns the result of exchange; nil for a member that sits out.
func (h halving) halve(p *member, v int) []span {
	// The shares have unequal sizes: those of the first half may be longer.
	lower, upper := span{0, h.power / 2}, span{h.power / 2, h.power}
	if v < 2*h.extra {
		peer := p.real(v ^ 1)
		if h.power == 1 {
			panic("collective: one member of two")
		}
		if h.rank < 0 {
			p.send(peer, lower)
			p.fold(peer, upper)
			p.send(peer, upper)
			return nil
		}
		p.send(peer, upper)
		p.fold(peer, lower)
		p.recv(peer, upper)
		p.step()
	}
	return h.exchange(p)
}

// foldToPowerOfTwo prepares p members for an algorithm of 2^k: in each of the first pairs the even
// place sends all its data to the odd one and sits out.
func foldToPowerOfTwo(p *member, all span) halving {
	power := highest(p.Size)
	extra := p.Size - power
	h := halving{power, extra, -1, func(rank int) int { return survivorPlace(rank, extra) }}
	switch {
	case p.Place >= 2*extra:
		h.rank = p.Place - extra
	case p.Place%2 == 0:
		p.send(p.Place+1, all)
	default:
		p.fold(p.Place-1, all)
		h.rank = p.Place / 2
	}
	return h
}

// answer sends slots from the odd place of a pair to the one that sits out.
func (h halving) answer(p *member, s span) {
	if p.Place < 2*h.extra {
		p.send(p.Place-1, s)
	}
}

// survivorPlace returns the place of the i'th remaining member, if of each of the first pairs only
// the odd place remains.
func survivorPlace(i, pairs int) int {
	if i < pairs {
		return 2*i + 1
	}
	return i + pairs
}

// exchange combines the window of all shares, in the order of near ranks first.
func (h halving) exchange(p *member) []span {
	return h.exchangeHalves(p, true, func(s span) []span { return []span{s} }, p.step)
}

// exchangeHalves combines a window of parts in a power of two of ranks: in the round with distance
// d = 1, 2, 4 …, or … 4, 2, 1 unless up is set, a rank exchanges half of its remaining window
// with rank XOR d. It returns the rank's window before each round, and the one at the end. slots
// returns the slots of a window.
func (h halving) exchangeHalves(p *member, up bool, slots func(span) []span, step func()) []span {
	windows := []span{{0, h.power}}
	for near, far := 1, h.power/2; far > 0; near, far = 2*near, far/2 {
		d := far
		if up {
			d = near
		}
		keep, give := windows[len(windows)-1].split(h.rank&d != 0)
		p.send(h.place(h.rank^d), slots(give)...)
		p.fold(h.place(h.rank^d), slots(keep)...)
		step()
		windows = append(windows, keep)
	}
	return windows
}

// split halves the slots.
func (s span) split(upper bool) (keep, give span) {
	middle := (s.first + s.end) / 2
	if keep, give = (span{s.first, middle}), (span{middle, s.end}); upper {
		return give, keep
	}
	return keep, give
}

// double sends all slots to all ranks, after halve left one slot to each.
func (h halving) double(p *member, windows []span) {
	for k, d := len(windows)-2, h.power/2; d > 0; k, d = k-1, d/2 {
		mine, both := windows[k+1], windows[k]
		peer := h.place(h.rank ^ d)
		theirs := span{both.first, mine.first}
		if mine.first == both.first {
			theirs = span{mine.end, both.end}
		}
		p.send(peer, mine)
		p.recv(peer, theirs)
		p.step()
	}
}

// rabenseifnerCut cuts Bytes into 2^⌊lg p⌋ shares by repeated halving.
func rabenseifnerCut(p *member) {
	power := highest(p.Size)
	borders := make([]uint64, power+1)
	borders[power] = p.elements()
	for d := power; d > 1; d /= 2 {
		for lo := 0; lo < power; lo += d {
			borders[lo+d/2] = borders[lo] + (borders[lo+d]-borders[lo])/2
		}
	}
	size, bytes := p.element(), p.Bytes
	p.cut(power, func(i int) uint64 { return min(borders[i]*size, bytes) })
}
