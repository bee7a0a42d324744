package collective

// Barriers: no rank leaves before all have entered. The single slot represents the arrivals so far
// and holds no bytes; if Bytes is above 0, messages have that size.

// dissemination notifies every member of every other member's arrival (Hensgen, Finkel, Manber, Two
// algorithms for barrier synchronization, 1988): in round k = 0, 1 … ⌈lg p⌉−1 the member at
// place i sends Bytes bytes to (i + 2^k) mod p and receives as many from (i − 2^k) mod p. A
// barrier has Bytes of 0.
func dissemination(p *member) {
	p.Gamma = 0 // nothing is combined
	p.blocks(1)
	for d := 1; d < p.Size; d *= 2 {
		p.send(p.shifted(d), slot(0))
		p.foldNext(p.shifted(-d), slot(0))
	}
}

// linearBarrier: all members report to place 0, which then answers all.
func linearBarrier(p *member) {
	p.Gamma = 0
	linearAllreduce(p)
}

// treeBarrier is linearBarrier along contiguousTree.
func treeBarrier(p *member) {
	p.Root, p.Gamma = 0, 0
	p.blocks(1)
	tree(contiguousTree).up(p, 1)
	tree(farthestFirst).down(p, 1)
}

// doubleRingBarrier: a token goes around twice from place 0.
func doubleRingBarrier(p *member) {
	if p.Size < 2 {
		return
	}
	p.Gamma = 0
	p.blocks(1)
	right, left := p.shifted(1), p.shifted(-1)
	for range 2 {
		if p.Place > 0 {
			p.foldNext(left, slot(0))
		}
		p.send(right, slot(0))
		if p.Place == 0 {
			p.foldNext(left, slot(0))
		}
	}
}

// doublingBarrier: with p = 2^k, place i exchanges with i XOR 2^j in round j. The members at or
// above 2^k first report to the place 2^k below, which answers in the end.
func doublingBarrier(p *member) {
	p.Gamma = 0
	p.blocks(1)
	power := highest(p.Size)
	if p.Place >= power {
		p.send(p.Place-power, slot(0))
		p.recv(p.Place-power, slot(0))
		return
	}
	other := p.Place + power
	if other < p.Size {
		p.foldNext(other, slot(0))
	}
	for d := 1; d < power; d *= 2 {
		p.send(p.Place^d, slot(0))
		p.foldNext(p.Place^d, slot(0))
	}
	if other < p.Size {
		p.send(other, slot(0))
	}
}
