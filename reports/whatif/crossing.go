package whatif

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// nearestCrossing returns the crossing in the direction of beyond whose size is
// nearest to one, by its logarithm. Two curves with switches cross several times; a
// changed parameter moves a crossing, and the nearest one of the same direction is
// taken for the same.
func nearestCrossing(all []model.Crossing, beyond bool, to quantity.Bytes) (c model.Crossing,
	found bool) {
	off := func(x model.Crossing) float64 { return math.Abs(math.Log(float64(x.Size / to))) }
	for _, x := range all {
		if x.Beyond == beyond && (!found || off(x) < off(c)) {
			c, found = x, true
		}
	}
	return c, found
}

// A Threshold is where a layer switches between two ways to send.
type Threshold struct {
	Path         string         // of the parameter, "layer.system-buffer.branches.0.up_to"
	Below, Above string         // the branches
	InUse        quantity.Bytes // the largest size that Below serves
	// Suggested is the crossing nearest to InUse at which Above overtakes Below. If Crosses is
	// false, it never does. Better is the faster one at InUse.
	Suggested model.Crossing
	Crosses   bool
	Better    string
	// Gains are the sizes that Below serves and Above would send faster, up to InUse.
	Gains []Gain
}

// A Gain is what a message of one size takes on both sides of a threshold.
type Gain struct {
	Size         quantity.Bytes
	Below, Above quantity.Micros
}

// gains returns the sizes in powers of two down from the threshold, but not down to the previous
// one, as long as the upper branch is faster by more than a user hardly notices. In ascending
// order, at most maxGains.
func gains(below, above model.Layer, previous, inUse quantity.Bytes) (all []Gain) {
	for n := inUse; n > previous && n >= 1 && len(all) < maxGains; n = quantity.Bytes(
		math.Floor(float64(n / 2))) {
		g := Gain{n, below.OneWay(n), above.OneWay(n)}
		if g.Above > g.Below*0.95 {
			break
		}
		all = append(all, g)
	}
	slices.Reverse(all)
	return all
}

// maxGains is the number of sizes that fit a line.
const maxGains = 4

// Thresholds returns the thresholds of the layer in ascending order if it is a
// switch; a switch to the least of its branches (Least) has none. The lines of the
// model decide, not a measured curve: it has no branches.
func (d Design) Thresholds() []Threshold {
	s, ok := model.LinesOf(d.Layer.Model).(*model.Switch)
	if !ok || s.Least {
		return nil
	}
	var all []Threshold
	for i, b := range s.Branches[:len(s.Branches)-1] {
		above := s.Branches[i+1]
		t := Threshold{Path: d.Layer.Params[i].Path, Below: b.Name, Above: above.Name,
			InUse: b.UpTo}
		// A switch to a larger size helps where the upper branch overtakes: only
		// crossings in that direction count. Of several, the nearest to the present
		// threshold is the smallest change.
		t.Suggested,
			t.Crosses = nearestCrossing(model.Crossings(b.Layer, above.Layer, 1, model.MaxCrossing),
			true, t.InUse)
		if !t.Crosses {
			t.Better = b.Name
			if above.Layer.OneWay(t.InUse) < b.Layer.OneWay(t.InUse) {
				t.Better = above.Name
			}
		}
		previous := quantity.Bytes(0)
		if i > 0 {
			previous = s.Branches[i-1].UpTo
		}
		t.Gains = gains(b.Layer, above.Layer, previous, t.InUse)
		all = append(all, t)
	}
	return all
}

// bisect returns the value nearest to a, towards b, for which flipped is true;
// flipped is false at a and true at b. Between neighbouring numbers it ends by
// itself; the 200 steps bound the way to zero, where float64 has a thousand more
// halvings that mean nothing.
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

// interpolated returns a value at which lacks has another sign than at a (a value of 0 has that of
// negative ones), within a part in 10⁹ of the nearest one towards b, where the sign is another. It
// is the method ITP (Oliveira and Takahashi, ACM TOMS 47(1), 2020): the secant, moved a little
// towards the middle, and never more than a step behind bisection. A time is nearly linear in a
// cost, so some five values suffice where bisection takes thirty: each may be a simulation.
func interpolated(a, b float64, lacks func(float64) float64) float64 {
	const apart = 1e-9
	ya, yb := lacks(a), lacks(b)
	eps := apart * max(math.Abs(a), math.Abs(b)) / 2
	width := math.Abs(b - a)
	left := eps * math.Exp2(math.Ceil(math.Log2(width/(2*eps)))+1)
	for ; math.Abs(b-a) > 2*eps; left /= 2 {
		middle, secant := a+(b-a)/2, (yb*a-ya*b)/(yb-ya)
		sign := math.Copysign(1, middle-secant)
		at := middle
		if to := 0.2 * (b - a) * (b - a) / width; math.Abs(to) <= math.Abs(middle-secant) {
			at = secant + sign*math.Abs(to)
		}
		if r := left - math.Abs(b-a)/2; !(math.Abs(at-middle) <= r) { // also of NaN
			at = middle - sign*max(r, 0)
		}
		if math.IsNaN(at) || at == a || at == b {
			at = middle
		}
		y := lacks(at)
		if (y <= 0) == (ya <= 0) {
			a, ya = at, y
		} else {
			b, yb = at, y
		}
	}
	return b
}
