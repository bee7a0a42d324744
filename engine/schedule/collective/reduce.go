package collective

// BinomialReduce combines Bytes bytes of every member at the root, with the messages of
// BinomialBroadcast in reverse. Member v receives from v + 2^k for each 2^k > v, and then sends to
// the member without its highest bit.
func BinomialReduce(p *Part) { tree(binomialTree).reduce(p) }

// linearReduce: the root receives and combines one message after the other, that of the last place
// first.
func linearReduce(p *Part) {
	p.cut(1, func(i int) uint64 { return uint64(i) * p.Bytes })
	starUp(p)
}

func starUp(p *Part) {
	if p.Place != p.Root {
		p.send(p.Root, slot(0))
		return
	}
	for place := p.Size - 1; place >= 0; place-- {
		if place != p.Root {
			p.foldNext(place, slot(0))
		}
	}
}

// inOrderReduce combines along inOrderTree of the places, for any root, so that operations need not
// commute. The last place has the result, and sends it to the root in one message.
func inOrderReduce(p *Part) {
	last, n, root := p.Size-1, p.segments(), p.Root
	p.Root = 0
	tree(func(p *Part, place int) (int, []int) { return inOrderTree(0, p.Size, place) }).up(p, n)
	p.Root = root
	switch {
	case p.Root == last:
	case p.Place == last:
		p.send(p.Root, span{0, n})
	case p.Place == p.Root:
		p.recv(last, span{0, n})
	}
}

// halving describes the places that take part in recursive halving: the largest power of two. The
// surplus is at the odd places v < 2·extra; their even neighbours take their part.
type halving struct {
	power, extra int
	rank         int                // of the member, from 0; −1 if its neighbour takes its part
	place        func(rank int) int // of a rank
}

func newHalving(p *Part, v int) halving {
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

// split halves the slots.
func (s span) split(upper bool) (keep, give span) {
	middle := (s.lo + s.hi) / 2
	if keep, give = (span{s.lo, middle}), (span{middle, s.hi}); upper {
		return give, keep
	}
	return keep, give
}

// halve combines all slots of p in 2^k members, each of which ends up with one: Rabenseifner's
// first half. In a pair of which one sits out, the two first exchange halves, and the remaining one
// then gets the other's half. It returns the result of exchange; nil for a member that sits out.
func (h halving) halve(p *Part, v int) []span {
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

func (h halving) exchange(p *Part) []span {
	return p.exchangeHalves(h.rank, h.power, true, h.place, func(s span) []span { return []span{s} }, p.step)
}

// exchangeHalves combines a window of parts in a power of two of ranks: in the round with distance
// d = 1, 2, 4 …, or … 4, 2, 1 unless up is set, a rank exchanges half of its remaining window with
// rank XOR d. It returns the rank's window before each round, and the one at the end. slots returns
// the slots of a window, place the place of a rank.
func (p *Part) exchangeHalves(rank, power int, up bool, place func(rank int) int, slots func(span) []span, step func()) []span {
	windows := []span{{0, power}}
	for near, far := 1, power/2; far > 0; near, far = 2*near, far/2 {
		d := far
		if up {
			d = near
		}
		keep, give := windows[len(windows)-1].split(rank&d != 0)
		p.send(place(rank^d), slots(give)...)
		p.fold(place(rank^d), slots(keep)...)
		step()
		windows = append(windows, keep)
	}
	return windows
}

// rabenseifnerCut cuts Bytes into 2^⌊lg p⌋ shares by repeated halving.
func rabenseifnerCut(p *Part) {
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

// rabenseifnerReduce is recursive halving and a binomial gather (Thakur, Rabenseifner,
// Gropp 2005, section 4.4): the root, v = 0, always takes part.
func rabenseifnerReduce(p *Part) {
	rabenseifnerCut(p)
	v := p.virtual()
	h := newHalving(p, v)
	windows := h.halve(p, v)
	if h.rank < 0 {
		return
	}
	for k, d := len(windows)-2, h.power/2; d > 0; k, d = k-1, d/2 {
		mine, both := windows[k+1], windows[k]
		peer := h.place(h.rank ^ d)
		if h.rank&d != 0 {
			p.send(peer, mine)
			return
		}
		p.recv(peer, span{mine.hi, both.hi})
	}
}
