package collective

import "slices"

// A Result is a joint fit.
type Result struct {
	Data  // one point for each call, by ranks and size
	Ranks []int
	// Noise is the median standard deviation of repeats, relative; 0 without repeats.
	Noise float64

	forms []form // that can be the algorithm
	// oneNode predicts calls on one node or of unknown placement, several those on several nodes.
	// One of them is nil if there are no such calls.
	oneNode, several *blend
}

// known reports whether the algorithm is known: its form is then not searched.
func (r *Result) known() bool { return len(r.forms) == 1 }

// PlacementOf returns the placement of ranks that are placed as they were measured: on one node if
// every measured call filled one, else as many on a node as [Data.perNode].
func (r *Result) PlacementOf(ranks int) Placement {
	p := Placement{Ranks: ranks, PerNode: r.perNode()}
	if !slices.ContainsFunc(r.Points, func(p Point) bool { return p.PerNode != p.Ranks }) {
		p.PerNode = ranks
	}
	return p
}
