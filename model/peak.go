package model

import (
	"math"
	"slices"

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
	return smallestWith(l, Asymptote(l)/2, far, 0)
}

// SizeFor returns the smallest whole size whose bandwidth is the given part, 0 to 1, of r∞; the
// second result is false if no size up to [MaxCrossing] has it. Where times fall with the size, it
// may be too large by the part within, such as 0.001: the search is then many times as fast.
func SizeFor(l Layer, part, within float64) (quantity.Bytes, bool) {
	l = LinesOf(l)
	return smallestWith(l, quantity.MBps(part)*Asymptote(l), MaxCrossing, within)
}

// smallestWith returns the smallest whole size, at most most, whose bandwidth is at least want.
//
// If no message of more than n bytes takes less than p·T(n), none below want·p·T(n) has the
// bandwidth if n has not. Hence the search goes from n to there, as far as the branch that serves
// n, and ends at the smallest size although bandwidth is a sawtooth. p is 1 where the time does not
// fall with the size, and above 64 KiB; see [leastLater].
func smallestWith(l Layer, want quantity.MBps, most quantity.Bytes, within float64) (
	quantity.Bytes, bool) {
	if math.IsInf(float64(want), 0) || math.IsNaN(float64(want)) {
		return 0, false
	}
	want *= 1 - 1e-12 // rounding must not cost a byte where β/τ is whole
	later := leastLater(l)
	boundaries := append(Boundaries(l, 1, MaxCrossing), quantity.Bytes(math.Inf(1)))
	for n := quantity.Bytes(1); n <= most; {
		t := l.OneWay(n)
		if n.Over(t) >= want {
			return n, true
		}
		for boundaries[0] < n {
			boundaries = boundaries[1:]
		}
		if n < exhaustive {
			t *= quantity.Micros(later)
		}
		next := quantity.Bytes(math.Ceil(float64(want) * float64(t) * (1 - 1e-12)))
		if later < 1 {
			next = max(next, quantity.Bytes(math.Floor(float64(n)*(1+within))))
		}
		if next = min(next, boundaries[0]+1); next <= n { // n + 1 may be n beyond 2⁵³
			next = quantity.Bytes(math.Nextafter(float64(n), math.Inf(1)))
			next = max(next, n+1)
		}
		n = next
	}
	return 0, false
}

// exhaustive is the largest size up to which times that fall are minded: packets are no larger.
const exhaustive = 64 * quantity.KiB

// leastLater returns a part p of any time of the layer, from 0 to 1: no larger message takes less
// than p·T(n) in the branch that serves n. It is 1 if times do not fall.
//
// Every time is a sum or a maximum of costs of packets. If all of those were the least of the same
// and larger packets, no time would fall with the size, and each would be p or more of what it is.
func leastLater(l Layer) float64 {
	part := 1.0
	contains(l, func(l Layer) bool {
		switch l := l.(type) {
		case *Table:
			part = min(part, leastOf(l.times().curve()))
		case *Pipeline:
			if l.Cut.Rule == CutPaper { // a larger message may be cut into better packets
				part = 0
			}
			for i := range l.Stages {
				if s := &l.Stages[i]; s.Measured != nil {
					part = min(part, leastOf(s.curve(false), s.curve(true)))
				}
			}
		}
		return false
	})
	return part
}

// leastOf returns the least ratio of a cost on any of the curves to one of the same or a smaller
// size. In logarithms a curve is straight between its sizes, so that one of them has it.
func leastOf(curves ...*Curve) float64 {
	var sizes []quantity.Bytes
	for _, c := range curves {
		sizes = append(sizes, c.Sizes...)
	}
	slices.Sort(sizes)
	ratio, least := 1.0, quantity.Micros(math.Inf(1))
	for _, n := range slices.Backward(sizes) {
		most := quantity.Micros(0)
		for _, c := range curves {
			least, most = min(least, c.At(n)), max(most, c.At(n))
		}
		ratio = min(ratio, float64(least/most))
	}
	return ratio
}
