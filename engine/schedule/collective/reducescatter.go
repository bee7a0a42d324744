package collective

import "math/bits"

// A reduce-scatter combines p blocks of Bytes bytes of every member; the member at place i
// ends with block i. Slots are the blocks.

// ringReduceScatter passes partial sums around: in step s the member i sends block i − 1 − s.
func ringReduceScatter(p *member) {
	p.Root = 0
	p.blocks(p.Size)
	p.inOrder = p.Size > 2
	p.ring(-1, slot, p.fold, func() {})
}

// pairwiseReduceScatter: in step s = 1 … p−1 member i sends its contribution to block i + s to
// that member, and receives one to its own block from i − s. Each step waits for the previous
// step.
func pairwiseReduceScatter(p *member) {
	p.blocks(p.Size)
	for s := 1; s < p.Size; s++ {
		to, from := p.shifted(s), p.shifted(-s)
		p.send(to, slot(to))
		p.fold(from, slot(p.Place))
		p.step()
	}
}

// ofRanks returns the blocks of ranks: two for each of the first extra ones, which also have the
// part of a neighbour.
func ofRanks(extra int) func(span) []span {
	return func(s span) []span {
		return []span{{s.first + min(s.first, extra), s.end + min(s.end, extra)}}
	}
}

// halvingReduceScatter: in the round with distance d = 2^(k−1) … 2, 1 a rank exchanges half of
// its remaining blocks with rank XOR d (Thakur, Rabenseifner, Gropp 2005, section 4.3).
func halvingReduceScatter(p *member) {
	p.blocks(p.Size)
	h := foldToPowerOfTwo(p, span{0, p.Size})
	if h.rank < 0 {
		p.recv(p.Place+1, slot(p.Place))
		return
	}
	h.exchangeHalves(p, false, ofRanks(h.extra), func() {})
	h.answer(p, slot(p.Place-1))
}

// butterflyReduceScatter is halvingReduceScatter with the distances in increasing order, so that
// near ranks exchange the most. A rank then ends up with the blocks of its mirror image, the rank
// with its bits reversed, and sends them there in one more step (Träff, An improved algorithm for
// (non-commutative) reduce-scatter with an application, 2005).
func butterflyReduceScatter(p *member) {
	p.blocks(p.Size)
	h := foldToPowerOfTwo(p, span{0, p.Size})
	owner := h.rank
	if h.rank >= 0 {
		windows := h.exchangeHalves(p, true, ofRanks(h.extra), func() {})
		// The rank has the blocks of its mirror image.
		for b := ofRanks(h.extra)(windows[len(windows)-1])[0]; b.first < b.end; b.first++ {
			if b.first != p.Place {
				p.send(b.first, slot(b.first))
			}
		}
	} else {
		owner = p.Place / 2
	}
	if has := h.place(mirror(owner, h.power)); has != p.Place {
		p.recv(has, slot(p.Place))
	}
}

// blockButterfly is butterflyReduceScatter, but for p = 2^k it first puts the blocks in mirrored
// order, so that each rank ends up with its own.
func blockButterfly(p *member) {
	if !isPower(p.Size) {
		butterflyReduceScatter(p)
		return
	}
	p.blocks(p.Size)
	mirrored := func(s span) (all []span) { // the slots whose reversed bits are in s
		for ; s.first < s.end; s.first++ {
			all = append(all, slot(mirror(s.first, p.Size)))
		}
		return all
	}
	h := halving{power: p.Size, rank: p.Place, place: func(rank int) int { return rank }}
	h.exchangeHalves(p, true, mirrored, func() {})
}

// mirror returns n < power, a power of two, with its bits reversed.
func mirror(n, power int) int {
	if power < 2 {
		return n
	}
	return int(bits.Reverse64(uint64(n)) >> (64 - bits.Len(uint(power-1))))
}

// doublingReduceScatter: in the round with d = 1, 2, 4 … the places of a block of d have combined
// their contributions to all other blocks and exchange them with the neighbouring block, except for
// those to blocks of the sender's side, which are not needed there. (MPICH's recursive doubling:
// more bytes than halving, but the order of the operands is kept.)
func doublingReduceScatter(p *member) {
	p.blocks(2 * p.Size) // the second half holds received data
	but := func(block, d, at int) []span {
		return []span{{at, at + block}, {at + min(block+d, p.Size), at + p.Size}}
	}
	p.doubling(p.Place,
		func(to, block, d int) {
			at := 0
			if block != p.Place&^(d-1) { // received from the neighbouring block
				at = p.Size
			}
			p.send(to, but(block, d, at)...)
		},
		func(from, block, d int) {
			p.recv(from, but(block, d, p.Size)...)
			to := but(block, d, 0)
			for i, s := range but(block, d, p.Size) {
				p.combine(to[i], s)
			}
		})
}

// reduceThenScatter is a binomial reduce of all blocks to place 0, and a linear scatter.
func reduceThenScatter(p *member) {
	p.Root = 0
	p.blocks(p.Size)
	tree(contiguousTree).at(p).up(p, span{0, p.Size})
	p.star().scatter(p, p.own, p.sendBlocking)
}
