package model

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Regime returns the names of the branches that a message of n bytes takes, from the outermost,
// joined by "/"; empty without a switch. The layer that a series adds follows after "+". Of pieces
// it is the regime of a full one.
func Regime(l Layer, n quantity.Bytes) string {
	switch l := l.(type) {
	case *Series:
		return joined(Regime(l.Below, n), "+", Regime(l.Added, n))
	case *Fragmented:
		return Regime(l.Below, min(n, l.MTU))
	case selector:
		name, inner := l.selected(n)
		return joined(name, "/", Regime(inner, n))
	}
	return ""
}

// joined returns both texts with a separator, or the one that is not empty.
func joined(a, separator, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + separator + b
}

// threshold returns the largest size with the same branches as a one-byte message: the packet size
// above which DMA pays, the point of inflection of a throughput curve. Costs
// β_a + nτ_a and β_b + nτ_b cross at
//
//	n* = (β_b − β_a) / (τ_a − τ_b)
//
// and the threshold of their envelope is ⌊n*⌋. The second result is false if nothing switches.
//
// Sizes are doubled until the branches differ, and the last doubling is bisected: a change that
// begins and ends between two powers of two can be missed.
func threshold(l Layer) (quantity.Bytes, bool) {
	first := Regime(l, 1)
	lo, hi := quantity.Bytes(1), quantity.Bytes(2)
	for Regime(l, hi) == first {
		if lo, hi = hi, 2*hi; hi > quantity.MaxBytes {
			return 0, false
		}
	}
	lo, _ = bisect(lo, hi, func(n quantity.Bytes) bool { return Regime(l, n) != first })
	return lo, true
}

// Boundaries returns the sizes from lo to hi at which the regime changes: the largest that each
// branch serves. It can miss a branch that serves less than an eighth of a doubling of sizes.
func Boundaries(l Layer, lo, hi quantity.Bytes) []quantity.Bytes {
	var found []quantity.Bytes
	for at := lo; at < hi; {
		next := min(hi, quantity.Bytes(math.Ceil(float64(at)*math.Exp2(1./8))))
		if from := Regime(l, at); from != Regime(l, next) {
			var last quantity.Bytes
			differs := func(n quantity.Bytes) bool { return Regime(l, n) != from }
			last, next = bisect(at, next, differs)
			found = append(found, last)
		}
		at = next
	}
	return found
}

// bisect narrows the range lo to hi, with above(lo) false and above(hi) true, to adjacent sizes.
// Beyond 2⁵³ bytes neighbours are more than a byte apart; there it ends if a middle rounds to
// lo.
func bisect(lo, hi quantity.Bytes, above func(quantity.Bytes) bool) (below, least quantity.Bytes) {
	for hi-lo > 1 && lo+(hi-lo)/2 != lo {
		if mid := quantity.Bytes(math.Floor(float64(lo+hi) / 2)); above(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo, hi
}
