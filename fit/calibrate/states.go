package calibrate

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A pass is a row of a case.
type pass struct {
	times [6]float64 // from median to average
	mark  int        // number of marks before it
}

// A host has two states if the times of a few bytes are in two groups, each of at least an eighth
// of the marks. The medians of the groups differ by a ratio of at least 1.3, and no mark is within
// a ratio of 1.15 between them. Half of each group is within a ratio of 1.3, which the tail of a
// disturbed group is not.
const (
	minShare  = 0.125
	minRatio  = 1.3
	minGap    = 1.15
	maxSpread = 1.3
)

// twoStates returns the time between the two groups of marks, and the medians of these; ok is false
// if there is one group.
func twoStates(marks []float64) (between float64, medians [2]float64, ok bool) {
	sorted := slices.Sorted(slices.Values(marks))
	least := max(int(math.Ceil(minShare*float64(len(sorted)))), 2)
	widest := minGap
	for i := least; i <= len(sorted)-least; i++ {
		low, high := sorted[:i], sorted[i:]
		gap := high[0] / max(low[i-1], minTime)
		a, b := stats.QuantileOf(low, 0.5), stats.QuantileOf(high, 0.5)
		compact := func(s []float64) bool {
			return stats.QuantileOf(s, 0.75) < maxSpread*stats.QuantileOf(s, 0.25)
		}
		if gap > widest && b > minRatio*a && compact(low) && compact(high) {
			widest, between, medians, ok = gap, math.Sqrt(low[i-1]*high[0]), [2]float64{a, b}, true
		}
	}
	return between, medians, ok
}
