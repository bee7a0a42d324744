package stats

import (
	"math"
	"math/bits"
	"slices"
)

// NormalMAD is the standard deviation of normal values in units of their median absolute deviation:
// 1/Φ⁻¹(3/4).
const NormalMAD = 1.4826

// Mean returns the mean; 0 if there are no values.
func Mean(values []float64) (m float64) {
	for _, v := range values {
		// Dividing each value keeps the sum of large ones finite.
		m += v / float64(len(values))
	}
	return m
}

// Median returns the median of values in any order: Quantile at 0.5, to the last bit, in linear
// time. It is NaN if there are none.
func Median(values []float64) float64 { return MedianInPlace(slices.Clone(values)) }

// MedianInPlace is Median, but reorders values.
func MedianInPlace(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	low := Select(values, (n-1)/2)
	if n%2 == 1 {
		return low + 0 // no −0
	}
	return low + 0.5*(slices.Min(values[n/2:])-low)
}

// MAD returns the median absolute deviation of values from centre, times NormalMAD: a robust
// standard deviation of normal values.
func MAD(values []float64, centre float64) float64 {
	d := make([]float64, len(values))
	for i, v := range values {
		d[i] = math.Abs(v - centre)
	}
	return NormalMAD * MedianInPlace(d)
}

// Select returns the value that would be at index k if the values were sorted, and puts it there:
// no value before it is larger, and none behind it smaller. It is Hoare's FIND (1961) with the
// median of three as pivot; if that makes no progress, the values are sorted.
func Select(values []float64, k int) float64 {
	v := values
	for tries := 2 * bits.Len(uint(len(v))); len(v) > 16 && tries > 0; tries-- {
		a, b, c := v[0], v[len(v)/2], v[len(v)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(v)-1
		// No scan leaves v: at first the pivot stops it, and then a value that was swapped.
		for i <= j {
			for v[i] < pivot {
				i++
			}
			for pivot < v[j] {
				j--
			}
			if i <= j {
				v[i], v[j] = v[j], v[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			v = v[:j+1]
		case k >= i:
			v, k = v[i:], k-i
		default:
			return pivot
		}
	}
	slices.Sort(v)
	return v[k]
}
