package forecast

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Terms holds the terms of the scale of an error, in the order of the names below. The scale is
// their weighted sum, with weights learned from other machines' curves.
type Terms [3]float64

const (
	// usual is what curves of other machines are off by.
	usual = iota
	// own is what the curve's own sizes are off by if they are held out.
	own
	// other is the distance from the middle to the farthest other prediction on that side.
	other
)

// Dot returns the sum of the terms v with the weights k.
func (k Terms) Dot(v Terms) (sum float64) {
	for i := range k {
		sum += k[i] * v[i]
	}
	return sum
}

// The sides of an interval.
const (
	up   = 0
	down = 1
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
	// Outgrown is the octaves in which messages within a node outgrow the caches.
	Outgrown float64
	// Most is the largest distance to the lower end.
	Most float64
}

// Half returns the distance from the middle to an end, for a scale that holds 95 % of the errors.
// The weights were learned from held-out sizes of one run, so the difference between a curve's own
// runs is added.
func (p *Parts) Half(side int, scale, outgrown float64) float64 {
	half := (1-p.Share)*p.Run + p.Share*math.Hypot(scale, p.Noise)
	if p.Repeated || p.Octaves > 0 {
		half = math.Hypot(p.Run, p.Share*scale)
	}
	if side == up {
		return half + outgrown*p.Outgrown
	}
	return min(half, p.Most)
}

// Scale returns the scale of which [Parts.Half] is off. It is 0 if the end is off at least.
func (p *Parts) Scale(off float64) float64 {
	without := func(off, half float64) float64 { return math.Sqrt(max(0, off*off-half*half)) }
	if p.Repeated || p.Octaves > 0 {
		return without(off, p.Run) / p.Share
	}
	return without(max(0, off-(1-p.Share)*p.Run)/p.Share, p.Noise)
}

// Parts returns the components of the prediction of n bytes, n ≥ 0.
func (c Curve) Parts(n quantity.Bytes) Parts {
	v := max(float64(n), 1)
	last := len(c.n) - 1
	p := Parts{Most: math.Inf(1)}
	p.Run, p.Repeated = c.run(v)
	i, measured := slices.BinarySearch(c.n, v)
	switch {
	case v > c.n[last]:
		p.From, p.Octaves = Above, math.Log2(v)-c.x[last]
		p.Middle, p.Terms = c.high.above(&c.series, v)
		p.Outgrown = c.outgrown(v)
		p.Most = max(0, p.Middle-c.high.least+p.Run)
	case v < c.n[0]:
		p.From, p.Octaves = Below, c.x[0]-math.Log2(v)
		p.Middle, p.Terms = c.low.below(&c.series, v)
	case measured:
		p.From, p.Middle = Measured, c.y[i]
	default:
		p.Middle, p.Terms, p.From = c.gaps[i-1].guess(&c.series, v)
		student := stats.T95(float64(last - 1)) // of as many held-out sizes
		p.Noise = student * c.noise
		near := student * math.Sqrt(c.residuals.at(c.x, math.Log2(v)))
		p.Terms[up][own], p.Terms[down][own] = near, near
		// The error is zero at the ends of a gap and largest at the middle in logarithms. Most of
		// it comes close to an end, where a jump may already occur.
		s := (math.Log2(v) - c.x[i-1]) / (c.x[i] - c.x[i-1])
		p.Share = 2 * math.Sqrt(max(0, s*(1-s)))
	}
	if p.Octaves > 0 { // and from half an octave outside on
		p.Share = min(1, math.Sqrt(2*p.Octaves))
	}
	return p
}
