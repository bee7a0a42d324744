package collective

// Letters below: p members; n = Bytes; v is a member's place counted from the root on,
// (place − root) mod p.

// BinomialBroadcast brings Bytes bytes from the root to all.
//
// In round k = 0, 1 … the members v < 2^k, which have the data, send it to v + 2^k if there is one:
// ⌈lg p⌉ rounds. So v receives from itself without its highest bit, and then sends to v + 2^k for
// each 2^k > v, the nearest first. That is Open MPI's order of children.
func BinomialBroadcast(p *Part) { tree(binomialTree).broadcast(p) }

// farthestFirst is contiguousTree, the farthest child first.
func farthestFirst(p *Part, v int) (int, []int) {
	parent, children := contiguousTree(p, v)
	return parent, reversed(children)
}

func reversed(s []int) []int {
	for i, j := 0, len(s)-1; i < j; i, j = i+1, j-1 {
		s[i], s[j] = s[j], s[i]
	}
	return s
}

// splitBinaryBroadcast sends the first half of the elements, rounded up, down the left
// half of binaryTree, and the rest down the right half; then each place of the left half
// exchanges with the next, which is of the right. With an even number of members the last
// of the left has nobody, and gets the rest from the root.
func splitBinaryBroadcast(p *Part) {
	half := (p.elements() + 1) / 2
	first := min(half*p.element(), p.Bytes)
	// A segment longer than a half, or a half of nothing, is no reason to split (as in Open MPI).
	if p.Size < 3 || p.elements() < 2 || p.Segment > p.Bytes-first {
		tree(lineTree).broadcast(p)
		return
	}
	size := p.segment(first)
	left := int((first + size - 1) / size)
	size2 := p.segment(p.Bytes - first)
	all := left + int((p.Bytes-first+size2-1)/size2)
	p.cut(all, func(i int) uint64 {
		if i <= left {
			return min(uint64(i)*size, first)
		}
		return min(first+uint64(i-left)*size2, p.Bytes)
	})
	halves := []span{{0, left}, {left, all}}
	v := p.virtual()
	parent, children := binaryTree(p, v)
	if v == 0 {
		for i := range max(left, all-left) {
			for side, child := range children {
				if h := halves[side]; i < h.hi-h.lo {
					p.send(p.real(child), slot(h.lo+i))
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
	for s := mine.lo; s < mine.hi; s++ {
		p.recv(p.real(parent), slot(s))
		for _, child := range children {
			p.send(p.real(child), slot(s))
		}
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

// scatterTree cuts Bytes into p slots, and brings to each member v those of its subtree of
// contiguousTree: the farthest child first, as it has most to pass on. Slots are counted
// from the root on. It reports whether there is enough to cut; without it is linear.
func scatterTree(p *Part) bool {
	if p.elements() < uint64(p.Size) {
		tree(starTree).broadcast(p)
		return false
	}
	p.portions(p.Size)
	scatterDown(p, func(v, n int) []span { return []span{{v, v + n}} })
	return true
}

// scatterDown brings slots down contiguousTree; slots says which the places v … v+n−1
// have. Members for which nothing remains get no message.
func scatterDown(p *Part, slots func(v, n int) []span) {
	v := p.virtual()
	parent, children := contiguousTree(p, v)
	if parent >= 0 {
		if mine := slots(v, subtreeSize(v, p.Size)); p.size(mine) > 0 || p.Bytes == 0 {
			p.recv(p.real(parent), mine...)
		}
	}
	for _, child := range reversed(children) {
		if theirs := slots(child, subtreeSize(child, p.Size)); p.size(theirs) > 0 || p.Bytes == 0 {
			p.send(p.real(child), theirs...)
		}
	}
}

// ringScatterBroadcast is a scatter and an allgather around the ring (van de Geijn).
func ringScatterBroadcast(p *Part) {
	if scatterTree(p) {
		p.ring(0, p.recv, p.step)
	}
}

// doublingScatterBroadcast is a scatter and an allgather by recursive doubling: in round k
// the places of a block of 2^k have its slots, and exchange them with those of the
// neighbouring block. Where the number of members is no power of two, a block at the end
// can be short; what it sends is then passed on within the larger one (Thakur, Rabenseifner,
// Gropp, Optimization of collective communication operations in MPICH, 2005, section 4.1).
func doublingScatterBroadcast(p *Part) {
	if !scatterTree(p) {
		return
	}
	v := p.virtual()
	here := func(block, mask int) []span {
		return []span{{min(block, p.Size), min(block+mask, p.Size)}}
	}
	for mask := 1; mask < p.Size; mask *= 2 {
		p.step()
		mine, theirs := v&^(mask-1), (v^mask)&^(mask-1)
		if peer := v ^ mask; peer < p.Size {
			p.send(p.real(peer), here(mine, mask)...)
			p.recv(p.real(peer), here(theirs, mask)...)
		}
		// The first of the places of each block of 2^j have what the other block had.
		have := p.Size - theirs
		if theirs < mine || have >= mask || have <= 0 {
			continue
		}
		for d := mask / 2; d > 0; d /= 2 {
			peer, block := v^d, v&^(2*d-1)
			switch {
			case v < block+have && peer >= block+have:
				p.send(p.real(peer), here(theirs, mask)...)
			case peer < block+have && v >= block+have:
				p.recv(p.real(peer), here(theirs, mask)...)
			}
		}
	}
}
