package collective

import (
	"fmt"
	"math"
	"slices"
	"strings"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A Result is a joint fit.
type Result struct {
	Data    // one point for each call, by ranks and size
	Ranks   []int
	Regimes []Regime // from small to large sizes
	Errors           // of the form at the points
	// HeldOut is the mean of |log(form/measured)| of numbers of ranks left out, in the form fitted
	// to the remaining numbers: 0.1 is about 10 %. It is NaN with fewer than 3 numbers of ranks.
	HeldOut float64
	// Noise is the median standard deviation of repeats, relative; 0 without repeats.
	Noise float64

	candidates       []engine.Entry
	forms            []form // that can be the algorithm
	oneNode, several *blend // of the calls on one node or of unknown placement, and on several nodes
}

// PerNode returns the largest number of ranks on a node that was measured, 0 if no placement is
// known.
func (r *Result) PerNode() (most int) {
	for _, p := range r.Points {
		most = max(most, p.PerNode)
	}
	return most
}

// Placements returns the placements that were measured, by ranks and then by ranks on a node.
func (r *Result) Placements() (all []Placement) {
	for _, p := range r.Points {
		all = append(all, Placement{p.Ranks, p.PerNode})
	}
	return slices.Compact(all)
}

// PlacementOf returns the placement of ranks that are placed as they were measured: on one node if
// every measured call filled one, else as many on a node as [Result.PerNode].
func (r *Result) PlacementOf(ranks int) Placement {
	p := Placement{Ranks: ranks, PerNode: r.PerNode()}
	if !slices.ContainsFunc(r.Points, func(p Point) bool { return p.PerNode != p.Ranks }) {
		p.PerNode = ranks
	}
	return p
}

// judge sums up the errors.
func (r *Result) judge() {
	var points []Point
	var all []float64
	for i := range r.Regimes {
		g := &r.Regimes[i]
		g.left = len(r.Ranks) >= 3
		var here []float64
		for _, row := range g.rows {
			here = append(here, math.Abs(g.solution.predict(row.x)-row.y)/row.y)
		}
		g.Errors = sumUp(g.points, here)
		r.HeldOut += g.HeldOut() * float64(len(g.points)) / float64(len(r.Points))
		points, all = append(points, g.points...), append(all, here...)
	}
	r.Errors = sumUp(points, all)
}

// Describes reports whether the form describes the times at all sizes.
func (r *Result) Describes() bool {
	return !slices.ContainsFunc(r.Regimes, func(g Regime) bool { return !g.Describes() })
}

// Verdict describes in a sentence how well the form describes the times.
func (r *Result) Verdict() string {
	text := r.Errors.text(r.HeldOut)
	if r.Noise > 0 {
		text += fmt.Sprintf("; repeats differ by %.2g %%", 100*r.Noise)
		if r.Median > 2*r.Noise {
			text += ", so the form leaves more than noise"
		}
	}
	var wrong []string
	untested := 0
	for _, g := range r.Regimes {
		if !g.Tested() {
			untested++
		} else if !g.Describes() {
			wrong = append(wrong, fmt.Sprintf("%s to %s", g.From, g.To))
		}
	}
	switch {
	case untested == len(r.Regimes):
		return "not tested: as many parameters as times, so the form goes through all"
	case len(wrong) == 0:
		return "fits: " + text
	case len(wrong) == len(r.Regimes):
		return "none fits: " + text + "; no algorithm alone describes these times (levels, sharing, noise, or a choice that changes with the ranks), and the parameters mean nothing"
	}
	return "fits in part, none from " + strings.Join(wrong, ", ") + ": " + text
}
