package model

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Crossing is a size at which one layer overtakes another: up to Size one of them takes less time
// one way, beyond it the other.
type Crossing struct {
	Size quantity.Bytes
	// Beyond is true if the second layer is the faster one beyond Size, and the first up to it.
	Beyond bool
	// Low and High are the sizes about Size between which the two times differ by less than
	// closeTimes of the smaller. A user hardly notices the difference there, and a small error in
	// either model moves the crossing within that range.
	Low, High quantity.Bytes
}

// closeTimes is the relative difference below which two times count as nearly the same.
const closeTimes = 0.05

// MaxCrossing is the largest size of crossings: no message of a program is larger.
const MaxCrossing = 1 << 30 * quantity.Bytes(1)

// Crossings returns the sizes from lo to hi at which one layer overtakes the other. It tries the
// sizes of [CrossingSizes] and bisects a step in which the faster layer changes, so that it can miss
// a lead shorter than a step. Layers of equal cost do not cross.
func Crossings(a, b Layer, lo, hi quantity.Bytes) []Crossing {
	sizes := CrossingSizes(a, b, lo, hi)
	lead := func(n quantity.Bytes) float64 { return float64(b.OneWay(n) - a.OneWay(n)) } // > 0: a leads
	var found []Crossing
	last, from := 0.0, lo // the last lead that was one, and where
	for _, n := range sizes {
		now := lead(n)
		if now == 0 {
			continue
		}
		if last != 0 && now > 0 != (last > 0) {
			below, _ := bisect(from, n, func(v quantity.Bytes) bool {
				l := lead(v)
				return l != 0 && l > 0 == (now > 0)
			})
			found = append(found, Crossing{Size: below, Beyond: now < 0})
		}
		last, from = now, n
	}
	far := func(n quantity.Bytes) bool {
		x, y := float64(a.OneWay(n)), float64(b.OneWay(n))
		return math.Abs(x-y) >= closeTimes*min(x, y)
	}
	near := func(n quantity.Bytes) bool { return !far(n) }
	for i := range found {
		c := &found[i]
		at, _ := slices.BinarySearch(sizes, c.Size)
		c.Low, c.High = lo, hi
		edge := c.Size
		for k := at - 1; k >= 0; k-- {
			if far(sizes[k]) {
				c.Low, _ = bisect(sizes[k], edge, near)
				break
			}
			edge = sizes[k]
		}
		edge = c.Size
		for _, n := range sizes[at:] {
			if far(n) {
				_, c.High = bisect(edge, n, far)
				break
			}
			edge = n
		}
	}
	return found
}

// CrossingSizes lists whole sizes from lo to hi in steps of 2^(1/16), and those around which either
// layer switches.
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

// SizeFor returns the smallest whole size whose bandwidth is the given part, 0 to 1, of r∞; the
// second result is false if no size up to [MaxCrossing] has it. As with [HalfPeak], bandwidth need
// not rise all the way.
func SizeFor(l Layer, part float64) (quantity.Bytes, bool) {
	l = LinesOf(l)
	want := quantity.MBps(part) * Asymptote(l)
	if math.IsInf(float64(want), 0) || math.IsNaN(float64(want)) {
		return 0, false
	}
	last := quantity.Bytes(0)
	for _, n := range CrossingSizes(l, l, 1, MaxCrossing) {
		if Bandwidth(l, n) >= want {
			_, size := bisect(last, n, func(v quantity.Bytes) bool { return Bandwidth(l, v) >= want })
			return size, true
		}
		last = n
	}
	return 0, false
}
