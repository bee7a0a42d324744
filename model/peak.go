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
// If T(m) ≥ p·T(n) − D for all m > n, none below want·(p·T(n) − D) has the bandwidth if n has not,
// and none below want·p·T(n) that [risesTo] the size before it. Hence the search goes from n to
// there, and ends at the smallest size although bandwidth is a sawtooth. See [leastLater] for p,
// which is 1 above 64 KiB, and for D.
func smallestWith(l Layer, want quantity.MBps, most quantity.Bytes, within float64) (
	quantity.Bytes, bool) {
	if math.IsInf(float64(want), 0) || math.IsNaN(float64(want)) {
		return 0, false
	}
	want *= 1 - 1e-12 // rounding must not cost a byte where β/τ is whole
	first := func(t quantity.Micros) quantity.Bytes {
		return quantity.Bytes(math.Ceil(float64(want) * float64(t) * (1 - 1e-12)))
	}
	later, fall := leastLater(l)
	rises := quantity.Bytes(0)
	for n := quantity.Bytes(1); n <= most; {
		t := l.OneWay(n)
		if n.Over(t) >= want {
			return n, true
		}
		if n > rises {
			rises = risesTo(l, n)
		}
		if n < exhaustive {
			t *= quantity.Micros(later)
		}
		next := first(t)
		if later < 1 {
			next = max(next, quantity.Bytes(math.Floor(float64(n)*(1+within))))
		}
		next = max(min(next, rises+1), first(t-fall))
		if next <= n { // n + 1 may be n beyond 2⁵³
			next = quantity.Bytes(math.Nextafter(float64(n), math.Inf(1)))
			next = max(next, n+1)
		}
		n = next
	}
	return 0, false
}

// risesTo returns the largest size up to which no protocol switch shortens the time of messages of
// at least n bytes; +Inf if none does.
func risesTo(l Layer, n quantity.Bytes) quantity.Bytes {
	forever := quantity.Bytes(math.Inf(1))
	switch l := l.(type) {
	case *measured:
		return risesTo(l.Lines, n)
	case *Series:
		return min(risesTo(l.Below, n), risesTo(l.Added, n))
	case *Fragmented:
		// A full piece takes no less than the short one after it would save.
		before, last := l.pieces(n)
		to := risesTo(l.Below, last)
		if to >= l.MTU {
			before, to = before+1, risesTo(l.Below, 1)
		}
		if to >= l.MTU {
			return forever
		}
		return before*l.MTU + to
	case *Switch:
		if l.Least { // the minimum of costs falls only where one of them does
			for _, b := range l.Branches {
				forever = min(forever, risesTo(b.Layer, n))
			}
			return forever
		}
		for i := l.branch(n); ; i++ {
			b := &l.Branches[i]
			to := risesTo(b.Layer, n)
			if i == len(l.Branches)-1 || to < b.UpTo {
				return to
			}
			n = b.UpTo + 1
			if l.Branches[i+1].Layer.OneWay(n) < b.Layer.OneWay(b.UpTo) {
				return b.UpTo
			}
		}
	}
	return forever
}

// exhaustive is the largest size up to which times that fall are minded: packets are no larger.
const exhaustive = 64 * quantity.KiB

// leastLater returns a part p of any time of the layer, from 0 to 1, and a time D in µs: no larger
// message takes less than p·T(n) − D. They are 1 and 0 if times do not fall.
//
// Every time is a sum or a maximum of costs of packets. If all of those were the least of the same
// and larger packets, no time would fall with the size, and each would be p or more of what it is.
// A switch shortens a time at most by that of the largest message before its last branch; only the
// last piece of a message passes its boundaries.
func leastLater(l Layer) (part float64, fall quantity.Micros) {
	part = 1
	contains(l, func(l Layer) bool {
		switch l := l.(type) {
		case *Table:
			part = min(part, leastOf(l.times().curve()))
		case *Switch:
			most := quantity.Micros(0)
			for _, b := range l.Branches[:len(l.Branches)-1] {
				if !l.Least {
					most = max(most, b.Layer.OneWay(b.UpTo))
				}
			}
			fall += most
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
	return part, fall
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
