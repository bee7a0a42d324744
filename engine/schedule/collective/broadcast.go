package collective

// In the comments, p is the number of members, n is Bytes, and v is a place relative to the root,
// (place − root) mod p.

// binomialBroadcast sends Bytes bytes from the root to all members.
//
// In round k = 0, 1 … the members v < 2^k, which have the data, send it to v + 2^k, if that
// exists: ⌈lg p⌉ rounds. So v receives from the member without its highest bit, and then sends
// to v + 2^k for each 2^k > v, the nearest first, which is Open MPI's order of children.
func binomialBroadcast(p *member) { tree(binomialTree).broadcast(p) }

// mpichBinomial sends segments down farthestFirst. A member sends to one child after the other by
// blocking calls, as MPICH's binomial broadcast does.
func mpichBinomial(p *member) {
	n := p.segments()
	b := tree(farthestFirst).at(p)
	for s := range n {
		b.pass(p, slot(s), p.sendBlocking)
	}
}

// splitBinaryBroadcast sends the first half of the elements, rounded up, down the left half of
// binaryTree, and the rest down the right half. Then each place of the left half exchanges with the
// next place, which is in the right half. If the number of members is even, the last place of the
// left half has no partner, and gets the rest from the root.
func splitBinaryBroadcast(p *member) {
	halves := p.halves()
	v := p.virtual()
	b := tree(binaryTree).at(p)
	if v == 0 {
		for i := range halves[0].end {
			for side, child := range b.children {
				if h := halves[side]; i < h.end-h.first {
					p.send(child, slot(h.first+i))
				}
			}
		}
		if p.Size%2 == 0 {
			p.send(p.real(p.Size-1), halves[1])
		}
		return
	}
	side := 1 - v%2 // odd places are of the left half
	mine, other := halves[side], halves[1-side]
	for s := mine.first; s < mine.end; s++ {
		b.down(p, slot(s))
	}
	switch {
	case side == 1:
		p.send(p.real(v-1), mine)
		p.recv(p.real(v-1), other)
	case v+1 < p.Size:
		p.send(p.real(v+1), mine)
		p.recv(p.real(v+1), other)
	default:
		p.recv(p.real(0), other)
	}
}

// scatterTree cuts Bytes into p slots and sends each member v the slots of its subtree of
// contiguousTree; the farthest child comes first, since its subtree is the largest. Slots are
// numbered from the root.
func scatterTree(p *member) {
	p.portions(p.Size)
	slots := func(v int) []span { return []span{{v, v + subtreeSize(v, p.Size)}} }
	tree(farthestFirst).scatter(p, slots, p.sendBlocking)
	p.step() // an allgather's first send must not overtake the scatter's
}

// scatter sends slots down the tree by the given sends; slots returns those of the subtree of a
// virtual place. A member whose slots are empty gets no message.
func (t tree) scatter(p *member, slots func(v int) []span,
	send func(to int, from ...span) uint32) {
	v := p.virtual()
	parent, children := t(p.Size, p.Fanout, v)
	if parent >= 0 {
		if mine := slots(v); !p.empty(mine...) {
			p.recv(p.real(parent), mine...)
		}
	}
	for _, child := range children {
		if theirs := slots(child); !p.empty(theirs...) {
			send(p.real(child), theirs...)
		}
	}
}

// ringScatterBroadcast is a scatter and an allgather around the ring (van de Geijn).
func ringScatterBroadcast(p *member) {
	scatterTree(p)
	p.ring(0, slot, p.recv, p.step)
}

// doublingScatterBroadcast is a scatter and an allgather by recursive doubling: in round k
// the places of a block of 2^k have its slots, and exchange them with the places of the
// neighbouring block (Thakur, Rabenseifner, Gropp, Optimization of collective communication
// operations in MPICH, 2005, section 4.1).
func doublingScatterBroadcast(p *member) {
	scatterTree(p)
	here := func(block, d int) span { return span{min(block, p.Size), min(block+d, p.Size)} }
	p.doubling(p.virtual(),
		func(to, block, d int) { p.send(p.real(to), here(block, d)) },
		func(from, block, d int) { p.recv(p.real(from), here(block, d)) })
}

// doubling is the recursive doubling of place v, for any number of members: in the round of
// distance d, each place exchanges what its block of d places has with the place v XOR d. If the
// last block is short, some places have no partner; those of their block that have one forward the
// neighbouring block to them. send and receive get the first place of the block whose data the
// message carries.
func (p *member) doubling(v int, send, receive func(peer, block, d int)) {
	for d := 1; d < p.Size; d *= 2 {
		p.step()
		mine, theirs := v&^(d-1), (v^d)&^(d-1)
		if peer := v ^ d; peer < p.Size {
			send(peer, mine, d)
			receive(peer, theirs, d)
		}
		// The first places of each block of 2^j have what the other block had.
		have := p.Size - theirs
		if theirs < mine || have >= d || have <= 0 {
			continue
		}
		for e := d / 2; e > 0; e /= 2 {
			peer, block := v^e, v&^(2*e-1)
			switch {
			case v < block+have && peer >= block+have:
				send(peer, theirs, d)
			case peer < block+have && v >= block+have:
				receive(peer, theirs, d)
			}
		}
	}
}
