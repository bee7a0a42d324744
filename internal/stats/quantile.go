// Package stats implements the statistics that several packages share: quantiles, medians, least
// squares, and Student's t distribution.
package stats

import (
	"math"
	"slices"
)

// Quantile interpolates between sorted numbers (Hyndman and Fan 1996, type 7; numpy's default), for
// p from 0 to 1. It is NaN if there are none.
func Quantile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	at := p * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// QuantileOf is Quantile of numbers in any order.
func QuantileOf(values []float64, p float64) float64 {
	return Quantile(slices.Sorted(slices.Values(values)), p)
}

// Attained returns the smallest of the values that at least a fraction q of them does not exceed, 0
// < q ≤ 1; NaN if there are none. Unlike [Quantile] it is one of the values.
func Attained[T ~float64](values []T, q float64) T {
	if len(values) == 0 {
		return T(math.NaN())
	}
	sorted := values
	if !slices.IsSorted(values) {
		sorted = slices.Sorted(slices.Values(values))
	}
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}
