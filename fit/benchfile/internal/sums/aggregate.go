package sums

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// An Aggregate summarises the rows of one size or, after merging, of neighbouring sizes.
type Aggregate struct {
	Moments
	Size     float64 // of the first row
	Min, Max float64
	Printed  float64   // the median that the row printed, for one row; else 0
	Slowest  *Moments  // µs, of the rows that print the time of the slowest rank; else nil
	Line     int       // of the first row
	Times    []float64 // of all rows, unless there are too many

	sizes [2]uint64 // the sum of the sizes, least significant word first
}

// maxTimes is the maximum number of times of a size that are kept for its median.
const maxTimes = 1 << 12

// AddSize adds the size of one row to the sum of the sizes.
func (a *Aggregate) AddSize(size float64) { addAt(a.sizes[:], uint64(size)) }

// SetSizes sets the sum of the sizes if all rows have the size of the first one.
func (a *Aggregate) SetSizes() { a.sizes[1], a.sizes[0] = bits.Mul64(uint64(a.Size), uint64(a.Count)) }

// MeanSize returns the mean of the rows' sizes.
func (a *Aggregate) MeanSize() float64 {
	sum, _ := number(a.sizes[:]).Float64()
	return sum / float64(a.Count)
}

// Keep adds the time of the last row to the kept times. It returns by how many they grew.
func (a *Aggregate) Keep(t float64) int {
	had := len(a.Times)
	switch {
	case int64(had) != a.Count-1: // they were too many
	case a.Count > maxTimes:
		a.Times = a.Times[:0]
	default:
		a.Times = append(a.Times, t)
	}
	return len(a.Times) - had
}

// Median returns the median in µs, the lower of two in the middle; 0 if the times were not kept. It
// reorders the kept times.
func (a *Aggregate) Median() float64 {
	switch {
	case a.Count == 1:
		return cmp.Or(a.Printed, a.Mean())
	case int64(len(a.Times)) == a.Count:
		return stats.Select(a.Times, (len(a.Times)-1)/2)
	}
	return 0
}

// Merge adds the rows of o. The times are kept only if both hold the same size. Merge returns by
// how many the kept times of both grew.
func (a *Aggregate) Merge(o *Aggregate) int {
	if a.Count == 0 {
		*a = *o
		a.Times = slices.Clone(o.Times)
		return 0
	}
	had := len(a.Times) + len(o.Times)
	all := int64(len(a.Times)) == a.Count && int64(len(o.Times)) == o.Count
	if all && had <= maxTimes && a.Size == o.Size {
		a.Times = append(a.Times, o.Times...)
	} else {
		a.Times = nil
	}
	a.Join(&o.Moments)
	if a.Slowest == nil {
		a.Slowest = o.Slowest
	} else if o.Slowest != nil {
		a.Slowest.Join(o.Slowest)
	}
	addWords(a.sizes[:], o.sizes[:])
	a.Min, a.Max = min(a.Min, o.Min), max(a.Max, o.Max)
	if o.Line < a.Line {
		a.Line, a.Size = o.Line, o.Size
	}
	return len(a.Times) - had
}
