package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// AsGood reports whether the mean of the errors a exceeds that of b by at most one standard error
// of their paired differences, so that the data do not tell which model is better (Breiman and
// others 1984, §3.4.3). Differences of 1e-12 are rounding.
func AsGood(a, b []float64) bool {
	n := float64(len(a))
	mean, deviation := stat.MeanStdDev(floats.SubTo(make([]float64, len(a)), a, b), nil)
	if math.IsNaN(deviation) { // one pair has no deviation
		deviation = 0
	}
	return mean <= stat.StdErr(deviation, n)+1e-12
}
