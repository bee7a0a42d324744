package collective

// An alltoall sends a block of Bytes bytes from every member to every other. Slot i is the block
// for place i, slot p + i the block from place i.

// pairs cuts the slots, and copies the member's own block.
func (p *member) pairs() {
	p.blocks(2 * p.Size)
	p.copy(slot(p.Size+p.Place), slot(p.Place))
}

// linearAlltoall sends Bytes bytes from every member to every other: in step s = 1 … p−1 the
// member at place i sends to (i + s) mod p and receives from (i − s) mod p. Steps do not wait for
// each other. Of unequal blocks, an empty one has no message, as in Open MPI and MPICH.
func linearAlltoall(p *member) {
	p.pairs()
	for s := 1; s < p.Size; s++ {
		to, from := p.shifted(s), p.shifted(-s)
		if !p.empty(slot(to)) {
			p.send(to, slot(to))
		}
		if !p.empty(slot(p.Size + from)) {
			p.recv(from, slot(p.Size+from))
		}
	}
}

// pairwiseAlltoall is linearAlltoall, but each step waits for the previous step, and empty blocks
// have messages.
func pairwiseAlltoall(p *member) {
	p.pairs()
	for s := 1; s < p.Size; s++ {
		to, from := p.shifted(s), p.shifted(-s)
		p.send(to, slot(to))
		p.recv(from, slot(p.Size+from))
		p.step()
	}
}

// syncAlltoall has at most Fanout sends and as many receives in progress (default 4): the next one
// begins when the oldest of its kind is done.
func syncAlltoall(p *member) {
	p.pairs()
	most := fanoutOr(p.Fanout, 4, 1)
	sends, recvs := make([]uint32, 0, p.Size), make([]uint32, 0, p.Size)
	for s := 1; s < p.Size; s++ {
		to, from := p.shifted(s), p.shifted(-s)
		recvs = append(recvs, p.recv(from, slot(p.Size+from)))
		sends = append(sends, p.send(to, slot(to)))
		if s > most {
			p.requires(recvs[s-1], recvs[s-1-most])
			p.requires(sends[s-1], sends[s-1-most])
		}
	}
}

// bruckAlltoall forwards blocks: in the round with d = 1, 2, 4 … the blocks whose remaining
// distance, (to − from) mod p, has that bit travel by d in one message (Bruck and others 1997).
// Each round waits for the previous round.
func bruckAlltoall(p *member) {
	p.blocks(2 * p.Size)
	// Slots are numbered by distance: slot j first holds the block for place + j, and in the end
	// the block from place − j.
	for d := 1; d < p.Size; d *= 2 {
		var moving []span
		for j := d; j < p.Size; j += 2 * d { // j … j + d − 1 have the bit
			moving = append(moving, circularSpans(p.Place+j, min(d, p.Size-j), p.Size)...)
		}
		p.send(p.shifted(d), moving...)
		p.recv(p.shifted(-d), moving...)
		p.step()
	}
	for j := range p.Size {
		p.copy(slot(p.Size+p.shifted(-j)), slot(p.shifted(j)))
	}
}
