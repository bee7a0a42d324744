package collective

// An allgather brings each member's block of Bytes bytes to all. Slot i is the block of
// the member at place i.

// linearAllgather is a linear gather at place 0 and a linear broadcast of all blocks.
func linearAllgather(p *member) {
	p.Root = 0
	p.blocks(p.Size)
	if p.Place > 0 {
		p.send(0, slot(p.Place))
		p.recv(0, span{0, p.Size})
		return
	}
	// Receives follow each other, so that later operations wait for the last one only.
	var last uint32
	for place := 1; place < p.Size; place++ {
		last = p.recv(place, slot(place))
		p.step()
	}
	p.setWriter(last, []span{{1, p.Size}})
	for place := 1; place < p.Size; place++ {
		p.send(place, span{0, p.Size})
	}
}

// bruckAllgather: in the round with d = 1, 2, 4 … member i sends d blocks, its own first, to i
// − d, but at most those that are missing there (Bruck and others, Efficient algorithms for
// all-to-all communications, 1997): ⌈lg p⌉ rounds for any p. Each round waits for the previous
// one; so does the last round of p ≠ 2^k, though it could carry earlier blocks.
func bruckAllgather(p *member) {
	p.blocks(p.Size)
	for d := 1; d < p.Size; d *= 2 {
		n := min(d, p.Size-d)
		p.send(p.shifted(-d), circularSpans(p.Place, n, p.Size)...)
		p.recv(p.shifted(d), circularSpans(p.Place+d, n, p.Size)...)
		p.step()
	}
}

// doublingAllgather: in round k the places of a block of 2^k exchange all they have with
// those of the neighbouring block. It needs p = 2^k.
func doublingAllgather(p *member) {
	p.blocks(p.Size)
	for d := 1; d < p.Size; d *= 2 {
		mine, theirs := p.Place&^(d-1), (p.Place^d)&^(d-1)
		p.send(p.Place^d, span{mine, mine + d})
		p.recv(p.Place^d, span{theirs, theirs + d})
		p.step()
	}
}

// ringAllgather: in step s member i passes block i − s on to its right neighbour. Each step, as
// each round of doublingAllgather and neighbourAllgather, is a blocking exchange.
func ringAllgather(p *member) {
	p.Root = 0
	p.blocks(p.Size)
	p.ring(0, slot, p.recv, p.step)
}

// ring passes blocks to the right neighbour: in step s the place v, relative to the root, sends
// block v + first − s, and receives from its left neighbour by take.
func (p *member) ring(first int, block func(i int) span, take func(from int, to ...span) uint32,
	step func()) {
	p.around(circle{p.Size, p.virtual(), p.real}, first, block, take, step)
}

// A circle is a ring of size members, in which the member has the number at; place returns the
// place of a number.
type circle struct {
	size, at int
	place    func(number int) int
}

// around is ring among the members of a circle.
func (p *member) around(c circle, first int, block func(i int) span,
	take func(from int, to ...span) uint32, step func()) {
	v, n := c.at, c.size
	steps := n - 1
	if p.steps > 0 {
		steps = min(steps, p.steps)
	}
	for s := range steps {
		p.send(c.place((v+1)%n), block((v+first-s+n)%n))
		take(c.place((v-1+n)%n), block((v+first-s-1+n)%n))
		step()
	}
}

// neighbourAllgather exchanges blocks with both neighbours in turns: first its own block, then the
// two that came last (Chen, Zhang, Zhang, Yuan, Performance evaluation of allgather algorithms on
// terascale Linux cluster with fast Ethernet, 2005). It needs an even p.
func neighbourAllgather(p *member) {
	p.blocks(p.Size)
	// Pairs 2j, 2j+1 exchange first; afterwards blocks travel in such pairs. A pair comes first
	// from the left for an even place, from the right for an odd one.
	side := 1 - p.Place%2*2
	pair := p.Place &^ 1
	p.send(p.shifted(side), slot(p.Place))
	p.recv(p.shifted(side), slot(p.Place^1))
	p.step()
	out := pair
	for s := 1; s < p.Size/2; s++ {
		// Step s brings the pair that is ⌈s/2⌉ pairs away on that side, which alternates.
		side = -side
		away := (s + 1) / 2 * 2 * side
		if s%2 == 0 {
			away = s / 2 * 2 * side
		}
		in := pair + away
		p.send(p.shifted(side), circularSpans(out, 2, p.Size)...)
		p.recv(p.shifted(side), circularSpans(in, 2, p.Size)...)
		p.step()
		out = in
	}
}
