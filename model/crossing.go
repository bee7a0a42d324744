package model

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Crossing of layers a and b is a size at which one overtakes the other: up to Size one of them
// has the shorter one-way time, beyond it the other.
type Crossing struct {
	Size quantity.Bytes
	// Beyond is true if b is the faster one beyond Size, and a up to it.
	Beyond bool
	// Near is Size in bytes, with the sizes about it between which the two times differ by less
	// than closeTimes of the smaller. A user hardly notices the difference there, and a small error
	// in either model moves the crossing within that range.
	Near quantity.Interval
}

// closeTimes is the relative difference below which two times count as nearly the same.
const closeTimes = 0.05

// MaxCrossing is the largest size of crossings, 1 GiB. The count of an MPI call is an int,
// so a message of twice that many bytes needs a datatype of its own.
const MaxCrossing = 1 << 30 * quantity.Bytes(1)

// Crossings returns the sizes from lo to hi at which one layer overtakes the other. It tries the
// sizes of [CrossingSizes] and bisects a step in which the faster layer changes, so it can miss a
// lead that is shorter than a step. Layers of equal cost do not cross.
func Crossings(a, b Layer, lo, hi quantity.Bytes) []Crossing {
	lead := func(n quantity.Bytes) float64 { // above 0 where a is faster
		return float64(b.OneWay(n) - a.OneWay(n))
	}
	sizes := CrossingSizes(a, b, lo, hi)
	var found []Crossing
	// Sizes of equal times are skipped: two layers may touch, or share a branch over many sizes,
	// without one overtaking the other. So a lead is compared with the last lead that was not zero.
	lastLead, lastSize := 0.0, lo
	for _, n := range sizes {
		now := lead(n)
		if now == 0 {
			continue
		}
		if lastLead != 0 && now > 0 != (lastLead > 0) {
			changed := func(v quantity.Bytes) bool {
				l := lead(v)
				return l != 0 && l > 0 == (now > 0)
			}
			size, _ := bisect(lastSize, n, changed)
			found = append(found, Crossing{Size: size, Beyond: now < 0})
		}
		lastLead, lastSize = now, n
	}
	for i := range found {
		found[i].Near = nearRange(a, b, found[i].Size, sizes)
	}
	return found
}

// nearRange returns the range about a crossing in which the times of both layers are close. It
// walks from the crossing in each direction to the first size at which they are not, and bisects
// the last step. Without such a size the range ends with the sizes.
func nearRange(
	a, b Layer, crossing quantity.Bytes, sizes []quantity.Bytes,
) quantity.Interval {
	far := func(n quantity.Bytes) bool {
		x, y := float64(a.OneWay(n)), float64(b.OneWay(n))
		return math.Abs(x-y) >= closeTimes*min(x, y)
	}
	near := func(n quantity.Bytes) bool { return !far(n) }
	low, high := sizes[0], sizes[len(sizes)-1]
	next, _ := slices.BinarySearch(sizes, crossing)
	edge := crossing
	for _, n := range slices.Backward(sizes[:next]) {
		if far(n) {
			low, _ = bisect(n, edge, near)
			break
		}
		edge = n
	}
	edge = crossing
	for _, n := range sizes[next:] {
		if far(n) {
			_, high = bisect(edge, n, far)
			break
		}
		edge = n
	}
	return quantity.Interval{Value: float64(crossing), Low: float64(low), High: float64(high)}
}

// CrossingSizes lists whole sizes from lo to hi in steps of 2^(1/16), and those around which either
// layer switches: between two switches costs bend slowly, at a switch they may jump.
func CrossingSizes(a, b Layer, lo, hi quantity.Bytes) []quantity.Bytes {
	sizes := []quantity.Bytes{lo, hi}
	for k := 0; ; k++ {
		n := quantity.Bytes(math.Round(float64(lo) * math.Exp2(float64(k)/16)))
		if n >= hi {
			break
		}
		sizes = append(sizes, n)
	}
	for _, l := range []Layer{a, b} {
		for _, n := range Boundaries(l, lo, hi) {
			sizes = append(sizes, n, min(n+1, hi))
		}
	}
	return stats.Ascending(sizes)
}
