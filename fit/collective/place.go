package collective

import "cmp"

// A Placement says where the ranks of a call run: PerNode on each node, the last node with the
// rest. PerNode is 0 if it is not known.
type Placement struct{ Ranks, PerNode int }

// Nodes returns the number of nodes, 0 if the placement is not known.
func (p Placement) Nodes() int {
	if p.PerNode == 0 {
		return 0
	}
	return (p.Ranks + p.PerNode - 1) / p.PerNode
}

func (p Placement) place() place {
	if nodes := p.Nodes(); nodes > 1 {
		return place{float64(p.Ranks), float64(nodes)}
	}
	return place{float64(p.Ranks), float64(p.Ranks)}
}

// A place is a placement as forms take it. Ranks that are all on one node, or whose nodes are not
// known, count as nodes of one rank each.
type place struct{ ranks, nodes float64 }

// perNode returns the ranks on each node.
func (p place) perNode() float64 { return p.ranks / p.nodes }

func (p place) ofNodes() float64 { return p.nodes }

// comparePlaces orders places by nodes and ranks.
func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.nodes, b.nodes), cmp.Compare(a.ranks, b.ranks))
}

// A sample is one measured call.
type sample struct {
	place
	n, t float64 // bytes, µs
}
