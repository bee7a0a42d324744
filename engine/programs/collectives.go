package programs

import (
	"fmt"
	"math/bits"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Collective is an algorithm of a collective as a program: every node calls Run, and after it has
// the data that the operation promises. The names are those of package engine/schedule/collective,
// with which this one shares nothing else.
type Collective struct {
	Collective, Name string
	// PowerOfTwo says that the number of nodes must be one.
	PowerOfTwo bool
	run        func(t *Team, c call) error
}

// A call is what a node brings: data has the whole message of a broadcast, reduce, allreduce and
// scan, and else a block for each node. All sizes are multiples of 4 B, and of 4 B × nodes where
// the algorithm cuts the message.
type call struct {
	root int
	data []byte
	// other has the blocks that alltoall received.
	other []byte
}

// Collectives are all that there are.
var Collectives = []Collective{
	{"bcast", "linear", false, bcastLinear},
	{"bcast", "pipeline", false, bcastPipeline},
	{"bcast", "binary", false, bcastBinary},
	{"bcast", "binomial", false, bcastBinomial},
	{"bcast", "scatter-ring", true, bcastScatterRing},
	{"reduce", "linear", false, reduceLinear},
	{"reduce", "pipeline", false, reducePipeline},
	{"reduce", "binomial", false, reduceBinomial},
	{"allreduce", "recursive-doubling", true, allreduceDoubling},
	{"allreduce", "ring", false, allreduceRing},
	{"allreduce", "rabenseifner", true, allreduceRabenseifner},
	{"reduce-scatter", "ring", false, reduceScatterRing},
	{"reduce-scatter", "pairwise", false, reduceScatterPairwise},
	{"allgather", "ring", false, allgatherRing},
	{"allgather", "recursive-doubling", true, allgatherDoubling},
	{"allgather", "bruck", false, allgatherBruck},
	{"alltoall", "linear", false, alltoallLinear},
	{"alltoall", "pairwise", false, alltoallPairwise},
	{"alltoall", "bruck", false, alltoallBruck},
	{"gather", "linear", false, gatherLinear},
	{"gather", "binomial", true, gatherBinomial},
	{"scatter", "linear", false, scatterLinear},
	{"scatter", "binomial", true, scatterBinomial},
	{"barrier", "dissemination", false, barrierDissemination},
	{"barrier", "recursive-doubling", true, barrierDoubling},
	{"scan", "linear", false, scanLinear},
	{"scan", "recursive-doubling", false, scanDoubling},
}

// FindCollective finds an algorithm by its names.
func FindCollective(collective, name string) (Collective, bool) {
	for _, c := range Collectives {
		if c.Collective == collective && c.Name == name {
			return c, true
		}
	}
	return Collective{}, false
}

// Takes reports whether the algorithm runs among so many nodes.
func (c Collective) Takes(nodes int) bool {
	return nodes >= 2 && (!c.PowerOfTwo || nodes&(nodes-1) == 0)
}

// Run does the collective once, with made data of n bytes: those of the message, or of each node's
// block, as in the calls of MPI. It checks every byte that the node has at the end. It is an error
// if n, or what one node's part of it is, is no multiple of 4.
func (c Collective) Run(t *Team, root, n int) error {
	d, err := c.begin(t, root, n)
	if err != nil {
		return err
	}
	if err := c.run(t, d); err != nil {
		return err
	}
	return c.check(d, t.size(), t.me(), n)
}

// begin makes what the node brings.
func (c Collective) begin(t *Team, root, n int) (call, error) {
	p, me := t.size(), t.me()
	whole := map[string]bool{"bcast": true, "reduce": true, "allreduce": true, "scan": true}[c.Collective]
	switch {
	case !c.Takes(p):
		return call{}, fmt.Errorf("%s %s does not run among %d nodes", c.Collective, c.Name, p)
	case c.Collective == "barrier":
		return call{}, nil
	case n%4 != 0 || whole && n%(4*p) != 0:
		return call{}, fmt.Errorf("%d bytes among %d nodes: programs cut them in numbers of 4 bytes", n, p)
	case root < 0 || root >= p:
		return call{}, fmt.Errorf("root %d of %d nodes", root, p)
	}
	size := n
	if !whole {
		size = p * n
	}
	d := call{root: root, data: make([]byte, size)}
	if c.Collective == "alltoall" {
		d.other = make([]byte, size)
	}
	first, last := 0, size
	switch c.Collective {
	case "bcast", "scatter":
		if me != root {
			last = 0
		}
	case "allgather", "gather":
		first, last = me*n, (me+1)*n
	}
	for i := first; i < last; i += 4 {
		put(d.data[i:], brought(me, i))
	}
	return d, nil
}

// brought is the number that a node brings at a place.
func brought(node, at int) uint32 { return uint32(node+1)*2654435761 + uint32(at)*40503 }

// check compares the data at the end with what the collective promises.
func (c Collective) check(d call, p, me, n int) error {
	sum := func(nodes, at int) (s uint32) {
		for i := range nodes {
			s += brought(i, at)
		}
		return s
	}
	got, first, last := d.data, 0, len(d.data)
	var want func(at int) uint32
	switch c.Collective {
	case "bcast":
		want = func(at int) uint32 { return brought(d.root, at) }
	case "reduce":
		want = func(at int) uint32 { return sum(p, at) }
		if me != d.root {
			last = 0
		}
	case "allreduce":
		want = func(at int) uint32 { return sum(p, at) }
	case "scan":
		want = func(at int) uint32 { return sum(me+1, at) }
	case "reduce-scatter":
		want = func(at int) uint32 { return sum(p, at) }
		first, last = me*n, (me+1)*n
	case "allgather":
		want = func(at int) uint32 { return brought(at/n, at) }
	case "gather":
		want = func(at int) uint32 { return brought(at/n, at) }
		if me != d.root {
			last = 0
		}
	case "scatter":
		want = func(at int) uint32 { return brought(d.root, at) }
		first, last = me*n, (me+1)*n
	case "alltoall":
		got = d.other
		want = func(at int) uint32 { return brought(at/n, me*n+at%n) }
	}
	for at := first; at < last; at += 4 {
		if get(got[at:]) != want(at) {
			return fmt.Errorf("%s %s: node %d, byte %d: %w", c.Collective, c.Name, me, at, errCollective)
		}
	}
	return nil
}

// block is one of the parts of data, of equal sizes.
func (t *Team) block(data []byte, i int) []byte {
	n := len(data) / t.size()
	i = (i%t.size() + t.size()) % t.size()
	return data[i*n : (i+1)*n]
}

// from is the node that is so far behind the root, and behind says how far a node is.
func (t *Team) from(root, behind int) int { return (root + behind) % t.size() }
func (t *Team) behind(root int) int       { return (t.me() - root + t.size()) % t.size() }

func bcastLinear(t *Team, c call) error {
	if t.me() != c.root {
		return t.into(c.data, c.root, 0)
	}
	for to := range t.size() {
		if to != c.root {
			if err := t.send(to, 0, c.data); err != nil {
				return err
			}
		}
	}
	return nil
}

func bcastPipeline(t *Team, c call) error {
	v := t.behind(c.root)
	if v > 0 {
		if err := t.into(c.data, t.from(c.root, v-1), 0); err != nil {
			return err
		}
	}
	if v+1 < t.size() {
		return t.send(t.from(c.root, v+1), 0, c.data)
	}
	return nil
}

// In the binary tree of Open MPI, the two subtrees below a node have the nodes of its level in turn:
// counted from the root, node v has v + 2^l and v + 2^(l+1), with 2^l − 1 nodes above its level l.
func bcastBinary(t *Team, c call) error {
	v := t.behind(c.root)
	level := bits.Len(uint(v+1)) - 1
	if v > 0 {
		above := 1 << (level - 1) // nodes of the level above
		parent := v - above
		if parent >= 2*above-1 {
			parent -= above
		}
		if err := t.into(c.data, t.from(c.root, parent), 0); err != nil {
			return err
		}
	}
	for _, child := range []int{v + 1<<level, v + 2<<level} {
		if child < t.size() {
			if err := t.send(t.from(c.root, child), 0, c.data); err != nil {
				return err
			}
		}
	}
	return nil
}

// The parent of a node is the node without its highest bit; its children have one bit more, the
// nearest first.
func bcastBinomial(t *Team, c call) error {
	v := t.behind(c.root)
	bit := 1 << bits.Len(uint(v))
	if v > 0 {
		if err := t.into(c.data, t.from(c.root, v-bit>>1), 0); err != nil {
			return err
		}
	}
	for ; v+bit < t.size(); bit *= 2 {
		if err := t.send(t.from(c.root, v+bit), 0, c.data); err != nil {
			return err
		}
	}
	return nil
}

// bcastScatterRing halves what is passed on at each level of a tree, and then passes the blocks round.
func bcastScatterRing(t *Team, c call) error {
	v, p := t.behind(c.root), t.size()
	n := len(c.data) / p
	have := p // blocks from v on
	if v > 0 {
		have = v & -v
		if err := t.into(c.data[v*n:(v+have)*n], t.from(c.root, v-have), 0); err != nil {
			return err
		}
	}
	for half := have / 2; half > 0; half /= 2 {
		if err := t.send(t.from(c.root, v+half), 0, c.data[(v+half)*n:(v+2*half)*n]); err != nil {
			return err
		}
	}
	right, left := t.from(c.root, v+1), t.from(c.root, v+p-1)
	for step := range p - 1 {
		if err := t.exchange(right, t.block(c.data, v-step), left, t.block(c.data, v-step-1), 1); err != nil {
			return err
		}
	}
	return nil
}

func reduceLinear(t *Team, c call) error {
	if t.me() != c.root {
		return t.send(c.root, 0, c.data)
	}
	for from := t.size() - 1; from >= 0; from-- {
		if from != c.root {
			if err := t.add(c.data, from, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

func reducePipeline(t *Team, c call) error {
	v := t.behind(c.root)
	if v+1 < t.size() {
		if err := t.add(c.data, t.from(c.root, v+1), 0); err != nil {
			return err
		}
	}
	if v > 0 {
		return t.send(t.from(c.root, v-1), 0, c.data)
	}
	return nil
}

// reduceBinomial adds along the tree in which a node's children have a bit below its lowest one.
func reduceBinomial(t *Team, c call) error {
	v, p := t.behind(c.root), t.size()
	for bit := 1; bit < p; bit *= 2 {
		if v&bit != 0 {
			return t.send(t.from(c.root, v-bit), 0, c.data)
		}
		if v+bit < p {
			if err := t.add(c.data, t.from(c.root, v+bit), 0); err != nil {
				return err
			}
		}
	}
	return nil
}

func allreduceDoubling(t *Team, c call) error {
	for bit := 1; bit < t.size(); bit *= 2 {
		if err := t.send(t.me()^bit, uint32(bit), c.data); err != nil {
			return err
		}
		if err := t.add(c.data, t.me()^bit, uint32(bit)); err != nil {
			return err
		}
	}
	return nil
}

// addRing passes blocks round, each node adding its own; the node ends with the whole sum of block
// me + shift.
func (t *Team) addRing(data []byte, shift int) error {
	p, me := t.size(), t.me()
	for step := range p - 1 {
		if err := t.send((me+1)%p, 2, t.block(data, me+shift-1-step)); err != nil {
			return err
		}
		if err := t.add(t.block(data, me+shift-2-step), (me+p-1)%p, 2); err != nil {
			return err
		}
	}
	return nil
}

func allreduceRing(t *Team, c call) error {
	if err := t.addRing(c.data, 1); err != nil {
		return err
	}
	p, me := t.size(), t.me()
	for step := range p - 1 {
		if err := t.exchange((me+1)%p, t.block(c.data, me+1-step), (me+p-1)%p, t.block(c.data, me-step), 3); err != nil {
			return err
		}
	}
	return nil
}

// allreduceRabenseifner halves what two nodes are about in each round, and then doubles it again.
func allreduceRabenseifner(t *Team, c call) error {
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
		if err := t.send(t.me()^bit, uint32(bit), c.data[give.lo:give.hi]); err != nil {
			return err
		}
		if err := t.add(c.data[keep.lo:keep.hi], t.me()^bit, uint32(bit)); err != nil {
			return err
		}
		lo, hi = keep.lo, keep.hi
	}
	for i := len(kept) - 1; i >= 0; i-- {
		all, peer := kept[i], t.me()^1<<i
		other := half{all.lo, lo}
		if lo == all.lo {
			other = half{hi, all.hi}
		}
		if err := t.exchange(peer, c.data[lo:hi], peer, c.data[other.lo:other.hi], uint32(t.size()<<1|i)); err != nil {
			return err
		}
		lo, hi = all.lo, all.hi
	}
	return nil
}

func reduceScatterRing(t *Team, c call) error { return t.addRing(c.data, 0) }

func reduceScatterPairwise(t *Team, c call) error {
	p, me := t.size(), t.me()
	own := append([]byte(nil), c.data...)
	for step := 1; step < p; step++ {
		to, from := (me+step)%p, (me-step+p)%p
		if err := t.send(to, 0, t.block(own, to)); err != nil {
			return err
		}
		if err := t.add(t.block(c.data, me), from, 0); err != nil {
			return err
		}
	}
	return nil
}

func allgatherRing(t *Team, c call) error {
	p, me := t.size(), t.me()
	for step := range p - 1 {
		if err := t.exchange((me+1)%p, t.block(c.data, me-step), (me+p-1)%p, t.block(c.data, me-step-1), 0); err != nil {
			return err
		}
	}
	return nil
}

func allgatherDoubling(t *Team, c call) error {
	n := len(c.data) / t.size()
	for bit := 1; bit < t.size(); bit *= 2 {
		mine, theirs := t.me()&^(bit-1), (t.me()^bit)&^(bit-1)
		if err := t.exchange(t.me()^bit, c.data[mine*n:(mine+bit)*n], t.me()^bit, c.data[theirs*n:(theirs+bit)*n], uint32(bit)); err != nil {
			return err
		}
	}
	return nil
}

// allgatherBruck collects the blocks from its own on, as many as it has in each round.
func allgatherBruck(t *Team, c call) error {
	p, me := t.size(), t.me()
	n := len(c.data) / p
	turned := make([]byte, len(c.data)) // block i is that of node me + i
	copy(turned, t.block(c.data, me))
	for have := 1; have < p; have *= 2 {
		more := min(have, p-have)
		if err := t.exchange((me-have+p)%p, turned[:more*n], (me+have)%p, turned[have*n:(have+more)*n], uint32(have)); err != nil {
			return err
		}
	}
	for i := range p {
		copy(t.block(c.data, me+i), turned[i*n:(i+1)*n])
	}
	return nil
}

func alltoallLinear(t *Team, c call) error {
	p, me := t.size(), t.me()
	copy(t.block(c.other, me), t.block(c.data, me))
	for step := 1; step < p; step++ {
		if err := t.send((me+step)%p, 0, t.block(c.data, me+step)); err != nil {
			return err
		}
	}
	for step := 1; step < p; step++ {
		if err := t.into(t.block(c.other, me+step), (me+step)%p, 0); err != nil {
			return err
		}
	}
	return nil
}

func alltoallPairwise(t *Team, c call) error {
	p, me := t.size(), t.me()
	copy(t.block(c.other, me), t.block(c.data, me))
	for step := 1; step < p; step++ {
		if err := t.exchange((me+step)%p, t.block(c.data, me+step), (me-step+p)%p, t.block(c.other, me-step), 0); err != nil {
			return err
		}
	}
	return nil
}

// alltoallBruck sends on, in round k, all blocks whose way to go has bit k.
func alltoallBruck(t *Team, c call) error {
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
		if err := t.exchange((me+bit)%p, out, (me-bit+p)%p, in, uint32(bit)); err != nil {
			return err
		}
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
	return nil
}

func gatherLinear(t *Team, c call) error {
	if t.me() != c.root {
		return t.send(c.root, 0, t.block(c.data, t.me()))
	}
	for from := range t.size() {
		if from != c.root {
			if err := t.into(t.block(c.data, from), from, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// gatherBinomial collects the blocks counted from the root on, and turns them at the end.
func gatherBinomial(t *Team, c call) error {
	v, p := t.behind(c.root), t.size()
	n := len(c.data) / p
	turned := make([]byte, len(c.data))
	copy(turned[v*n:], t.block(c.data, t.me()))
	for bit := 1; bit < p; bit *= 2 {
		if v&bit != 0 {
			return t.send(t.from(c.root, v-bit), 0, turned[v*n:(v+bit)*n])
		}
		if err := t.into(turned[(v+bit)*n:(v+2*bit)*n], t.from(c.root, v+bit), 0); err != nil {
			return err
		}
	}
	for i := range p {
		copy(t.block(c.data, c.root+i), turned[i*n:(i+1)*n])
	}
	return nil
}

func scatterLinear(t *Team, c call) error {
	if t.me() != c.root {
		return t.into(t.block(c.data, t.me()), c.root, 0)
	}
	for to := range t.size() {
		if to != c.root {
			if err := t.send(to, 0, t.block(c.data, to)); err != nil {
				return err
			}
		}
	}
	return nil
}

func scatterBinomial(t *Team, c call) error {
	v, p := t.behind(c.root), t.size()
	n := len(c.data) / p
	turned := make([]byte, len(c.data))
	have := p
	if v == 0 {
		for i := range p {
			copy(turned[i*n:], t.block(c.data, c.root+i))
		}
	} else {
		have = v & -v
		if err := t.into(turned[v*n:(v+have)*n], t.from(c.root, v-have), 0); err != nil {
			return err
		}
	}
	for half := have / 2; half > 0; half /= 2 {
		if err := t.send(t.from(c.root, v+half), 0, turned[(v+half)*n:(v+2*half)*n]); err != nil {
			return err
		}
	}
	copy(t.block(c.data, t.me()), turned[v*n:(v+1)*n])
	return nil
}

func barrierDissemination(t *Team, c call) error {
	p, me := t.size(), t.me()
	for bit := 1; bit < p; bit *= 2 {
		if err := t.exchange((me+bit)%p, nil, (me-bit+p)%p, nil, uint32(bit)); err != nil {
			return err
		}
	}
	return nil
}

func barrierDoubling(t *Team, c call) error {
	for bit := 1; bit < t.size(); bit *= 2 {
		if err := t.exchange(t.me()^bit, nil, t.me()^bit, nil, uint32(bit)); err != nil {
			return err
		}
	}
	return nil
}

func scanLinear(t *Team, c call) error {
	if t.me() > 0 {
		if err := t.add(c.data, t.me()-1, 0); err != nil {
			return err
		}
	}
	if t.me()+1 < t.size() {
		return t.send(t.me()+1, 0, c.data)
	}
	return nil
}

// scanDoubling keeps two sums: that of all nodes it has heard of, and that of those before it.
func scanDoubling(t *Team, c call) error {
	all := append([]byte(nil), c.data...)
	for bit := 1; bit < t.size(); bit *= 2 {
		peer := t.me() ^ bit
		if peer >= t.size() {
			continue
		}
		if err := t.send(peer, uint32(bit), all); err != nil {
			return err
		}
		in, err := t.receive(peer, uint32(bit))
		if err != nil {
			return err
		}
		if len(in) != len(all) {
			return fmt.Errorf("node %d sent %d bytes to add to %d", peer, len(in), len(all))
		}
		addNumbers(all, in)
		if peer < t.me() {
			addNumbers(c.data, in)
		}
	}
	return nil
}

// runCollective times an algorithm as the collectives of OSU's benchmarks are timed: each call
// begins behind a barrier, and the result is the mean over calls of the node for which it is longest.
func runCollective(collective, name string) func(*engine.Endpoint, Args) (Result, error) {
	return func(ep *engine.Endpoint, a Args) (r Result, err error) {
		c, _ := FindCollective(collective, name)
		t := NewTeam(ep)
		n := (a.Size + 4*t.size() - 1) / (4 * t.size()) * (4 * t.size()) // it is cut in numbers
		var spent quantity.Micros
		for i := -a.Warm; i < a.Count; i++ {
			d, err := c.begin(t, 0, n)
			if err != nil {
				return r, err
			}
			if err := barrierDissemination(t, call{}); err != nil {
				return r, err
			}
			start := ep.Now()
			if err := c.run(t, d); err != nil {
				return r, err
			}
			if i >= 0 {
				spent += ep.Now() - start
			}
			if err := c.check(d, t.size(), t.me(), n); err != nil {
				return r, err
			}
		}
		mine := spent / quantity.Micros(a.Count)
		if t.me() > 0 {
			var b [8]byte
			words := pack(mine)
			put(b[:], words[0])
			put(b[4:], words[1])
			return r, t.send(0, timeTag, b[:])
		}
		r.Time = mine
		for from := 1; from < t.size(); from++ {
			var b [8]byte
			if err := t.into(b[:], from, timeTag); err != nil {
				return r, err
			}
			r.Time = max(r.Time, unpack([]uint32{get(b[:]), get(b[4:])}))
		}
		return r, nil
	}
}

// timeTag is that of no message of a collective.
const timeTag = 1 << 31

// runCombine times what a reduction does with a message that has come.
func runCombine(ep *engine.Endpoint, a Args) (r Result, err error) {
	if ep.Node() > 0 {
		return r, nil
	}
	sum, b := make([]byte, a.Size), make([]byte, a.Size)
	for range a.Warm {
		addNumbers(sum, b)
	}
	start := ep.Now()
	for range a.Count {
		addNumbers(sum, b)
	}
	r.Time = per(ep, start, a.Count)
	return r, nil
}
