package model

import "github.com/halfpeak/halfpeak/model/quantity"

// Threshold returns the largest size with the same branches as a one-byte message: the packet size
// above which DMA pays, the point of inflection of a throughput curve. Costs β_a + nτ_a and β_b +
// nτ_b cross at
//
//	n* = (β_b − β_a) / (τ_a − τ_b)
//
// and the threshold of their envelope is ⌊n*⌋. The second result is false if nothing switches.
//
// Sizes are doubled until the branches differ, and the last doubling is bisected: a change that
// begins and ends between two powers of two can be missed.
func Threshold(l Layer) (quantity.Bytes, bool) {
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
