package fleet

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// maxQn is the largest number of values for Qn, which needs all their distances: 180,000 of 600
// values. For more values the median absolute deviation serves, whose efficiency of 37 % matters
// little then.
const maxQn = 600

// scaleOf returns a robust standard deviation of values, consistent for normal ones: half of them
// may be anything. It is Qn of Rousseeuw and Croux 1993, eq. 3.7 (82 % of the efficiency of the
// standard deviation), with their factors for few values (Croux and Rousseeuw 1992, §4); of more
// than maxQn the median absolute deviation.
func scaleOf(values []float64) float64 {
	n := len(values)
	if n < 2 {
		return 0
	}
	if n > maxQn {
		return stats.MAD(values, stats.Median(values))
	}
	distances := make([]float64, 0, n*(n-1)/2)
	for i, v := range values {
		for _, w := range values[i+1:] {
			distances = append(distances, math.Abs(v-w))
		}
	}
	// Qn is the distance of rank h(h−1)/2, near the lower quartile of all distances: it stays
	// finite until half of the values are bad. 2.2219 makes it the standard deviation of normal
	// values.
	h := n/2 + 1
	// The first is the factor of two values. From ten values on, the factors have a formula.
	few := [...]float64{2: 0.399, 0.994, 0.512, 0.844, 0.611, 0.857, 0.669, 0.872}
	var d float64
	switch {
	case n < len(few):
		d = few[n]
	case n%2 == 1:
		d = float64(n) / (float64(n) + 1.4)
	default:
		d = float64(n) / (float64(n) + 3.8)
	}
	return 2.2219 * d * stats.Select(distances, h*(h-1)/2-1)
}

// The smallest numbers of values among which one can stand out: with fewer, their scale is not
// known to a factor of two.
const (
	minUnits = 8 // pairs, nodes or curves
	minNodes = 5
)

// maxLeaveOneOut is the largest number of values for which the centre and the scale are computed
// without the value that is compared. Among more, one value does not change the scale.
const maxLeaveOneOut = 64

// standardised returns the distance of each value from the centre of the other values in standard
// deviations, and the standard deviation. Uncertain, if not nil, are the standard errors of the
// values: a smaller scatter is chance.
func standardised(values, uncertain []float64) (z, scales []float64) {
	n := len(values)
	z, scales = make([]float64, n), make([]float64, n)
	centre, scale := stats.Median(values), 0.0
	if n > maxLeaveOneOut {
		scale = scaleOf(values)
	}
	others := make([]float64, 0, n)
	for i, v := range values {
		sd := scale
		if n <= maxLeaveOneOut {
			others = append(append(others[:0], values[:i]...), values[i+1:]...)
			centre, sd = stats.Median(others), scaleOf(others)
		}
		// Nodes whose effects happen to be closer together than their standard errors allow would
		// give tiny scales, and a false alarm for the next one.
		if uncertain != nil {
			sd = math.Max(sd, uncertain[i])
		}
		// A median of n−1 normal values has the variance π/2/(n−1) of theirs, which adds to
		// that of the value itself.
		z[i], scales[i] = ratio(v-centre, sd*math.Sqrt(1+math.Pi/2/float64(n-1))), sd
	}
	return z, scales
}

// ratio returns d/sd: infinite if d is not 0 though nothing scatters.
func ratio(d, sd float64) float64 {
	switch {
	case sd > 0:
		return d / sd
	case d == 0:
		return 0
	}
	return math.Copysign(math.Inf(1), d)
}

// degreesOf returns the degrees of freedom of Student's t for the robust scale of n values, found
// by simulation; see TestDegrees.
func degreesOf(n int) float64 { return max(1, 0.55*float64(n-2)) }

// nodeDegrees is the degrees of freedom of the scatter of nodes beyond the noise of their pairs.
// Ten nodes do not show its tails, so they are taken to be long: the longest tails with which the
// three slow nodes of docs/fleet.md are found.
const nodeDegrees = 2.5

// welch returns the degrees of freedom of the scatter of nodes (Welch 1947, Satterthwaite 1946).
// The noise of the pairs is its part se, with nu degrees. A variance up to three times that of se
// counts as chance, since the scale of nine values errs by a quarter, and of some nodes by twice
// that.
func welch(scale, se, nu float64) float64 {
	noise := se * se
	own := max(0, scale*scale-3*noise)
	if own == 0 {
		return nu
	}
	return min(nu, (own+noise)*(own+noise)/(own*own/nodeDegrees+noise*noise/nu))
}
