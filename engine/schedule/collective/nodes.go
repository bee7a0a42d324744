package collective

// Algorithms of GPUs: direct exchanges over a switch, and those in two levels, inside nodes of
// PerNode consecutive places each and between them.

// oneShot sends the whole message of each member to every other, which combines what comes: one
// step, and p − 1 times the bytes (custom all-reduces of inference engines such as vLLM and
// TensorRT-LLM, below some 100 KiB).
func oneShot(p *member) {
	p.blocks(1)
	for s := 1; s < p.Size; s++ {
		p.send(p.shifted(s), slot(0))
	}
	for s := 1; s < p.Size; s++ {
		p.fold(p.shifted(-s), slot(0))
	}
}

// twoShot is a reduce-scatter and an allgather of shares of 1/p, each in one step between all
// members (the same engines, above that size).
func twoShot(p *member) {
	p.shares(p.Size)
	for s := 1; s < p.Size; s++ {
		p.send(p.shifted(s), slot(p.shifted(s)))
	}
	for s := 1; s < p.Size; s++ {
		p.fold(p.shifted(-s), slot(p.Place))
	}
	for s := 1; s < p.Size; s++ {
		p.send(p.shifted(s), slot(p.Place))
	}
	for s := 1; s < p.Size; s++ {
		p.recv(p.shifted(-s), slot(p.shifted(-s)))
	}
}

// hierarchicalAllreduce is a reduce-scatter around a ring inside each node, an allreduce around a
// ring of the members of the same number in each node, by rail, and an allgather around the ring
// inside. Between nodes go 2(N − 1)/N of the bytes for each node of N, as with rings of all ranks,
// in 2(N − 1) steps.
func hierarchicalAllreduce(p *member) {
	g, nodes := p.PerNode, p.Size/p.PerNode
	node, local := p.Place/g, p.Place%g
	p.shares(p.Size)
	inside := circle{g, local, func(i int) int { return node*g + i }}
	share := func(i int) span { return span{i * nodes, (i + 1) * nodes} }
	p.around(inside, 0, share, p.fold, p.step)
	own := share((local + 1) % g)
	rail := circle{nodes, node, func(i int) int { return i*g + local }}
	part := func(i int) span { return slot(own.first + i) }
	p.around(rail, 0, part, p.fold, p.step)
	p.around(rail, 1, part, p.recv, p.step)
	p.around(inside, 1, share, p.recv, p.step)
}

// twoLevelAlltoall first sends, inside each node, the blocks for the members of one number to the
// member of that number, and then exchanges them between nodes by rail: g − 1 messages inside a
// node of g, of a block for each node, and one to each other node, of a block for each member
// (NCCL's PXN; the dispatch of mixtures of experts).
func twoLevelAlltoall(p *member) {
	g, nodes := p.PerNode, p.Size/p.PerNode
	node, local := p.Place/g, p.Place%g
	p.blocks(2 * p.Size)
	// The blocks for number i take the places of those that come from number i.
	number := func(i int) (all []span) {
		for n := range nodes {
			all = append(all, slot(n*g+i))
		}
		return all
	}
	for s := 1; s < g; s++ {
		to := (local + s) % g
		p.send(node*g+to, number(to)...)
	}
	for s := 1; s < g; s++ {
		from := (local - s + g) % g
		p.recv(node*g+from, number(from)...)
	}
	p.step()
	for s := 1; s < nodes; s++ {
		to, from := (node+s)%nodes, (node-s+nodes)%nodes
		p.send(to*g+local, span{to * g, (to + 1) * g})
		p.recv(from*g+local, span{p.Size + from*g, p.Size + (from+1)*g})
	}
	first := node * g
	p.copy(span{p.Size + first, p.Size + first + g}, span{first, first + g})
}

// inNetworkBound is no algorithm but a lower bound of those in which switches combine (NVLS in a
// node, SHARP between nodes): each member's data leave it once and the result enters it once, and
// so for each node, whose members share that traffic. The messages stand for that traffic alone, to
// and from the next member, and the next node.
func inNetworkBound(p *member) {
	p.shares(max(p.PerNode, 1))
	all := span{0, max(p.PerNode, 1)}
	if p.Size == 1 {
		return
	}
	if nodes := p.Size / all.end; twoLevels(p.Size, p.PerNode) {
		node, local := p.Place/all.end, p.Place%all.end
		beside := func(by int) int { return node*all.end + (local+by+all.end)%all.end }
		across := func(by int) int { return (node+by+nodes)%nodes*all.end + local }
		// Both go at once: algorithms overlap their phases.
		p.send(beside(1), all)
		p.send(across(1), slot(local))
		p.recv(beside(-1), all)
		p.recv(across(-1), slot(local))
		return
	}
	p.send(p.shifted(1), all)
	p.recv(p.shifted(-1), all)
}

// twoLevels reports whether ranks are at least two nodes of perNode each, and that at least two.
func twoLevels(ranks, perNode int) bool {
	return perNode > 1 && ranks%perNode == 0 && ranks > perNode
}
