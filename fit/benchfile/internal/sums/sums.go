// Package sums adds up times such that no result depends on their order, or on how they were
// divided among threads and files.
package sums

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// GoodTime reports whether a time in µs is plausible: at least 1e-9 µs, and at most about 30 years.
func GoodTime(t float64) bool { return t >= 1e-9 && t <= 1e15 }

// GoodSize reports whether a size in bytes is plausible for a message; 0 is.
func GoodSize(n float64) bool {
	return n >= 0 && n <= float64(quantity.MaxBytes) && n == math.Trunc(n)
}

// Moments are the count, sum and sum of squares of times, in fixed point wide enough for every
// [GoodTime], and so without rounding. They do not depend on the order of the times, or
// on their division among threads, shards or machines.
//
// A time from 2⁻³⁰ to 2⁵⁰ µs is a multiple of 2⁻⁸², and below 2¹³² of these; its square is a
// multiple of 2⁻¹⁶⁴, and below 2²⁶⁴ of these. That leaves room for 2⁵⁶ times.
type Moments struct {
	Count   int64
	sum     [4]uint64 // of 2⁻⁸² µs, least significant word first; the last stays 0
	squares [6]uint64 // of 2⁻¹⁶⁴ µs²; likewise
}

const (
	fraction = 82 // bits of a sum behind the point
	mantissa = 52 // bits of a float64 behind the point
)

// Add adds a time in µs that is a [GoodTime].
func (m *Moments) Add(t float64) {
	m.Count++
	b := math.Float64bits(t)
	u := b&(1<<mantissa-1) | 1<<mantissa
	shift := uint(b>>mantissa) - (1023 + mantissa - fraction) // 0 to 131
	s := m.sum[shift/64&3:]
	at := shift % 64
	var carry uint64
	s[0], carry = bits.Add64(s[0], u<<at, 0)
	if high := u>>1>>(63-at) + carry; high > 0 {
		addAt(s[1:], high)
	}
	high, low := bits.Mul64(u, u)
	shift *= 2
	at = shift % 64
	q := m.squares[shift/64:]
	q[0], carry = bits.Add64(q[0], low<<at, 0)
	q[1], carry = bits.Add64(q[1], high<<at|low>>1>>(63-at), carry)
	if high = high>>1>>(63-at) + carry; high > 0 {
		addAt(q[2:], high)
	}
}

// addAt adds v to the multi-word number to.
func addAt(to []uint64, v uint64) {
	for i := 0; v > 0 && i < len(to); i++ {
		to[i], v = bits.Add64(to[i], v, 0)
	}
}

// addWords adds the multi-word number from to the number to, which is as long.
func addWords(to, from []uint64) {
	var carry uint64
	for i := range to {
		to[i], carry = bits.Add64(to[i], from[i], carry)
	}
}

// Join adds the times of o.
func (m *Moments) Join(o *Moments) {
	m.Count += o.Count
	addWords(m.sum[:], o.sum[:])
	addWords(m.squares[:], o.squares[:])
}

// Mean returns the mean in µs, rounded once. There must be at least one time.
func (m *Moments) Mean() float64 {
	if m.Count == 1 { // most often; the parts of one time are exact
		v := 0.0
		for i, w := range m.sum {
			v += math.Ldexp(float64(w), 64*i-fraction)
		}
		return v
	}
	sum, n := new(big.Float).SetInt(number(m.sum[:])), new(big.Float).SetInt64(m.Count)
	mean, _ := new(big.Float).SetPrec(mantissa+1).Quo(sum, n).Float64()
	return math.Ldexp(mean, -fraction)
}

// Variance returns the sum of squares about the mean over n−1, in µs²: (n·Σt² − (Σt)²)/n/(n−1),
// whose numerator is exact. It is 0 for one time.
func (m *Moments) Variance() float64 {
	if m.Count < 2 {
		return 0
	}
	n, sum, squares := float64(m.Count), number(m.sum[:]), number(m.squares[:])
	squares.Mul(squares, big.NewInt(m.Count))
	scaled, _ := squares.Sub(squares, sum.Mul(sum, sum)).Float64()
	return math.Ldexp(scaled, -2*fraction) / n / (n - 1)
}

func number(a []uint64) *big.Int {
	text := make([]byte, 8*len(a))
	for i, w := range a {
		binary.BigEndian.PutUint64(text[8*(len(a)-1-i):], w)
	}
	return new(big.Int).SetBytes(text)
}

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
