package fleet

import (
	"math"
	"slices"
)

// leastUnits is the number of pairs, nodes or curves from which on one can stand out among them: the
// scale of fewer is not known to a factor of two.
const (
	leastUnits = 8
	leastNodes = 5
)

// oneOut is the number of values up to which each is held against the others alone: in more, one
// value moves no scale.
const oneOut = 64

// deviation returns how far value i is from the centre of the others, and the standard deviation of
// that distance. Uncertain, if not nil, are the standard errors of the values, below which their
// scatter can only be by chance.
func deviation(values []float64, i int, uncertain []float64) (d, sd float64) {
	others := make([]float64, 0, len(values))
	others = append(append(others, values[:i]...), values[i+1:]...)
	sd = scaleOf(others)
	if uncertain != nil {
		sd = math.Max(sd, uncertain[i])
	}
	return values[i] - median(others), sd * math.Sqrt(1+math.Pi/2/float64(len(others)))
}

// degreesOf is what Student's t takes for the scale of n robust values, found by simulation: see
// TestDegrees.
func degreesOf(n int) float64 { return max(1, 0.55*float64(n-2)) }

// tailDegrees are the degrees of freedom of Student's t whose 95 % quantile of |t|, in units of its
// median, is that of the standardised residuals: 2.91 for a normal distribution (∞), 4.16 for 3. The
// quantile is taken at the upper end of its uncertainty, one standard error, which is 1.4/√n of
// itself for normal residuals: few residuals tell little of their tails, and few tails are as light
// as they look. Above the 95 % quantile the residuals may be faults.
func tailDegrees(residuals []float64) float64 {
	n := len(residuals)
	if n < 20 {
		return leastDegrees
	}
	sizes := make([]float64, n)
	for i, z := range residuals {
		sizes[i] = math.Abs(z)
	}
	slices.Sort(sizes)
	ratio := sortedQuantile(sizes, 0.95) / sortedQuantile(sizes, 0.5) * (1 + 1.4/math.Sqrt(float64(n)))
	low, high := leastDegrees, 200.0
	if of := func(nu float64) float64 { return studentQuantile(0.025, nu) / studentQuantile(0.25, nu) }; !(ratio < of(low)) {
		return low
	} else if ratio < of(high) {
		return high
	} else {
		for range 40 {
			if mid := math.Sqrt(low * high); of(mid) > ratio {
				low = mid
			} else {
				high = mid
			}
		}
	}
	return low
}

// leastDegrees is the heaviest tail that is reckoned with.
const leastDegrees = 2.0

// tailOf is the probability of a deviation of z or more, in robust standard deviations, where the
// tails are those of Student's t of the same median deviation.
func tailOf(z, nu float64) float64 {
	return studentTail(z*studentQuantile(0.25, nu)/0.67449, nu) // the quartile of a normal distribution
}

// chosen returns the q-value of each p of all tests, sorted by p: the least false discovery rate at
// which it is reported (Benjamini and Hochberg 1995).
func qValues(p []float64) []float64 {
	q := make([]float64, len(p))
	least := 1.0
	for i := len(p) - 1; i >= 0; i-- {
		least = min(least, p[i]*float64(len(p))/float64(i+1))
		q[i] = least
	}
	return q
}
