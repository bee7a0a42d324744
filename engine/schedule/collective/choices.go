package collective

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
)

// Choices say which algorithm runs a collective for which the program names none, and what local
// work it takes. The zero value stands for the usual ones, see [Library.Default], and no work.
type Choices struct {
	Library Library // whose choices are taken as far as they are known
	// Combine is the time of reductions to combine a byte, see [Call], and Copy that of a rank to
	// copy a byte of its own data, both in ns/B and at least 0.
	Combine, Copy float64
	// Flops and Memory are the rates of what a program's ranks compute by themselves: operations
	// and bytes of memory a ns; 0 if they are not known.
	Flops, Memory float64
	// PerNode is the number of consecutive ranks on each node, and Rails that of a node's rails; 0
	// if they are not known.
	PerNode, Rails int
	// On has the node of each rank, without PerNode; empty if it is not known.
	On Numbers
}

// nodes returns the nodes of a group.
func (c Choices) nodes(g Group) (n Nodes) {
	switch {
	case c.PerNode > 0:
		n = NodesOf(g.Size, func(place int) int { return g.rank(place) / c.PerNode })
	case c.On.given():
		n = NodesOf(g.Size, func(place int) int { return c.On.at(g.rank(place)) })
	}
	n.Rails = c.Rails
	return n
}

// CopiesOwn reports whether each rank of a collective begins with a copy of its own data from the
// send into the receive buffer, as Open MPI and MPICH do: its block, or in an allreduce its vector.
func CopiesOwn(name string) bool {
	return name == "allgather" || name == "allreduce" || name == "alltoall"
}

// Choose returns the algorithm of a call by MPI's name in lower case, such as allgather, or
// allgatherv with blocks of unequal sizes, and the call with its channels and nodes. An algorithm
// that the program names comes first. Bytes of the call is the message of a bcast or reduction, 0
// in a barrier, the block of a rank in a reduce-scatter, and else the message from one rank to
// another; with unequal blocks, their mean. The error is that of [Entry.Check], or of a name.
func (c Choices) Choose(name, algorithm string, g Group, call Call) (Entry, Call, error) {
	e, _ := c.Library.Default(name, g.Size, call.Bytes)
	if algorithm != "" {
		var err error
		if e, err = Find(strings.TrimSuffix(name, "v"), algorithm); err != nil {
			return e, call, err
		}
	}
	e = c.Library.runs(e)
	n := Nodes{Rails: c.Rails}
	if e.Params&(PerNode|Channels) != 0 {
		n = c.nodes(g)
	}
	call = c.Library.OnNodes(e, call, n)
	return e, call, e.Check(g.Size, call)
}

// rank returns the rank at a place.
func (g Group) rank(place int) int {
	if g.Members == nil {
		return place
	}
	return int(g.Members[place])
}

// OnNodes returns a call of an algorithm on nodes. By default, an algorithm of NCCL's has a channel
// for each rail. NCCL takes the places node by node; other libraries know their numbers alone, and
// no nodes if the places take turns.
func (l Library) OnNodes(e Entry, c Call, n Nodes) Call {
	nccl := e.NCCL != "" && l.Name == "nccl"
	if n.Order.given() && !nccl {
		n.PerNode, n.Order = 0, Numbers{}
	}
	switch {
	case e.Params&Channels == 0:
		c.Channels = 0
	case c.Channels == 0 && n.Rails > 1 && nccl:
		c.Channels = min(n.Rails, MaxChannels)
	}
	if e.Params&(PerNode|Channels) != 0 {
		c.PerNode, c.Order = n.PerNode, n.Order
	}
	return c
}

// runs returns an algorithm as the library runs it: NCCL has no other one for few elements.
func (l Library) runs(e Entry) Entry {
	if l.Name == "nccl" && e.NCCL != "" {
		return e.Padded()
	}
	return e
}

// Runs returns the algorithms as the library runs them.
func (l Library) Runs(all []Entry) []Entry { return list.Map(all, l.runs) }

// Candidates returns the algorithms of a collective that the library can run, if it can run no
// others: NCCL has algorithms of its own alone.
func (l Library) Candidates(all []Entry) (can []Entry) {
	if l.Name != "nccl" {
		return all
	}
	for _, e := range all {
		if l.Has(e) {
			can = append(can, e)
		}
	}
	if len(can) == 0 && len(all) > 0 {
		if e, known := usualOf(all[0].Collective); known {
			return []Entry{e}
		}
	}
	return can
}

// ChannelTag returns the tag of the n-th collective of a communicator, if it may go by several
// channels or trees. Tags of others are below, with the highest bit alone.
func ChannelTag(n uint32) uint32 {
	const step = 4 * MaxChannels
	return 3<<30 | n%(1<<30/step)*step
}
