package whatif

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Crossing is a size at which one layer overtakes another: up to Size one of them takes less time
// one way, beyond it the other.
type Crossing struct {
	Size quantity.Bytes
	// Beyond is true if the second layer is the faster one beyond Size, and the first up to it.
	Beyond bool
	// Low and High are the sizes about Size between which the two times differ by less than [Close]
	// of the smaller. A user hardly notices the difference there, and a small error in either model
	// moves the crossing within that range.
	Low, High quantity.Bytes
}

// Close is the relative difference below which two times count as nearly the same.
const Close = 0.05

// Crossings returns the sizes from lo to hi at which one layer overtakes the other. It tries sizes
// in steps of 2^(1/16) and bisects a step in which the faster layer changes, so that it can miss a
// lead shorter than a step. Layers of equal cost do not cross.
func Crossings(a, b model.Layer, lo, hi quantity.Bytes) []Crossing {
	sizes := walk(a, b, lo, hi)
	lead := func(n quantity.Bytes) float64 { return float64(b.OneWay(n) - a.OneWay(n)) } // > 0: a leads
	var found []Crossing
	last, from := 0.0, lo // the last lead that was one, and where
	for _, n := range sizes {
		now := lead(n)
		if now == 0 {
			continue
		}
		if last != 0 && now > 0 != (last > 0) {
			x := quantity.Bytes(bisect(float64(from), float64(n), true, func(v float64) bool {
				l := lead(quantity.Bytes(v))
				return l != 0 && l > 0 == (now > 0)
			})) - 1
			found = append(found, Crossing{Size: x, Beyond: now < 0})
		}
		last, from = now, n
	}
	far := func(n quantity.Bytes) bool {
		x, y := float64(a.OneWay(n)), float64(b.OneWay(n))
		return math.Abs(x-y) >= Close*min(x, y)
	}
	for i := range found {
		c := &found[i]
		at, _ := slices.BinarySearch(sizes, c.Size)
		end := func(k, step int, otherwise quantity.Bytes) quantity.Bytes {
			for edge := c.Size; k >= 0 && k < len(sizes); k += step {
				if far(sizes[k]) {
					return quantity.Bytes(bisect(float64(edge), float64(sizes[k]), true, func(v float64) bool { return far(quantity.Bytes(v)) }))
				}
				edge = sizes[k]
			}
			return otherwise
		}
		c.Low, c.High = end(at-1, -1, lo), end(at, 1, hi)
	}
	return found
}

// nearestCrossing returns the crossing in the direction of beyond whose size is nearest to one.
func nearestCrossing(all []Crossing, beyond bool, to quantity.Bytes) (c Crossing, found bool) {
	off := func(x Crossing) float64 { return math.Abs(math.Log(float64(x.Size / to))) }
	for _, x := range all {
		if x.Beyond == beyond && (!found || off(x) < off(c)) {
			c, found = x, true
		}
	}
	return c, found
}

// walk lists whole sizes from lo to hi in steps of 2^(1/16), and where either layer switches.
func walk(a, b model.Layer, lo, hi quantity.Bytes) []quantity.Bytes {
	sizes := []quantity.Bytes{lo, hi}
	for k := 0; ; k++ {
		n := quantity.Bytes(math.Round(float64(lo) * math.Exp2(float64(k)/16)))
		if n >= hi {
			break
		}
		sizes = append(sizes, n)
	}
	for _, l := range []model.Layer{a, b} {
		for _, n := range model.Boundaries(l, lo, hi) {
			sizes = append(sizes, n, min(n+1, hi))
		}
	}
	return stats.Ascending(sizes)
}

// A Threshold is where a layer switches between two ways to send.
type Threshold struct {
	Path         string         // of the parameter, "layer.system-buffer.branches.0.up_to"
	Below, Above string         // the branches
	InUse        quantity.Bytes // the largest size that Below serves
	// Suggested is the crossing nearest to InUse at which Above overtakes Below. If Crosses is
	// false, it never does. Better is the faster one at InUse.
	Suggested Crossing
	Crosses   bool
	Better    string
}

// MaxSize is the largest size of crossings and thresholds.
const MaxSize = 1 << 30 * quantity.Bytes(1)

// Thresholds returns the thresholds of the layer in ascending order if it is a switch.
func (d Design) Thresholds() []Threshold {
	s, ok := model.LinesOf(d.Layer.Model).(*model.Switch)
	if !ok || s.Least {
		return nil
	}
	var all []Threshold
	for i, b := range s.Branches[:len(s.Branches)-1] {
		above := s.Branches[i+1]
		t := Threshold{Path: d.Layer.Params[i].Path, Below: b.Name, Above: above.Name, InUse: b.UpTo}
		t.Suggested, t.Crosses = nearestCrossing(Crossings(b.Layer, above.Layer, 1, MaxSize), true, t.InUse)
		if !t.Crosses {
			t.Better = b.Name
			if above.Layer.OneWay(t.InUse) < b.Layer.OneWay(t.InUse) {
				t.Better = above.Name
			}
		}
		all = append(all, t)
	}
	return all
}

// SizeFor returns the smallest whole size whose bandwidth is the given part, 0 to 1, of r∞; the
// second result is false if no size up to [MaxSize] has it. As with [model.HalfPeak], bandwidth
// need not rise all the way.
func SizeFor(l model.Layer, part float64) (quantity.Bytes, bool) {
	l = model.LinesOf(l)
	want := quantity.MBps(part) * model.Asymptote(l)
	if math.IsInf(float64(want), 0) || math.IsNaN(float64(want)) {
		return 0, false
	}
	last := quantity.Bytes(0)
	for _, n := range walk(l, l, 1, MaxSize) {
		if model.Bandwidth(l, n) >= want {
			return quantity.Bytes(bisect(float64(last), float64(n), true, func(v float64) bool {
				return v >= 1 && model.Bandwidth(l, quantity.Bytes(v)) >= want
			})), true
		}
		last = n
	}
	return 0, false
}

// bisect returns the value nearest to a, towards b, for which flipped is true; flipped is false at
// a and true at b.
func bisect(a, b float64, whole bool, flipped func(float64) bool) float64 {
	for range 200 {
		mid := a + (b-a)/2
		if whole {
			mid = math.Trunc(mid)
		}
		if mid == a || mid == b {
			break
		}
		if flipped(mid) {
			b = mid
		} else {
			a = mid
		}
	}
	return b
}
