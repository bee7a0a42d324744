package forecast

import (
	"math"
)

// Parts holds the components of a prediction. Times are logarithms, and distances of logarithms.
type Parts struct {
	From   Way
	Middle float64
	// Terms are those of the upper and of the lower side.
	Terms [2]Terms
	// Octaves is the distance from the measured sizes; 0 between them.
	Octaves float64
	// Share is the share of the scale that applies: 0 at a measured size.
	Share float64
	// Run is the half of the interval of another run.
	Run float64
	// Repeated reports that Run comes from the curve's own runs.
	Repeated bool
	// Noise is the half of an interval that holds the curve's noise between its sizes.
	Noise float64
	// Begins is the half of an interval that a protocol adds which begins above the last size.
	Begins float64
	// Most is the largest distance to the lower end.
	Most float64
}

// Half returns the distance from the middle to an end, for a scale that holds 95 % of the errors.
// The weights were learned from held-out sizes of one run, so the difference between a curve's own
// runs is added.
func (p *Parts) Half(side int, scale float64) float64 {
	root := math.Sqrt(p.Share)
	half := (1-root)*p.Run + math.Hypot(p.Share*scale, root*p.Noise)
	if p.Repeated || p.Octaves > 0 {
		half = math.Hypot(math.Hypot(p.Run, p.Begins), p.Share*scale)
	}
	if side == up {
		return half
	}
	return min(half, p.Most)
}

// Scale returns the scale of which [Parts.Half] is off. It is 0 if the end is off at least.
func (p *Parts) Scale(off float64) float64 {
	without := func(off, half float64) float64 { return math.Sqrt(max(0, off*off-half*half)) }
	if p.Repeated || p.Octaves > 0 {
		return without(off, math.Hypot(p.Run, p.Begins)) / p.Share
	}
	root := math.Sqrt(p.Share)
	return without(max(0, off-(1-root)*p.Run), root*p.Noise) / p.Share
}
