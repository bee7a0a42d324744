package programs

import (
	"fmt"
	"math/bits"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Collective is an algorithm of a collective as a program: every node calls Run, after which it
// has the data that the operation defines. It is independent of package engine/schedule/collective
// except for names.
type Collective struct {
	Collective, Name string
	// PowerOfTwo means that the number of nodes must be a power of two.
	PowerOfTwo bool
	run        func(t *Team, c call) error
}

// A call is a node's part in a collective: data holds the whole message of a broadcast, reduce,
// allreduce or scan, otherwise a block for each node. All sizes are multiples of 4 B, and of 4 B ×
// nodes if the algorithm cuts the message.
type call struct {
	root int
	data []byte
	// other holds the blocks that alltoall received.
	other []byte
}

// Collectives lists the algorithms of the benchmark programs. Tests add further ones.
var Collectives = []Collective{
	{"bcast", "binomial", false, bcastBinomial},
	{"reduce", "binomial", false, reduceBinomial},
	{"allreduce", "recursive-doubling", true, allreduceDoubling},
	{"allgather", "ring", false, allgatherRing},
	{"alltoall", "pairwise", false, alltoallPairwise},
	{"barrier", "dissemination", false, barrierDissemination},
}

// FindCollective returns the algorithm with the names.
func FindCollective(collective, name string) (Collective, bool) {
	for _, c := range Collectives {
		if c.Collective == collective && c.Name == name {
			return c, true
		}
	}
	return Collective{}, false
}

// Takes reports whether the algorithm runs on the given number of nodes.
func (c Collective) Takes(nodes int) bool {
	return nodes >= 2 && (!c.PowerOfTwo || nodes&(nodes-1) == 0)
}

// Run executes the collective once, with generated data: n is the size of the message, or of each
// node's block, as in MPI's calls. Run checks every byte of the result. It is an error if n, or one
// node's part of it, is not a multiple of 4.
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

func (c Collective) begin(t *Team, root, n int) (call, error) {
	p, me := t.size(), t.me()
	whole := map[string]bool{"bcast": true, "reduce": true, "allreduce": true, "scan": true}[c.Collective]
	switch {
	case !c.Takes(p):
		return call{}, fmt.Errorf("%s %s does not run among %d nodes", c.Collective, c.Name, p)
	case c.Collective == "barrier":
		return call{}, nil
	case n%4 != 0 || whole && n%(4*p) != 0:
		return call{}, fmt.Errorf("%d bytes among %d nodes: programs need whole numbers of 4 bytes on each node", n, p)
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
		put(d.data[i:], contribution(me, i))
	}
	return d, nil
}

// contribution returns the number that a node contributes at an offset.
func contribution(node, at int) uint32 { return uint32(node+1)*2654435761 + uint32(at)*40503 }

// check compares the resulting data with the definition of the collective.
func (c Collective) check(d call, p, me, n int) error {
	sum := func(nodes, at int) (s uint32) {
		for i := range nodes {
			s += contribution(i, at)
		}
		return s
	}
	got, first, last := d.data, 0, len(d.data)
	var want func(at int) uint32
	switch c.Collective {
	case "bcast":
		want = func(at int) uint32 { return contribution(d.root, at) }
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
		want = func(at int) uint32 { return contribution(at/n, at) }
	case "gather":
		want = func(at int) uint32 { return contribution(at/n, at) }
		if me != d.root {
			last = 0
		}
	case "scatter":
		want = func(at int) uint32 { return contribution(d.root, at) }
		first, last = me*n, (me+1)*n
	case "alltoall":
		got = d.other
		want = func(at int) uint32 { return contribution(at/n, me*n+at%n) }
	}
	for at := first; at < last; at += 4 {
		if get(got[at:]) != want(at) {
			return fmt.Errorf("%s %s: node %d, byte %d: %w", c.Collective, c.Name, me, at, errCollective)
		}
	}
	return nil
}

func (t *Team) block(data []byte, i int) []byte {
	n := len(data) / t.size()
	i = (i%t.size() + t.size()) % t.size()
	return data[i*n : (i+1)*n]
}

// from returns the node at the distance behind from the root; behind returns the distance of this
// node.
func (t *Team) from(root, behind int) int { return (root + behind) % t.size() }
func (t *Team) behind(root int) int       { return (t.me() - root + t.size()) % t.size() }

// bcastBinomial: the parent of a node is the node without its highest bit; its children have one
// bit more, the nearest first.
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

func allgatherRing(t *Team, c call) error {
	p, me := t.size(), t.me()
	for step := range p - 1 {
		if err := t.exchange((me+1)%p, t.block(c.data, me-step), (me+p-1)%p, t.block(c.data, me-step-1), 0); err != nil {
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

func barrierDissemination(t *Team, c call) error {
	p, me := t.size(), t.me()
	for bit := 1; bit < p; bit *= 2 {
		if err := t.exchange((me+bit)%p, nil, (me-bit+p)%p, nil, uint32(bit)); err != nil {
			return err
		}
	}
	return nil
}

// runCollective times an algorithm as OSU's benchmarks do: each call begins after a barrier, and
// the result is the mean over calls of the slowest node.
func runCollective(collective, name string) func(*engine.Endpoint, Args) (Result, error) {
	return func(ep *engine.Endpoint, a Args) (r Result, err error) {
		c, _ := FindCollective(collective, name)
		t := NewTeam(ep)
		n := (a.Size + 4*t.size() - 1) / (4 * t.size()) * (4 * t.size()) // programs cut it in numbers
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

// timeTag is a tag that no collective uses.
const timeTag = 1 << 31

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
	for range a.Count {
		addNumbers(sum, b)
	}
	r.Time = per(ep, start, a.Count)
	return r, nil
}
