package benchfile

import (
	"cmp"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// goodTime reports whether a time in µs is plausible: at least 1e-9 µs, and at most about 30
// years. Written so that NaN is not.
func goodTime(t float64) bool { return t >= 1e-9 && t <= 1e15 }

// goodSize reports whether a size in bytes is plausible for a message; 0 is.
func goodSize(n float64) bool {
	return n >= 0 && n <= float64(quantity.MaxBytes) && n == math.Trunc(n)
}

// moments are the mean and variance of times in µs, from sums of their distances to the first
// time.
//
// Sums of the times themselves would lose digits: the squares of nearly equal times differ little.
// Distances to the first time are small if the times are nearly equal. If instead the first time is
// an outlier, it raises the variance, too, so that at most the last digits of that are lost.
type moments struct {
	count        int64
	first        float64
	sum, squares float64 // of the distances
}

func (m *moments) add(t float64) {
	if m.count == 0 {
		m.first = t
	}
	m.count++
	d := t - m.first
	m.sum += d
	m.squares += d * d
}

// join adds the times of o, by their distances to the first time of m.
func (m *moments) join(o *moments) {
	if m.count == 0 {
		*m = *o
		return
	}
	d, n := o.first-m.first, float64(o.count)
	m.count += o.count
	// Σ(x + d)² = Σx² + 2dΣx + nd², for the distances x of o and the distance d of the two first
	// times.
	m.squares += o.squares + 2*d*o.sum + n*d*d
	m.sum += o.sum + n*d
}

// mean returns the mean in µs. There must be at least one time.
func (m *moments) mean() float64 { return m.first + m.sum/float64(m.count) }

// variance returns the sum of squares about the mean over n−1, in µs²; 0 for one time.
func (m *moments) variance() float64 {
	if m.count < 2 {
		return 0
	}
	n := float64(m.count)
	// Rounding can make the difference of equal times negative.
	return max(0, m.squares-m.sum*m.sum/n) / (n - 1)
}

// An aggregate summarises the rows of one size or, after merging, of neighbouring sizes.
type aggregate struct {
	moments
	size     float64 // of the first row
	sizes    float64 // the sum of the sizes of all rows
	min, max float64
	printed  float64   // the median that the row printed, for one row; else 0
	slowest  *moments  // of the rows that print the time of the slowest rank; else nil
	line     int       // of the first row
	times    []float64 // of all rows, unless there are too many
}

// maxTimes is the maximum number of times of a size that are kept for its median. A size
// takes 32 KiB at most. Without its times it has a mean, and no median. Of 4,096 times, a
// median is as certain as any fit can use.
const maxTimes = 1 << 12

// keep adds the time of the last row to the kept times. It returns by how many they grew.
func (a *aggregate) keep(t float64) int {
	had := len(a.times)
	switch {
	case int64(had) != a.count-1: // they were too many
	case a.count > maxTimes:
		a.times = nil
	default:
		a.times = append(a.times, t)
	}
	return len(a.times) - had
}

// median returns the median in µs, the lower of two in the middle; 0 if the times were not kept.
// It reorders the kept times.
func (a *aggregate) median() float64 {
	switch {
	case a.count == 1:
		return cmp.Or(a.printed, a.mean())
	case int64(len(a.times)) == a.count:
		return stats.Select(a.times, (len(a.times)-1)/2)
	}
	return 0
}

// merge adds the rows of o. The times are kept only if both hold the same size. It returns by how
// many the kept times of both grew.
func (a *aggregate) merge(o *aggregate) int {
	if a.count == 0 {
		*a = *o
		a.times = slices.Clone(o.times)
		return 0
	}
	had := len(a.times) + len(o.times)
	all := int64(len(a.times)) == a.count && int64(len(o.times)) == o.count
	if all && had <= maxTimes && a.size == o.size {
		a.times = append(a.times, o.times...)
	} else {
		a.times = nil
	}
	a.join(&o.moments)
	if a.slowest == nil {
		a.slowest = o.slowest
	} else if o.slowest != nil {
		a.slowest.join(o.slowest)
	}
	a.sizes += o.sizes
	a.min, a.max = min(a.min, o.min), max(a.max, o.max)
	// Aggregates are merged in any order; the first row of the file names them.
	if o.line < a.line {
		a.line, a.size = o.line, o.size
	}
	return len(a.times) - had
}
