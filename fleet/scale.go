package fleet

import (
	"math"
	"math/bits"
	"slices"
)

// median returns the median of values, in any order; NaN of none.
func median(values []float64) float64 { return middle(slices.Clone(values)) }

// middle is the median of values that it may put into another order: that of Quantile, to the
// last bit.
func middle(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return math.NaN()
	}
	low := kth(values, (n-1)/2)
	if n%2 == 1 {
		return low + 0 // no −0
	}
	return low + 0.5*(slices.Min(values[n/2:])-low)
}

// kth returns the value that would be at place k if the values were sorted, and puts it there: none
// before it is larger, and none behind it smaller. It is Hoare's FIND (1961) with the median of three
// as pivot; values on which that makes no way are sorted.
func kth(values []float64, k int) float64 {
	v := values
	for tries := 2 * bits.Len(uint(len(v))); len(v) > 16 && tries > 0; tries-- {
		a, b, c := v[0], v[len(v)/2], v[len(v)-1]
		pivot := max(min(a, b), min(max(a, b), c))
		i, j := 0, len(v)-1
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

// qnMost is the number of values up to which Qn is taken, from all their distances. Of more values
// the median absolute deviation is as good: the error of the scale is then small beside others.
const qnMost = 600

// scaleOf returns a robust standard deviation of values, consistent for normal ones: half of them may
// be anything. It is Qn of Rousseeuw and Croux 1993, eq. 3.7 (82 % of the efficiency of the standard
// deviation), with their factors for few values (Croux and Rousseeuw 1992, §4); of more than qnMost
// the median absolute deviation.
func scaleOf(values []float64) float64 {
	n := len(values)
	if n < 2 {
		return 0
	}
	if n > qnMost {
		m := median(values)
		d := make([]float64, n)
		for i, v := range values {
			d[i] = math.Abs(v - m)
		}
		return 1.4826 * middle(d)
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
	return 2.2219 * d * kth(distances, h*(h-1)/2-1)
}
