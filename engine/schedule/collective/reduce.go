package collective

// binomialReduce combines Bytes bytes of every member at the root, with the messages of
// binomialBroadcast in reverse. Member v receives from v + 2^k for each 2^k > v, and then sends to
// the member without its highest bit.
func binomialReduce(p *member) { tree(binomialTree).reduce(p) }

// contiguousReduce combines segments up contiguousTree. A member receives from one child after the
// other by blocking calls, as MPICH's binomial reduce does; Open MPI posts one receive ahead.
func contiguousReduce(p *member) {
	n := p.segments()
	b := tree(contiguousTree).at(p)
	for s := range n {
		b.collect(p, slot(s), func(from int, to ...span) uint32 {
			return p.block(p.fold(from, to...))
		})
	}
}

// linearReduce: the root receives and combines one message after the other, that of the last place
// first.
func linearReduce(p *member) {
	p.blocks(1)
	starUp(p)
}

func starUp(p *member) {
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
func inOrderReduce(p *member) {
	last, n, root := p.Size-1, p.segments(), p.Root
	p.Root = 0
	tree(func(size, _, place int) (int, []int) { return inOrderTree(0, size, place) }).up(p, n)
	p.Root = root
	switch {
	case p.Root == last:
	case p.Place == last:
		p.send(p.Root, span{0, n})
	case p.Place == p.Root:
		p.recv(last, span{0, n})
	}
}

// rabenseifnerReduce is recursive halving and a binomial gather (Thakur, Rabenseifner,
// Gropp 2005, section 4.4): the root, v = 0, always takes part.
func rabenseifnerReduce(p *member) {
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
		p.recv(peer, span{mine.end, both.end})
	}
}
