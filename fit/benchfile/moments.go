package benchfile

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// Moments are the count, sum and sum of squares of times, in fixed point wide enough for every time
// that goodTime accepts, and so without rounding. They do not depend on the order of the times, or
// on their division among threads, shards or machines.
//
// A time from 2⁻³⁰ to 2⁵⁰ µs is a multiple of 2⁻⁸², and below 2¹³² of these; its square is a
// multiple of 2⁻¹⁶⁴, and below 2²⁶⁴ of these. That leaves room for 2⁵⁶ times.
type moments struct {
	count   int64
	sum     [4]uint64 // of 2⁻⁸² µs, least significant word first; the last stays 0
	squares [6]uint64 // of 2⁻¹⁶⁴ µs²; likewise
}

const (
	fraction = 82 // bits of a sum behind the point
	mantissa = 52 // bits of a float64 behind the point
)

// add adds a time for which goodTime holds, in µs.
func (m *moments) add(t float64) {
	m.count++
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

// join adds the times of o.
func (m *moments) join(o *moments) {
	m.count += o.count
	addWords(m.sum[:], o.sum[:])
	addWords(m.squares[:], o.squares[:])
}

// mean returns the mean in µs, rounded once. There must be at least one time.
func (m *moments) mean() float64 {
	sum := integer(m.sum[:])
	quotient, rest := sum.QuoRem(sum.Lsh(sum, 64), big.NewInt(m.count), new(big.Int))
	if rest.Sign() > 0 {
		quotient.SetBit(quotient, 0, 1) // far behind the bits that stay: it breaks a tie
	}
	return rounded(quotient, fraction+64)
}

// variance returns the sum of squares about the mean over n−1, in µs²: (n·Σt² − (Σt)²)/n/(n−1),
// whose numerator is exact. It is 0 for one time.
func (m *moments) variance() float64 {
	if m.count < 2 {
		return 0
	}
	squares, sum := integer(m.squares[:]), integer(m.sum[:])
	squares.Mul(squares, big.NewInt(m.count))
	n := float64(m.count)
	return rounded(squares.Sub(squares, sum.Mul(sum, sum)), 2*fraction) / n / (n - 1)
}

// integer returns the multi-word number a.
func integer(a []uint64) *big.Int {
	v, word := new(big.Int), new(big.Int)
	for _, w := range slices.Backward(a) {
		v.Or(v.Lsh(v, 64), word.SetUint64(w))
	}
	return v
}

// rounded returns v times 2^−point as the nearest float64.
func rounded(v *big.Int, point int) float64 {
	f := new(big.Float).SetInt(v)
	x, _ := f.SetMantExp(f, -point).Float64()
	return x
}
