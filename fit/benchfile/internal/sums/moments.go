// Package sums adds up times such that no result depends on their order, or on how they were
// divided among threads and files.
package sums

import (
	"math"
	"math/bits"
)

// Moments are the count, sum and sum of squares of times, in fixed point wide enough for every time
// from 1e-9 to 1e15 µs, and so without rounding. They do not depend on the order of the times, or
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

// Add adds a time from 1e-9 to 1e15, in µs.
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
		AddAt(s[1:], high)
	}
	high, low := bits.Mul64(u, u)
	shift *= 2
	at = shift % 64
	q := m.squares[shift/64:]
	q[0], carry = bits.Add64(q[0], low<<at, 0)
	q[1], carry = bits.Add64(q[1], high<<at|low>>1>>(63-at), carry)
	if high = high>>1>>(63-at) + carry; high > 0 {
		AddAt(q[2:], high)
	}
}

// AddAt adds v to the multi-word number to.
func AddAt(to []uint64, v uint64) {
	for i := 0; v > 0 && i < len(to); i++ {
		to[i], v = bits.Add64(to[i], v, 0)
	}
}

// AddWords adds the multi-word number from to the number to, which is as long.
func AddWords(to, from []uint64) {
	var carry uint64
	for i := range to {
		to[i], carry = bits.Add64(to[i], from[i], carry)
	}
}

// Join adds the times of o.
func (m *Moments) Join(o *Moments) {
	m.Count += o.Count
	AddWords(m.sum[:], o.sum[:])
	AddWords(m.squares[:], o.squares[:])
}

// Mean returns the mean in µs, rounded once. There must be at least one time.
func (m *Moments) Mean() float64 {
	var quotient [5]uint64 // with a word behind the point of the division
	var rest uint64
	n := uint64(m.Count)
	for i := len(m.sum) - 1; i >= 0; i-- {
		quotient[i+1], rest = bits.Div64(rest, m.sum[i], n)
	}
	quotient[0], rest = bits.Div64(rest, 0, n)
	if rest > 0 {
		quotient[0] |= 1
	}
	return Rounded(quotient[:], fraction+64)
}

// Variance returns the sum of squares about the mean over n−1, in µs²: (n·Σt² − (Σt)²)/n/(n−1),
// whose numerator is exact. It is 0 for one time.
func (m *Moments) Variance() float64 {
	if m.Count < 2 {
		return 0
	}
	n := uint64(m.Count)
	var scaled, square [8]uint64
	multiplyAdd(scaled[:], m.squares[:], n)
	for i, w := range m.sum {
		multiplyAdd(square[i:], m.sum[:], w)
	}
	var borrow uint64
	for i := range scaled {
		scaled[i], borrow = bits.Sub64(scaled[i], square[i], borrow)
	}
	return Rounded(scaled[:], 2*fraction) / float64(n) / float64(n-1)
}

// multiplyAdd adds a·w to the multi-word number to.
func multiplyAdd(to, a []uint64, w uint64) {
	var carry uint64
	for i := range to {
		var high, low, c uint64
		if i < len(a) {
			high, low = bits.Mul64(a[i], w)
		}
		low, c = bits.Add64(low, carry, 0)
		high += c
		to[i], c = bits.Add64(to[i], low, 0)
		carry = high + c
	}
}

// Rounded returns the multi-word number a times 2^−point as the nearest float64.
func Rounded(a []uint64, point int) float64 {
	top := len(a) - 1
	for top > 0 && a[top] == 0 {
		top--
	}
	if top == 0 {
		return math.Ldexp(float64(a[0]), -point)
	}
	zeros := bits.LeadingZeros64(a[top])
	v := a[top]<<zeros | a[top-1]>>1>>(63-zeros)
	below := a[top-1] << zeros
	for _, w := range a[:top-1] {
		below |= w
	}
	if below > 0 {
		v |= 1 // 11 bits below the last that stays: it breaks a tie, and does nothing else
	}
	return math.Ldexp(float64(v), 64*top-zeros-point)
}
