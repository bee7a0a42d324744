package collective

// Gather and scatter: slot i is the block of Bytes bytes of the member at place i.

// linearGather sends Bytes bytes from every other member to the root, which receives one message
// after the other by blocking calls.
func linearGather(p *member) { p.star().gather(p, p.own, p.block) }

// nonblockingGather is linearGather, but the root posts all receives at once.
func nonblockingGather(p *member) {
	p.star().gather(p, p.own, func(op uint32) uint32 { return op })
}

// own returns the block of a virtual place.
func (p *member) own(v int) []span { return []span{slot(p.real(v))} }

// subtree returns the blocks of a virtual place and of its subtree of contiguousTree.
func (p *member) subtree(v int) []span {
	return circularSpans(p.real(v), subtreeSize(v, p.Size), p.Size)
}

// gather sends blocks up the tree; blocks returns those of the subtree of a virtual place. It calls
// each with every receive. A member whose blocks are empty sends no message.
func (t tree) gather(p *member, blocks func(v int) []span, each func(receive uint32) uint32) {
	p.blocks(p.Size)
	v := p.virtual()
	parent, children := t(p.Size, p.Fanout, v)
	for _, child := range children {
		if theirs := blocks(child); !p.empty(theirs...) {
			each(p.recv(p.real(child), theirs...))
		}
	}
	if mine := blocks(v); parent >= 0 && !p.empty(mine...) {
		p.send(p.real(parent), mine...)
	}
}

// syncGather: the root asks each member by an empty message; the member then sends the first
// Segment bytes of its block (default 1024, at most the block), and the rest in a second message.
// Both parts are always sent, even if the second is empty.
func syncGather(p *member) {
	first := p.Segment
	if first == 0 {
		first = 1024
	}
	first = min(max(first/p.element(), 1)*p.element(), p.Bytes)
	// Two slots for each block, and an empty one for the question.
	p.cut(2*p.Size+1, func(i int) uint64 {
		if i >= 2*p.Size {
			return uint64(p.Size) * p.Bytes
		}
		return uint64(i/2)*p.Bytes + uint64(i%2)*first
	})
	question := slot(2 * p.Size)
	parts := func(place int) (a, b span) { return slot(2 * place), slot(2*place + 1) }
	if p.Place != p.Root {
		asked := p.recv(p.Root, question)
		a, b := parts(p.Place)
		p.requires(p.send(p.Root, a), asked)
		p.requires(p.send(p.Root, b), asked)
		return
	}
	for v := 1; v < p.Size; v++ {
		a, b := parts(p.real(v))
		p.recv(p.real(v), a)
		p.send(p.real(v), question)
		p.recv(p.real(v), b)
	}
}

// binomialGather sends blocks up contiguousTree, each member's together with those of its subtree.
func binomialGather(p *member) { tree(contiguousTree).gather(p, p.subtree, p.block) }

// linearScatter sends Bytes bytes from the root to every other member, one after the other by
// blocking calls.
func linearScatter(p *member) {
	p.blocks(p.Size)
	p.star().scatter(p, p.own, p.sendBlocking)
}

// nonblockingScatter is linearScatter, but the sends do not wait for each other.
func nonblockingScatter(p *member) {
	p.blocks(p.Size)
	p.star().scatter(p, p.own, p.send)
}

// binomialScatter sends blocks down contiguousTree, those of the farthest child first.
func binomialScatter(p *member) {
	p.blocks(p.Size)
	tree(farthestFirst).scatter(p, p.subtree, p.sendBlocking)
}
