package programs

import (
	"math/bits"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// Collective is exported for tests of package programs_test.
type Collective = algorithm

// Takes reports whether the algorithm runs on the given number of nodes.
func (a algorithm) Takes(nodes int) bool { return a.runsOn(nodes) }

// Run executes the collective once, and checks every byte of the result. It is an error if n, or
// one node's part of it, is not a multiple of 4.
func (a algorithm) Run(ep *engine.Endpoint, root, n int) error {
	t := newTeam(ep)
	c, err := a.begin(t, root, n)
	if err != nil {
		return err
	}
	if a.run(t, c); t.err != nil {
		return t.err
	}
	return a.check(t, c)
}

// Only the algorithms of the registry are programs. The others test the schedules of package
// engine/schedule/collective: as programs of active messages, which move real data, they end when
// the simulated schedules do.
var Collectives = []Collective{
	{"bcast", "binomial", false, bcastBinomial},
	{"reduce", "binomial", false, reduceBinomial},
	{"allreduce", "recursive-doubling", true, allreduceDoubling},
	{"allgather", "ring", false, allgatherRing},
	{"alltoall", "pairwise", false, alltoallPairwise},
	{"barrier", "dissemination", false, barrierDissemination},
	{"bcast", "linear", false, bcastLinear},
	{"bcast", "pipeline", false, bcastPipeline},
	{"bcast", "binary", false, bcastBinary},
	{"bcast", "scatter-ring", true, bcastScatterRing},
	{"reduce", "linear", false, reduceLinear},
	{"reduce", "pipeline", false, reducePipeline},
	{"allreduce", "ring", false, allreduceRing},
	{"allreduce", "rabenseifner", true, allreduceRabenseifner},
	{"reduce-scatter", "ring", false, reduceScatterRing},
	{"reduce-scatter", "pairwise", false, reduceScatterPairwise},
	{"allgather", "recursive-doubling", true, allgatherDoubling},
	{"allgather", "bruck", false, allgatherBruck},
	{"alltoall", "linear", false, alltoallLinear},
	{"alltoall", "bruck", false, alltoallBruck},
	{"gather", "linear", false, gatherLinear},
	{"gather", "binomial", true, gatherBinomial},
	{"scatter", "linear", false, scatterLinear},
	{"scatter", "binomial", true, scatterBinomial},
	{"barrier", "recursive-doubling", true, barrierDoubling},
	{"scan", "linear", false, scanLinear},
	{"scan", "recursive-doubling", false, scanDoubling},
}

func init() {
	definitions["scan"] = definition{true, everywhere, everywhere, func(t *team, _ call, at int) uint32 { return sum(t.me()+1, at) }}
	definitions["reduce-scatter"] = definition{false, everywhere, ownBlock, sumOfAll}
	definitions["gather"] = definition{false, ownBlock, atRoot, ofBlockOwner}
	definitions["scatter"] = definition{false, atRoot, ownBlock, ofRoot}
}

func bcastLinear(t *team, c call) {
	if t.me() != c.root {
		t.into(c.data, c.root, 0)
		return
	}
	for to := range t.size() {
		if to != c.root {
			t.send(to, 0, c.data)
		}
	}
}

func bcastPipeline(t *team, c call) {
	v := t.rank(c.root)
	if v > 0 {
		t.into(c.data, t.node(c.root, v-1), 0)
	}
	if v+1 < t.size() {
		t.send(t.node(c.root, v+1), 0, c.data)
	}
}

// In the binary tree of Open MPI, the two subtrees below a node have the nodes of its level in
// turn: counted from the root, node v has v + 2^l and v + 2^(l+1), with 2^l − 1 nodes above its
// level l.
func bcastBinary(t *team, c call) {
	v := t.rank(c.root)
	level := bits.Len(uint(v+1)) - 1
	if v > 0 {
		above := 1 << (level - 1) // nodes of the level above
		parent := v - above
		if parent >= 2*above-1 {
			parent -= above
		}
		t.into(c.data, t.node(c.root, parent), 0)
	}
	for _, child := range []int{v + 1<<level, v + 2<<level} {
		if child < t.size() {
			t.send(t.node(c.root, child), 0, c.data)
		}
	}
}

// bcastScatterRing halves what is passed on at each level of a tree, and then passes the blocks
// round.
func bcastScatterRing(t *team, c call) {
	v, p := t.rank(c.root), t.size()
	n := len(c.data) / p
	have := p // blocks from v on
	if v > 0 {
		have = v & -v
		t.into(c.data[v*n:(v+have)*n], t.node(c.root, v-have), 0)
	}
	for half := have / 2; half > 0; half /= 2 {
		t.send(t.node(c.root, v+half), 0, c.data[(v+half)*n:(v+2*half)*n])
	}
	right, left := t.node(c.root, v+1), t.node(c.root, v+p-1)
	for step := range p - 1 {
		t.exchange(right, t.block(c.data, v-step), left, t.block(c.data, v-step-1), 1)
	}
}

func reduceLinear(t *team, c call) {
	if t.me() != c.root {
		t.send(c.root, 0, c.data)
		return
	}
	for from := t.size() - 1; from >= 0; from-- {
		if from != c.root {
			t.add(c.data, from, 0)
		}
	}
}

func reducePipeline(t *team, c call) {
	v := t.rank(c.root)
	if v+1 < t.size() {
		t.add(c.data, t.node(c.root, v+1), 0)
	}
	if v > 0 {
		t.send(t.node(c.root, v-1), 0, c.data)
	}
}

// addRing passes blocks round, each node adding its own; the node ends with the whole sum of block
// me + shift.
func (t *team) addRing(data []byte, shift int) {
	p, me := t.size(), t.me()
	for step := range p - 1 {
		t.send((me+1)%p, 2, t.block(data, me+shift-1-step))
		t.add(t.block(data, me+shift-2-step), (me+p-1)%p, 2)
	}
}

func allreduceRing(t *team, c call) {
	t.addRing(c.data, 1)
	p, me := t.size(), t.me()
	for step := range p - 1 {
		t.exchange((me+1)%p, t.block(c.data, me+1-step), (me+p-1)%p, t.block(c.data, me-step), 3)
	}
}

// allreduceRabenseifner halves what two nodes are about in each round, and then doubles it again.
func allreduceRabenseifner(t *team, c call) {
	lo, hi := 0, len(c.data)
	type half struct{ lo, hi int }
	var kept []half
	for bit := 1; bit < t.size(); bit *= 2 {
		kept = append(kept, half{lo, hi})
		mid := (lo + hi) / 2
		give, keep := half{mid, hi}, half{lo, mid}
		if t.me()&bit != 0 {
			give, keep = keep, give
		}
		t.send(t.me()^bit, uint32(bit), c.data[give.lo:give.hi])
		t.add(c.data[keep.lo:keep.hi], t.me()^bit, uint32(bit))
		lo, hi = keep.lo, keep.hi
	}
	for i := len(kept) - 1; i >= 0; i-- {
		all, peer := kept[i], t.me()^1<<i
		other := half{all.lo, lo}
		if lo == all.lo {
			other = half{hi, all.hi}
		}
		t.exchange(peer, c.data[lo:hi], peer, c.data[other.lo:other.hi], uint32(t.size()<<1|i))
		lo, hi = all.lo, all.hi
	}
}

func reduceScatterRing(t *team, c call) { t.addRing(c.data, 0) }

func reduceScatterPairwise(t *team, c call) {
	p, me := t.size(), t.me()
	own := append([]byte(nil), c.data...)
	for step := 1; step < p; step++ {
		to, from := (me+step)%p, (me-step+p)%p
		t.send(to, 0, t.block(own, to))
		t.add(t.block(c.data, me), from, 0)
	}
}

func allgatherDoubling(t *team, c call) {
	n := len(c.data) / t.size()
	for bit := 1; bit < t.size(); bit *= 2 {
		mine, theirs := t.me()&^(bit-1), (t.me()^bit)&^(bit-1)
		t.exchange(t.me()^bit, c.data[mine*n:(mine+bit)*n], t.me()^bit, c.data[theirs*n:(theirs+bit)*n], uint32(bit))
	}
}

// allgatherBruck collects the blocks from its own on, as many as it has in each round.
func allgatherBruck(t *team, c call) {
	p, me := t.size(), t.me()
	n := len(c.data) / p
	turned := make([]byte, len(c.data)) // block i is that of node me + i
	copy(turned, t.block(c.data, me))
	for have := 1; have < p; have *= 2 {
		more := min(have, p-have)
		t.exchange((me-have+p)%p, turned[:more*n], (me+have)%p, turned[have*n:(have+more)*n], uint32(have))
	}
	for i := range p {
		copy(t.block(c.data, me+i), turned[i*n:(i+1)*n])
	}
}

func alltoallLinear(t *team, c call) {
	p, me := t.size(), t.me()
	copy(t.block(c.other, me), t.block(c.data, me))
	for step := 1; step < p; step++ {
		t.send((me+step)%p, 0, t.block(c.data, me+step))
	}
	for step := 1; step < p; step++ {
		t.into(t.block(c.other, me+step), (me+step)%p, 0)
	}
}

// alltoallBruck sends on, in round k, all blocks whose way to go has bit k.
func alltoallBruck(t *team, c call) {
	p, me := t.size(), t.me()
	n := len(c.data) / p
	turned := make([]byte, len(c.data)) // block i goes to node me + i
	for i := range p {
		copy(turned[i*n:], t.block(c.data, me+i))
	}
	for bit := 1; bit < p; bit *= 2 {
		var out []byte
		for i := range p {
			if i&bit != 0 {
				out = append(out, turned[i*n:(i+1)*n]...)
			}
		}
		in := make([]byte, len(out))
		t.exchange((me+bit)%p, out, (me-bit+p)%p, in, uint32(bit))
		for i := range p {
			if i&bit != 0 {
				copy(turned[i*n:(i+1)*n], in)
				in = in[n:]
			}
		}
	}
	for i := range p {
		copy(t.block(c.other, me-i), turned[i*n:(i+1)*n])
	}
}

func gatherLinear(t *team, c call) {
	if t.me() != c.root {
		t.send(c.root, 0, t.block(c.data, t.me()))
		return
	}
	for from := range t.size() {
		if from != c.root {
			t.into(t.block(c.data, from), from, 0)
		}
	}
}

// gatherBinomial collects the blocks counted from the root on, and turns them at the end.
func gatherBinomial(t *team, c call) {
	v, p := t.rank(c.root), t.size()
	n := len(c.data) / p
	turned := make([]byte, len(c.data))
	copy(turned[v*n:], t.block(c.data, t.me()))
	for bit := 1; bit < p; bit *= 2 {
		if v&bit != 0 {
			t.send(t.node(c.root, v-bit), 0, turned[v*n:(v+bit)*n])
			return
		}
		t.into(turned[(v+bit)*n:(v+2*bit)*n], t.node(c.root, v+bit), 0)
	}
	for i := range p {
		copy(t.block(c.data, c.root+i), turned[i*n:(i+1)*n])
	}
}

func scatterLinear(t *team, c call) {
	if t.me() != c.root {
		t.into(t.block(c.data, t.me()), c.root, 0)
		return
	}
	for to := range t.size() {
		if to != c.root {
			t.send(to, 0, t.block(c.data, to))
		}
	}
}

func scatterBinomial(t *team, c call) {
	v, p := t.rank(c.root), t.size()
	n := len(c.data) / p
	turned := make([]byte, len(c.data))
	have := p
	if v == 0 {
		for i := range p {
			copy(turned[i*n:], t.block(c.data, c.root+i))
		}
	} else {
		have = v & -v
		t.into(turned[v*n:(v+have)*n], t.node(c.root, v-have), 0)
	}
	for half := have / 2; half > 0; half /= 2 {
		t.send(t.node(c.root, v+half), 0, turned[(v+half)*n:(v+2*half)*n])
	}
	copy(t.block(c.data, t.me()), turned[v*n:(v+1)*n])
}

func barrierDoubling(t *team, c call) {
	for bit := 1; bit < t.size(); bit *= 2 {
		t.exchange(t.me()^bit, nil, t.me()^bit, nil, uint32(bit))
	}
}

func scanLinear(t *team, c call) {
	if t.me() > 0 {
		t.add(c.data, t.me()-1, 0)
	}
	if t.me()+1 < t.size() {
		t.send(t.me()+1, 0, c.data)
	}
}

// scanDoubling keeps two sums: that of all nodes it has heard of, and that of those before it.
func scanDoubling(t *team, c call) {
	all := append([]byte(nil), c.data...)
	for bit := 1; bit < t.size(); bit *= 2 {
		peer := t.me() ^ bit
		if peer >= t.size() {
			continue
		}
		t.send(peer, uint32(bit), all)
		in := t.receive(peer, uint32(bit), len(all))
		addNumbers(all, in)
		if peer < t.me() {
			addNumbers(c.data, in)
		}
	}
}
