package fleet

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// qnMost is the number of values up to which Qn is taken, from all their distances. Of more values
// the median absolute deviation is as good: the error of the scale is then small beside others.
const qnMost = 600

// scaleOf returns a robust standard deviation of values, consistent for normal ones: half of them
// may be anything. It is Qn of Rousseeuw and Croux 1993, eq. 3.7 (82 % of the efficiency of the
// standard deviation), with their factors for few values (Croux and Rousseeuw 1992, §4); of more
// than qnMost the median absolute deviation.
func scaleOf(values []float64) float64 {
	n := len(values)
	if n < 2 {
		return 0
	}
	if n > qnMost {
		return stats.MAD(values, stats.Median(values))
	}
	distances := make([]float64, 0, n*(n-1)/2)
	for i, v := range values {
		for _, w := range values[i+1:] {
			distances = append(distances, math.Abs(v-w))
		}
	}
	h := n/2 + 1
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
