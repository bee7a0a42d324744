package forecast

import (
	"math"
)

// A Way is the source of a prediction.
type Way string

const (
	// Measured is the time that was measured at the size itself.
	Measured Way = "measured"
	// Between is the line between the two sizes next to it.
	Between Way = "between"
	// Jump is between two sizes where the curve jumps.
	Jump Way = "jump"
	// Above is the continuation of the last sizes, for a larger one.
	Above Way = "above"
	// Below is the line of the first sizes, for a smaller one.
	Below Way = "below"
)

// Terms holds the terms of a weighted sum, which is the logarithm of the factor of an interval, in
// the order of the names below, or above the measured sizes of those at [tail].
type Terms [7]float64

const (
	// floor is 1 between measured sizes, and below them the distance as a share of the first size.
	floor = iota
	// residual is the error of predicting the curve's own held-out sizes, multiplied by the
	// distance outside the measured sizes.
	residual
	// side is the distance from the middle to the farthest other prediction on that side.
	side
	// jump is the distance between the two sides of a gap; below the measured sizes, the frequency
	// of jumps.
	jump
	// grain is half of a step of the printed times.
	grain
	// noisy is the effect of the curve's noise on the prediction.
	noisy
	// wide is the width of a gap in octaves; below the measured sizes the deviation of the sizes
	// next to the end from their line.
	wide
)

// Dot returns the sum of the terms v with the weights k.
func (k Terms) Dot(v Terms) (sum float64) {
	for i := range k {
		sum += k[i] * v[i]
	}
	return sum
}

// A Guess is a prediction of the logarithm of a time, with the terms of the logarithms of
// High/Middle and of Middle/Low.
type Guess struct {
	Middle   float64
	Up, Down Terms
}

// Parts holds the components of a prediction.
type Parts struct {
	From        Way
	Own, Shapes Guess   // from the curve itself, and from the shapes of other curves
	Low, High   float64 // logarithms of the times at the ends of the gap; Low: the least above
	Bottom, Top float64 // logarithms of the two sides of a jump; else 0
	Width       float64 // of the gap, or above the measured sizes; in octaves
	Share       float64 // applicable share of the error of both
	Run         float64 // logarithm of the 95 % factor between runs
	Noise       float64 // logarithm of the 95 % factor of the noise of the sizes next to it
	Repeated    bool    // Run comes from the curve's own runs
}

// Half returns the logarithm of the factor between the middle and an end of an interval, from the
// weighted sum of the terms. At a measured size it is the difference between runs. The weights were
// learned from held-out sizes of the same run, so the difference between a curve's own runs is
// added. The sum is at least least.
func (p *Parts) Half(sum, least float64) float64 {
	if p.From == Between && p.Width < dense {
		sum *= p.Width / dense // curves hardly bend between sizes so near
	}
	sum = max(sum, least)
	switch {
	case p.From == Above || p.From == Below:
		return math.Hypot(p.Run, math.Hypot(p.Share*p.Noise, sum))
	case p.Repeated:
		return math.Hypot(p.Run, p.Share*sum)
	}
	return p.Run + p.Share*(math.Hypot(p.Noise, sum)-p.Run)
}

// Sides returns the distances from a middle to the two sides of a jump; 0 elsewhere.
func (p *Parts) Sides(middle float64) (up, down float64) {
	if p.From != Jump {
		return 0, 0
	}
	return max(0, p.Top-middle) + sides, max(0, middle-p.Bottom) + sides
}

// sides is the distance of the ends of an interval from the two sides of a jump.
const sides = 0.02

// dense is the width in octaves of the widest gap within which curves do not bend. In such gaps the
// errors of the sizes next to it are noise, and shapes of other curves are not used.
const dense = 0.5

// density returns the density at x of a normal variable with the given variance, without the
// constant factor.
func density(x, variance float64) float64 {
	return math.Exp(-x*x/2/variance) / math.Sqrt(variance)
}
