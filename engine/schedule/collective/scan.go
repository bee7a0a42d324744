package collective

// A scan combines Bytes bytes of the members 0 … i at member i.

// linearScan passes the partial result from place to place.
func linearScan(p *member) {
	n := p.segments()
	for s := range n {
		if p.Place > 0 {
			p.fold(p.Place-1, slot(s))
		}
		if p.Place+1 < p.Size {
			p.send(p.Place+1, slot(s))
		}
	}
}

// doublingScan: in round j place i exchanges the total of its block of 2^j with i XOR 2^j, if that
// exists, and adds contributions from lower places to its result as well. Slot 0 is the result, 1
// the total, 2 the received data.
func doublingScan(p *member) {
	p.blocks(3)
	result, total, came := slot(0), slot(1), slot(2)
	p.copy(total, result)
	for d := 1; d < p.Size; d *= 2 {
		peer := p.Place ^ d
		if peer >= p.Size {
			continue
		}
		p.send(peer, total)
		p.recv(peer, came)
		p.combine(total, came)
		if peer < p.Place {
			p.combine(result, came)
		}
	}
}
