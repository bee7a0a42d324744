package benchfile

import (
	"cmp"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// An aggregate summarises the rows of one size or, after merging, of neighbouring sizes.
type aggregate struct {
	stats.Running
	size     float64 // of the first row
	sizes    float64 // the sum of the sizes of all rows
	min, max float64
	printed  float64        // the median that the row printed, for one row; else 0
	slowest  *stats.Running // of the rows that print the time of the slowest rank; else nil
	line     int            // of the first row
	rounded  float64        // the most of the rows; see [Sample]
	times    []float64      // of all rows, unless there are too many
}

// maxTimes is the maximum number of times of a size that are kept for its median. A size
// takes 32 KiB at most. Without its times it has a mean, and no median. Of 4,096 times, a
// median is as certain as any fit can use.
const maxTimes = 1 << 12

// keep adds the time of the last row to the kept times. It returns by how many they grew.
func (a *aggregate) keep(t float64) int {
	had := len(a.times)
	switch {
	case int64(had) != a.Count-1: // they were too many
	case a.Count > maxTimes:
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
	case a.Count == 1:
		return cmp.Or(a.printed, a.Mean())
	case int64(len(a.times)) == a.Count:
		return stats.Select(a.times, (len(a.times)-1)/2)
	}
	return 0
}

// merge adds the rows of o. The times are kept only if both hold the same size. It returns by how
// many the kept times of both grew.
func (a *aggregate) merge(o *aggregate) int {
	if a.Count == 0 {
		*a = *o
		a.times = slices.Clone(o.times)
		return 0
	}
	had := len(a.times) + len(o.times)
	all := int64(len(a.times)) == a.Count && int64(len(o.times)) == o.Count
	if all && had <= maxTimes && a.size == o.size {
		a.times = append(a.times, o.times...)
	} else {
		a.times = nil
	}
	a.Join(&o.Running)
	if a.slowest == nil {
		a.slowest = o.slowest
	} else if o.slowest != nil {
		a.slowest.Join(o.slowest)
	}
	a.sizes += o.sizes
	a.min, a.max = min(a.min, o.min), max(a.max, o.max)
	// Aggregates are merged in any order; the first row of the file names them.
	if o.line < a.line {
		a.line, a.size = o.line, o.size
	}
	return len(a.times) - had
}
