package collective

import "math/bits"

// recursiveDoubling combines Bytes bytes of every member at every member
// (allreduce; Thakur, Rabenseifner, Gropp, Optimization of collective
// communication operations in MPICH, 2005, section 4.5): with p = 2^k members,
// place i exchanges all it has with place i XOR 2^j in round j = 0 … k−1.
//
// With r = p − 2^k members more than a power of 2, each even place below 2r first
// sends to the odd one after it, sits out, and gets the result from there.
func recursiveDoubling(p *member) {
	p.blocks(1)
	h := foldToPowerOfTwo(p, slot(0))
	if h.rank < 0 {
		p.recv(p.Place+1, slot(0))
		return
	}
	for d := 1; d < h.power; d *= 2 {
		p.send(h.place(h.rank^d), slot(0))
		p.foldNext(h.place(h.rank^d), slot(0))
	}
	h.answer(p, slot(0))
}

// linearAllreduce is a linear reduce to place 0 and a linear broadcast from there.
func linearAllreduce(p *member) {
	p.Root = 0
	p.blocks(1)
	starUp(p)
	p.star().down(p, 1)
}

// reduceBroadcast is a binomial reduce to place 0 and a binomial broadcast from there, each
// in segments.
func reduceBroadcast(p *member) {
	p.Root = 0
	n := p.segments()
	tree(contiguousTree).up(p, n)
	tree(binomialTree).down(p, n)
}

// ringAllreduce is a reduce-scatter and an allgather around the ring, of shares of 1/p each
// (Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations, 2009).
// After the first half, member i has share i + 1.
func ringAllreduce(p *member) {
	p.Root = 0
	p.shares(p.Size)
	p.ring(0, slot, p.fold, p.step)
	p.ring(1, slot, p.recv, p.step)
}

// segmentedRing is ringAllreduce with a first half in phases, each of about a segment of each
// share; in the second half the parts of a share travel together. As in Open MPI, the number of
// phases is the message over p segments, rounded to the nearest integer, so a part can exceed a
// segment by half.
func segmentedRing(p *member) {
	round := uint64(p.Size) * (p.segment(p.Bytes) / p.element())
	phases := int(p.elements() / round)
	if more := p.elements() % round; more >= uint64(p.Size) && more > round/2 {
		phases++
	}
	shares := p.shared(0, p.elements(), p.Size)
	// Each share is cut into phases, the longer ones first.
	p.cut(p.Size*phases, func(i int) uint64 {
		block, phase := i/phases, i%phases
		lo := shares(block)
		if phase == 0 {
			return lo
		}
		elements := (shares(block+1) - lo + p.element() - 1) / p.element()
		return p.shared(lo/p.element(), elements, phases)(phase)
	})
	p.Root = 0
	for phase := range phases {
		p.ring(0, func(i int) span { return slot(i*phases + phase) }, p.fold, p.step)
	}
	p.ring(1, func(i int) span { return span{i * phases, (i + 1) * phases} }, p.recv, p.step)
}

// rabenseifnerAllreduce is recursive halving, then recursive doubling in the opposite order.
func rabenseifnerAllreduce(p *member) {
	rabenseifnerCut(p)
	p.Root = 0
	h := newHalving(p, p.Place)
	windows := h.halve(p, p.Place)
	all := span{0, h.power}
	if h.rank < 0 {
		p.recv(p.Place-1, all)
		return
	}
	h.double(p, windows)
	if p.Place < 2*h.extra {
		p.send(p.Place+1, all)
	}
}

// mpichRabenseifner is rabenseifnerAllreduce, but in a pair whose even place sits out, that place
// sends all its data to the odd one and gets all of the result: fewer messages, more bytes (Thakur,
// Rabenseifner, Gropp 2005, section 4.5).
func mpichRabenseifner(p *member) {
	rabenseifnerCut(p)
	p.Root = 0
	all := span{0, highest(p.Size)}
	h := foldToPowerOfTwo(p, all)
	if h.rank < 0 {
		p.recv(p.Place+1, all)
		return
	}
	p.step()
	h.double(p, h.exchange(p))
	h.answer(p, all)
}

// doubleTree uses two binary trees at once, each for one half of the message, in segments: combined
// upwards and sent down again (Sanders, Speck, Träff, Two-tree algorithms for full bandwidth
// broadcast, reduction and scan, 2009; NCCL's "tree"). About half of the members are leaves of each
// tree and inner places of the other, so no member sends or receives the whole message twice.
//
// The first tree is ncclTree of the places. The second is its mirror image if p is even, and
// shifted by one place if p is odd, as in NCCL. Its messages have the tag Tag + 1, since two
// members can be neighbours in both trees.
//
// Among several nodes, the trees are of nodes, as NCCL's are: the first place of a node is in the
// tree, and the others form a chain behind it, which is shorter in a last node of fewer places. The
// message then goes in chunks without segments, too, and a member sends one up when the result of
// the 16th before it has come down: a connection of NCCL has eight slots, upwards and downwards, so
// that no chunk runs far ahead.
func doubleTree(p *member) {
	g := 1
	if p.PerNode > 1 && p.Size > p.PerNode {
		g = p.PerNode
	}
	n := (p.Size + g - 1) / g
	if g > 1 && p.Segment == 0 {
		p.Segment = chunk(p.Bytes, n)
	}
	halves := p.halves()
	to, back := func(q int) int { return n - 1 - q }, func(q int) int { return n - 1 - q }
	if n%2 == 1 {
		to, back = func(q int) int { return (q - 1 + n) % n }, func(q int) int {
			return (q + 1) % n
		}
	}
	same := func(q int) int { return q }
	branches := [2]branch{p.treeOfNodes(g, n, same, same), p.treeOfNodes(g, n, to, back)}
	tag, chunks := p.Tag, halves[0].end
	each := func(chunk int, pass func(tree int, s span)) {
		for i, half := range halves {
			if p.Tag = tag + uint32(i); half.first+chunk < half.end {
				pass(i, slot(half.first+chunk))
			}
		}
		p.Tag = tag
	}
	ahead := chunks
	if g > 1 {
		ahead = min(ahead, treeSlots)
	}
	var came [2][]uint32 // the results that have come down, by tree
	for chunk := range chunks + ahead {
		each(chunk, func(i int, s span) {
			if sent := branches[i].up(p, s); sent != none && chunk >= ahead {
				p.requires(sent, came[i][chunk-ahead])
			}
		})
		if chunk+1 < ahead {
			continue
		}
		each(chunk+1-ahead, func(i int, s span) {
			came[i] = append(came[i], branches[i].down(p, s))
		})
	}
}

// treeSlots is by how many chunks a member of a tree of nodes is ahead of their results.
const treeSlots = 16

// chunk returns the size of the chunks in which a message goes through a tree of nodes: NCCL's
// largest, or smaller ones for a message of few chunks, since each is delayed by the depth.
func chunk(bytes uint64, nodes int) uint64 {
	const largest, smallest = 512 << 10, 32 << 10
	depth := uint64(bits.Len(uint(nodes)))
	size := uint64(largest)
	for size > smallest && bytes/size < 8*depth {
		size /= 2
	}
	return size
}

// treeOfNodes returns the branch of the member in a tree of n nodes with g places each, the last
// one with at most g. to and back number the nodes of the tree.
func (p *member) treeOfNodes(g, n int, to, back func(node int) int) branch {
	b := branch{parent: p.Place - 1}
	if p.Place%g == 0 {
		parent, children := ncclTree(n, 0, to(p.Place/g))
		if b.parent = parent; parent >= 0 {
			b.parent = g * back(parent)
		}
		for _, child := range children {
			b.children = append(b.children, g*back(child))
		}
	}
	if next := p.Place + 1; next%g > 0 && next < p.Size {
		b.children = append(b.children, p.Place+1)
	}
	return b
}

// ncclTree is a binary tree whose root is place 0 and whose odd places are leaves: the
// parent of a place is the place with its lowest bit moved up by one, if there is one, and
// otherwise with that bit cleared; 0 has one child, the highest power of two below n.
func ncclTree(n, _, place int) (parent int, children []int) {
	if place == 0 {
		if n > 1 {
			children = []int{highest(n - 1)}
		}
		return -1, children
	}
	low := place & -place
	parent = (place ^ low) | low<<1
	if parent >= n {
		parent = place ^ low
	}
	half := low >> 1
	if half > 0 {
		children = append(children, place-half)
		// The other child is the nearest existing place above.
		for ; half > 0; half >>= 1 {
			if place+half < n {
				children = append(children, place+half)
				break
			}
		}
	}
	return parent, children
}
