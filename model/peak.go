package model

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Asymptote returns r∞, the bandwidth of long messages: the inverse of the slope of OneWay at
// large n. +Inf if no cost is per byte.
func Asymptote(l Layer) quantity.MBps {
	l = LinesOf(l)
	return far.Over(l.OneWay(2*far) - l.OneWay(far))
}

// far is a size at which fixed costs are negligible beside those per byte: terms in √n are
// 2⁻⁵⁰ of those in n, which is 2¹⁰⁰. It is a power of two, so that packets of the usual
// sizes divide it: a short last packet would change the slope.
const far = quantity.Bytes(1 << 62 * 1 << 38)

// HalfPeak returns n½, the smallest whole size in bytes with at least half of the bandwidth r∞;
// for a linear cost it is β/τ [hockney], rounded up. The second result is false if r∞ is
// infinite.
func HalfPeak(l Layer) (quantity.Bytes, bool) {
	l = LinesOf(l)
	return smallestWith(l, Asymptote(l)/2, far)
}

// SizeFor returns the smallest whole size whose bandwidth is the given part, 0 to 1, of r∞; the
// second result is false if no size up to [MaxCrossing] has it.
func SizeFor(l Layer, part float64) (quantity.Bytes, bool) {
	l = LinesOf(l)
	return smallestWith(l, quantity.MBps(part)*Asymptote(l), MaxCrossing)
}

// smallestWith returns the smallest whole size, at most most, whose bandwidth is at least want.
//
// Where the one-way time does not fall with the size, no size below want·T(n) has the bandwidth if
// n has not: they take T(n) or longer. Hence the search goes from n to want·T(n), as far as the
// branch that serves n, and ends at the smallest size although bandwidth is a sawtooth. Tables,
// measured stages and packets by equation 10 can have times that fall: of these all sizes up to
// 64 KiB are tried.
func smallestWith(l Layer, want quantity.MBps, most quantity.Bytes) (quantity.Bytes, bool) {
	if math.IsInf(float64(want), 0) || math.IsNaN(float64(want)) {
		return 0, false
	}
	want *= 1 - 1e-12 // rounding must not cost a byte where β/τ is whole
	falls := contains(l, timesCanFall)
	boundaries := append(Boundaries(l, 1, MaxCrossing), quantity.Bytes(math.Inf(1)))
	for n := quantity.Bytes(1); n <= most; {
		t := l.OneWay(n)
		if n.Over(t) >= want {
			return n, true
		}
		if falls && n < exhaustive {
			n++
			continue
		}
		for boundaries[0] < n {
			boundaries = boundaries[1:]
		}
		next := quantity.Bytes(math.Ceil(float64(want) * float64(t) * (1 - 1e-12)))
		if next = min(next, boundaries[0]+1); next <= n { // n + 1 may be n beyond 2⁵³
			next = quantity.Bytes(math.Nextafter(float64(n), math.Inf(1)))
			next = max(next, n+1)
		}
		n = next
	}
	return 0, false
}

// exhaustive is the largest size up to which all sizes are tried where times can fall: packets are
// no larger, and the search takes a few milliseconds.
const exhaustive = 64 * quantity.KiB

// timesCanFall reports whether a layer can be faster for a larger message.
func timesCanFall(l Layer) bool {
	switch l := l.(type) {
	case *Table:
		return true
	case *Pipeline:
		return l.Cut.Rule == CutPaper || l.Measured()
	}
	return false
}
