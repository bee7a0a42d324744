package collective

import (
	"fmt"
	"math"
	"strings"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// terms is the cost of an algorithm at a place along its critical path: steps inside nodes, steps
// between nodes, and the bytes sent for each byte of the call's size.
type terms struct{ inside, between, volume float64 }

// A form is an algorithm as [terms] of the place. Its time is
//
//	T = base + inside·α_inside + between·α_between + size·volume·β
//
// for steps of about the same number of bytes; see [localForm]. What combining costs is in β,
// since within one algorithm it is proportional to the bytes.
type form struct {
	name string
	// prior is the weight before any measurement between nodes, and on one node: NCCL reduces along
	// trees between nodes and along a ring inside one, MPI by recursive doubling and halving, and
	// none of them reduces small messages along a ring of many nodes.
	prior, priorOneNode float64
	// pipelined forms cut the message into chunks, so that the size of a step is that of the
	// message.
	pipelined bool
	at        func(p place) terms
}

func (f *form) priorFor(oneNode bool) float64 {
	if oneNode {
		return f.priorOneNode
	}
	return f.prior
}

// stepBytes returns the size of a step, in bytes, of a call of n bytes.
func (f *form) stepBytes(p place, n float64) float64 {
	t := f.at(p)
	if steps := t.inside + t.between; !f.pipelined && steps > 0 {
		return n * t.volume / steps
	}
	return n
}

// sum returns terms with all steps and those of them that are between nodes.
func sum(all, between, volume float64) terms { return terms{all - between, between, volume} }

// lgCeil returns ⌈lg x⌉, the doublings that reach x ranks. Rounding must not add one at a power
// of two.
func lgCeil(x float64) float64 { return math.Ceil(math.Log2(x) - 1e-9) }

// line is a step to each other rank around a ring.
func line(volume func(ranks float64) float64) func(place) terms {
	return func(p place) terms { return sum(p.ranks-1, p.nodes-1, volume(p.ranks)) }
}

// doubling is a step for each doubling of the ranks.
func doubling(volume func(ranks float64) float64) func(place) terms {
	return func(p place) terms { return sum(lgCeil(p.ranks), lgCeil(p.nodes), volume(p.ranks)) }
}

// star is a message of a root with each other rank, most of them on other nodes.
func star(volume func(ranks float64) float64) func(place) terms {
	return func(p place) terms { return sum(p.ranks-1, p.ranks-p.perNode(), volume(p.ranks)) }
}

// folded is doubling on powers of two. Other ranks first send to one of them, and get the result
// from there.
func folded(volume func(ranks float64) float64) func(place) terms {
	return func(p place) terms {
		all := foldedSteps(int(p.ranks))
		return sum(all, min(all, foldedSteps(int(math.Ceil(p.nodes)))), volume(p.ranks))
	}
}

// twice is a form whose message goes there and back.
func twice(at func(place) terms) func(place) terms {
	return func(p place) terms {
		t := at(p)
		return terms{2 * t.inside, 2 * t.between, 2 * t.volume}
	}
}

// The bytes that a rank sends for each byte of the size: of the whole message, of all blocks but
// its own, of its share of the message, or of the message in each doubling.
func whole(float64) float64 { return 1 }

func blocks(n float64) float64 { return n - 1 }

func share(n float64) float64 { return (n - 1) / n }

func everyLg(n float64) float64 { return lgCeil(n) }

// distanceBits counts the one bits of the distances 1 … n−1 to other ranks: Bruck's alltoall
// moves a block by each of them.
func distanceBits(n float64) float64 { return ones(int(n)) }

// foldedLg, foldedShare and foldedBlocks are for folded exchanges: ranks above a power of two hand
// in all that they have, which takes about as long as the exchange itself. Blocks are within a
// ninth, as some ranks have the blocks of two.
func foldedLg(n float64) float64 { return foldedSteps(int(n)) }

func foldedShare(n float64) float64 {
	if aboveTwo(int(n)) > 0 {
		return 1 + share(power(int(n)))
	}
	return share(n)
}

func foldedBlocks(n float64) float64 {
	if aboveTwo(int(n)) > 0 {
		return 2.2 * n
	}
	return blocks(n)
}

func nothing(float64) float64 { return 0 }

func twoShares(n float64) float64 { return 2 * share(n) }

// ncclTree is NCCL's tree: a chain inside the node and a double binary tree between nodes, up and
// down (NVIDIA/nccl, src/graph/tuning.cc).
func ncclTree(p place) terms {
	return terms{2 * (p.perNode() - 1), 2 * math.Log2(p.nodes), 2}
}

// hierarchical is a reduce-scatter inside each node, recursive doubling of the shares between
// nodes, and an allgather inside.
func hierarchical(p place) terms {
	each := p.perNode()
	return terms{2 * (each - 1), lgCeil(p.nodes), 2*share(each) + lgCeil(p.nodes)/each}
}

// inSwitch is a reduction by the switch inside a node (NVLS): bytes do not grow with the ranks.
func inSwitch(p place) terms { return terms{2, 2 * math.Log2(p.nodes), 1 + 1/p.ranks} }

// rabenseifner is recursive halving and doubling.
func rabenseifner(p place) terms {
	t := twice(doubling(foldedShare))(p)
	return t
}

// pairwise is an exchange with each other rank in turn, most of them on other nodes.
func pairwise(p place) terms { return sum(p.ranks-1, p.ranks-p.perNode(), p.ranks-1) }

// scatterRing scatters the message along a binomial tree and gathers it along a ring.
func scatterRing(p place) terms {
	return sum(lgCeil(p.ranks)+p.ranks-1, lgCeil(p.nodes)+p.nodes-1, twoShares(p.ranks))
}

// formsOf lists the algorithms that libraries use for a collective. Their priors multiply the
// weights that held-out measurements give.
func formsOf(name string) []form {
	switch name {
	case "allreduce":
		return []form{
			{name: "ring", prior: 0.1, priorOneNode: 1, at: twice(line(share))},
			{name: "double-tree", prior: 1, priorOneNode: 0.1, pipelined: true, at: ncclTree},
			{name: "recursive-doubling", prior: 0.5, priorOneNode: 0.1, at: folded(foldedLg)},
			{name: "rabenseifner", prior: 1, priorOneNode: 0.1, at: rabenseifner},
			{name: "hierarchical", prior: 0.5, priorOneNode: 0, at: hierarchical},
			{name: "switch", prior: 0.3, priorOneNode: 0.1, pipelined: true, at: inSwitch},
		}
	case "allgather":
		return []form{
			{name: "ring", prior: 1, priorOneNode: 1, at: line(blocks)},
			{name: "recursive-doubling", prior: 0.3, priorOneNode: 0.1, at: doubling(blocks)},
		}
	case "reduce-scatter", "reduce-scatter-block":
		return []form{
			{name: "ring", prior: 1, priorOneNode: 1, at: line(blocks)},
			{name: "recursive-halving", prior: 0.3, priorOneNode: 0.1, at: folded(foldedBlocks)},
		}
	case "alltoall":
		return []form{
			{name: "pairwise", prior: 1, priorOneNode: 1, at: pairwise},
			{name: "bruck", prior: 0.3, priorOneNode: 0.1, at: doubling(distanceBits)},
		}
	case "bcast", "reduce":
		return []form{
			{name: "binomial", prior: 1, priorOneNode: 1, at: doubling(everyLg)},
			{name: "pipeline", prior: 0.5, priorOneNode: 0.5, pipelined: true, at: line(whole)},
			{name: "scatter-ring", prior: 0.5, priorOneNode: 0.5, at: scatterRing},
		}
	case "gather", "scatter":
		return []form{
			{name: "binomial", prior: 1, priorOneNode: 1, at: doubling(blocks)},
			{name: "linear", prior: 0.5, priorOneNode: 0.5, at: star(blocks)},
		}
	case "barrier":
		return []form{
			{name: "dissemination", prior: 1, priorOneNode: 1, at: doubling(nothing)},
			{name: "linear", prior: 0.1, priorOneNode: 0.3, at: twice(star(nothing))},
		}
	}
	return []form{
		{name: "recursive-doubling", prior: 1, priorOneNode: 1, at: doubling(everyLg)},
		{name: "linear", prior: 0.3, priorOneNode: 0.3, at: line(blocks)},
	}
}

// form returns a law for a statistic as a form.
func (l law) form(name string, of Statistic) form {
	at := l.slowest
	if of == Average {
		at = l.average
	}
	return form{name: name, prior: 1, priorOneNode: 1, at: func(p place) terms {
		all := at(int(p.ranks))
		between := all.steps
		switch {
		case p.nodes >= p.ranks:
		case l.star:
			between *= (p.ranks - p.perNode()) / (p.ranks - 1)
		default:
			between = min(all.steps, at(max(2, int(math.Ceil(p.nodes)))).steps)
		}
		return sum(all.steps, between, all.volume)
	}}
}

// formOf returns the form of a named algorithm: that of [formsOf], or its law. It is an error if
// there is none: another algorithm's steps would stand for it.
func formOf(e engine.Entry, of Statistic) (form, error) {
	for _, f := range formsOf(e.Collective) {
		if strings.TrimSuffix(e.Name, "-mpich") == f.name {
			f.prior, f.priorOneNode = 1, 1
			return f, nil
		}
	}
	l, has := laws[[2]string{e.Collective, e.Name}]
	if !has {
		return form{}, fmt.Errorf("%w: the steps of %s %s on many ranks are not known; "+
			"omit the algorithm", ErrNoFit, e.Collective, e.Name)
	}
	return l.form(e.Name, of), nil
}

// blockwise reports whether the size of a collective is that of one rank's block.
func blockwise(name string) bool {
	switch name {
	case "allgather", "reduce-scatter", "reduce-scatter-block", "alltoall", "gather", "scatter":
		return true
	}
	return false
}
