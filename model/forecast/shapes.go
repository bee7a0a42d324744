package forecast

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
)

// anchors are sizes of a curve about an octave apart, where it is compared with other shapes.
type anchors struct {
	x   []float64
	off [][]float64 // by shape and anchor, the curve's logarithm over the shape's
}

// align compares the curve with the library.
func (c *series) align() anchors {
	a := anchors{off: make([][]float64, len(c.calibration.Library))}
	var index []int
	for i, x := range c.x {
		if i == 0 || i == len(c.x)-1 || x-a.x[len(a.x)-1] > 0.75 {
			index, a.x = append(index, i), append(a.x, x)
		}
	}
	for j, s := range c.calibration.Library {
		a.off[j] = list.Map(index, func(i int) float64 { return c.y[i] - s.at(c.x[i]) })
	}
	return a
}

const (
	reach     = 5.0  // octaves over which the similarity of curves decays by a factor e
	neighbour = 3    // rank of the shape whose distance is the scale of the weights
	alike     = 0.03 // maximum distance of equal shapes
)

// A candidate is the logarithm of a time by one shape of the library, the shape's distance from the
// curve, and its weight.
type candidate struct{ y, distance, weight float64 }

// candidates returns each shape's logarithm of the time at 2^x bytes. outside is the distance of x
// from the measured range, in octaves.
func (a *anchors) candidates(c *series, x float64) (all []candidate, outside float64) {
	xs := a.x
	last := len(xs) - 1
	w := make([]float64, len(xs))
	for k := range xs {
		w[k] = math.Exp(-math.Abs(xs[k]-x) / reach)
	}
	// The anchors next to x, and the share of the second.
	i, _ := slices.BinarySearch(xs, x)
	low, high, share := max(i-1, 0), min(i, last), 0.0
	if low < high {
		share = (x - xs[low]) / (xs[high] - xs[low])
	}
	all = make([]candidate, len(a.off))
	for j, off := range a.off {
		var sw, s, ss float64
		for k, r := range off {
			sw += w[k]
			s += w[k] * r
			ss += w[k] * r * r
		}
		mean := s / sw
		shape := &c.calibration.Library[j]
		y := shape.at(x) + (off[low] + share*(off[high]-off[low]))
		all[j] = candidate{y, math.Sqrt(max(0, ss/sw-mean*mean)), shape.Weight}
	}
	return all, max(0, xs[0]-x, x-xs[last])
}

// guess predicts the time of n bytes from the shapes that are most like the curve next to n.
func (a *anchors) guess(c *series, n float64) (g Guess) {
	if len(a.off) == 0 {
		return g
	}
	all, outside := a.candidates(c, math.Log2(n))
	distances := make([]float64, len(all))
	for j, v := range all {
		distances[j] = v.distance
	}
	slices.Sort(distances)
	b := alike + distances[min(neighbour, len(distances))-1]
	var sw, s, sd float64
	for j := range all {
		v := &all[j]
		v.weight *= math.Exp(-v.distance * v.distance / (2 * b * b) * 4)
		sw += v.weight
		s += v.weight * v.y
		sd += v.weight * v.distance
	}
	g.Middle = s / sw
	var up, down float64
	for _, v := range all {
		if d := v.y - g.Middle; d > 0 {
			up += v.weight * d * d
		} else {
			down += v.weight * d * d
		}
	}
	both := Terms{floor: 1, residual: sd / sw, noisy: c.noise, wide: outside}
	g.Up, g.Down = both, both
	g.Up[side], g.Down[side] = math.Sqrt(2*up/sw), math.Sqrt(2*down/sw)
	spread := math.Sqrt((up + down) / sw)
	g.Up[jump], g.Down[jump] = spread, spread
	return g
}
