package programs

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An algorithm of a collective is a program that every node runs, after which it has the data
// that the operation defines. It is independent of package engine/schedule/collective except
// for names: collectives_test.go compares their times, and a shared tree would agree with
// itself.
type algorithm struct {
	Collective, Name string
	PowerOfTwo       bool // the number of nodes must be a power of two
	run              func(t *team, c call)
}

// A call is a node's part in a collective: data holds the whole message, or a block for each node.
// All sizes are multiples of 4 B, and of 4 B × nodes if the algorithm cuts the message.
type call struct {
	root, n int
	data    []byte
	other   []byte // the blocks that alltoall received
}

// A definition states the data of a collective.
type definition struct {
	whole bool // data is one message, as long as a call says; else a call gives the size of a block
	// gives and gets return the range of data that a node contributes, and that it has in the end.
	gives, gets func(t *team, c call) (first, last int)
	// want returns the number at an offset of the data that the node has in the end.
	want func(t *team, c call, at int) uint32
}

// definitions has what MPI-3.1 (chapter 5) says that each node has in the end. Results are
// compared with it, not with another algorithm.
var definitions = map[string]definition{
	"bcast":     {true, atRoot, everywhere, ofRoot},
	"reduce":    {true, everywhere, atRoot, sumOfAll},
	"allreduce": {true, everywhere, everywhere, sumOfAll},
	"allgather": {false, ownBlock, everywhere, ofBlockOwner},
	"alltoall": {false, everywhere, everywhere, func(t *team, c call, at int) uint32 {
		return contribution(at/c.n, t.me()*c.n+at%c.n)
	}},
}

func everywhere(_ *team, c call) (first, last int) { return 0, len(c.data) }
func ownBlock(t *team, c call) (first, last int)   { return t.me() * c.n, (t.me() + 1) * c.n }

func atRoot(t *team, c call) (first, last int) {
	if t.me() != c.root {
		return 0, 0
	}
	return everywhere(t, c)
}

func ofRoot(_ *team, c call, at int) uint32       { return contribution(c.root, at) }
func ofBlockOwner(_ *team, c call, at int) uint32 { return contribution(at/c.n, at) }
func sumOfAll(t *team, _ call, at int) uint32     { return sum(t.size(), at) }

// contribution returns the number that a node contributes at an offset, sum that of the first
// nodes. The factors are odd, so that blocks of two nodes or offsets that were exchanged do
// not go unnoticed.
func contribution(node, at int) uint32 { return uint32(node+1)*2654435761 + uint32(at)*40503 }

func sum(nodes, at int) (s uint32) {
	for i := range nodes {
		s += contribution(i, at)
	}
	return s
}

// runsOn reports whether the algorithm runs on the given number of nodes.
func (a algorithm) runsOn(nodes int) bool {
	return nodes >= 2 && (!a.PowerOfTwo || nodes&(nodes-1) == 0)
}

// begin generates a node's data: n is the size of the message, or of each node's block, as in MPI's
// calls.
func (a algorithm) begin(t *team, root, n int) (c call, err error) {
	p, d := t.size(), definitions[a.Collective]
	switch {
	case !a.runsOn(p):
		return c, fmt.Errorf("%s %s does not run among %d nodes", a.Collective, a.Name, p)
	case a.Collective == "barrier":
		return c, nil
	// Sums are of numbers of 4 bytes, which no block may cut.
	case n%4 != 0 || d.whole && n%(4*p) != 0:
		return c, fmt.Errorf("%d bytes among %d nodes: "+
			"programs need whole numbers of 4 bytes on each node", n, p)
	case root < 0 || root >= p:
		return c, fmt.Errorf("root %d of %d nodes", root, p)
	}
	// In MPI a call of bcast or reduce names the whole message, and one of allgather or alltoall
	// the block of a node.
	size := n
	if !d.whole {
		size = p * n
	}
	c = call{root: root, n: n, data: make([]byte, size)}
	if a.Collective == "alltoall" {
		c.other = make([]byte, size)
	}
	first, last := d.gives(t, c)
	for at := first; at < last; at += 4 {
		put(c.data[at:], contribution(t.me(), at))
	}
	return c, nil
}

var errCollective = errors.New("the collective left wrong data")

// check compares the resulting data with the definition of the collective.
func (a algorithm) check(t *team, c call) error {
	if a.Collective == "barrier" {
		return nil
	}
	d, got := definitions[a.Collective], c.data
	if c.other != nil {
		got = c.other
	}
	// Blocks that a node need not have are not compared: algorithms may use them as they like.
	first, last := d.gets(t, c)
	for at := first; at < last; at += 4 {
		if get(got[at:]) != d.want(t, c, at) {
			return fmt.Errorf("%s %s: node %d, byte %d: %w", a.Collective, a.Name, t.me(), at,
				errCollective)
		}
	}
	return nil
}

func (t *team) block(data []byte, i int) []byte {
	n := len(data) / t.size()
	i = (i%t.size() + t.size()) % t.size()
	return data[i*n : (i+1)*n]
}

// rank returns this node's distance from the root, and node the node at a distance.
func (t *team) rank(root int) int       { return (t.me() - root + t.size()) % t.size() }
func (t *team) node(root, rank int) int { return (root + rank) % t.size() }

// bcastBinomial: the parent of a node is the node without its highest bit; its children have one
// bit more, the nearest first.
func bcastBinomial(t *team, c call) {
	v := t.rank(c.root)
	bit := 1 << bits.Len(uint(v))
	if v > 0 {
		t.into(c.data, t.node(c.root, v-bit>>1), 0)
	}
	for ; v+bit < t.size(); bit *= 2 {
		t.send(t.node(c.root, v+bit), 0, c.data)
	}
}

// reduceBinomial adds along a tree: the children of a node differ from it in a bit below its lowest
// set bit.
func reduceBinomial(t *team, c call) {
	v, p := t.rank(c.root), t.size()
	for bit := 1; bit < p; bit *= 2 {
		if v&bit != 0 {
			t.send(t.node(c.root, v-bit), 0, c.data)
			return
		}
		if v+bit < p {
			t.add(c.data, t.node(c.root, v+bit), 0)
		}
	}
}

// allreduceDoubling adds the numbers of two groups of nodes in each step; groups double. The
// tag is the step's bit: a partner may be a step ahead.
func allreduceDoubling(t *team, c call) {
	for bit := 1; bit < t.size(); bit *= 2 {
		// Sent before it is added to. The engine has copied it when send returns.
		t.send(t.me()^bit, uint32(bit), c.data)
		t.add(c.data, t.me()^bit, uint32(bit))
	}
}

func allgatherRing(t *team, c call) {
	p, me := t.size(), t.me()
	for step := range p - 1 {
		// Each step passes on the block that came in the step before; the first is the node's own.
		t.exchange((me+1)%p, t.block(c.data, me-step), (me+p-1)%p, t.block(c.data, me-step-1), 0)
	}
}

func alltoallPairwise(t *team, c call) {
	p, me := t.size(), t.me()
	copy(t.block(c.other, me), t.block(c.data, me))
	for step := 1; step < p; step++ {
		// In each step every node sends to one node and receives from one, so none is crowded.
		to, from := (me+step)%p, (me-step+p)%p
		t.exchange(to, t.block(c.data, me+step), from, t.block(c.other, me-step), 0)
	}
}

// barrierDissemination: after the step with bit b, a node has a message, direct or passed on,
// from each of the 2b − 1 nodes before it (Hensgen, Finkel and Manber 1988). It works for any
// number of nodes.
func barrierDissemination(t *team, c call) {
	p, me := t.size(), t.me()
	for bit := 1; bit < p; bit *= 2 {
		t.exchange((me+bit)%p, nil, (me-bit+p)%p, nil, uint32(bit))
	}
}

// timed times an algorithm as OSU's benchmarks do: each call begins after a barrier, and the result
// is the mean over calls of the slowest node.
func (a algorithm) timed(ep *engine.Endpoint, args Args) (r Result, err error) {
	t := newTeam(ep)
	reports := 0
	report := ep.Handle(func(m *engine.Message) {
		r.Time = max(r.Time, unpack(m.Words))
		reports++
	})
	// The programs cut n bytes into p blocks of whole 4-byte numbers, so n is rounded up.
	unit := 4 * t.size()
	n := (args.Size + unit - 1) / unit * unit
	var spent quantity.Micros
	for i := -args.Warm; i < args.Count; i++ {
		c, err := a.begin(t, 0, n)
		if err != nil {
			return r, err
		}
		// Nodes begin together: the time of a late one would count for those that wait for it.
		barrierDissemination(t, call{})
		start := ep.Now()
		a.run(t, c)
		if t.err != nil {
			return r, t.err
		}
		if i >= 0 {
			spent += ep.Now() - start
		}
		if err := a.check(t, c); err != nil {
			return r, err
		}
	}
	mine := spent / quantity.Micros(args.Count)
	if t.me() > 0 {
		return r, ep.Request(0, report, pack(mine)...)
	}
	// A collective takes as long as its slowest node.
	r.Time = max(r.Time, mine)
	return r, ep.WaitFor("the times of all nodes", func() bool { return reports == t.size()-1 })
}

// runCombine times the combination of a received message in a reduction.
func runCombine(ep *engine.Endpoint, a Args) (r Result, err error) {
	if ep.Node() > 0 {
		return r, nil
	}
	sum, b := make([]byte, a.Size), make([]byte, a.Size)
	for range a.Warm {
		addNumbers(sum, b)
	}
	start := ep.Now()
	// No message is sent: γ, the time per byte of a reduction, is a time of the processor alone.
	for range a.Count {
		addNumbers(sum, b)
	}
	r.Time = per(ep, start, a.Count)
	return r, nil
}
