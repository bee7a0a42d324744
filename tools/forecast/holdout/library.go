package holdout

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/forecast"
)

// same is the largest difference of the logarithms of two curves of a machine that count as one
// shape.
const same = 0.1

// library returns the shapes of the curves: the means of those of a machine that are alike.
func library(curves []Curve, _ func(*Curve) bool) (all []forecast.Shape) {
	type cluster struct {
		first forecast.Shape
		sum   []float64
		n     float64
	}
	by := map[string][]*cluster{}
	var order []string
	for i := range curves {
		c := &curves[i]
		if !Latency(c) {
			continue
		}
		s, ok := shapeOf(c)
		if !ok {
			continue
		}
		found := false
		for _, g := range by[c.Machine] {
			if alike(g.first, s) {
				for i, v := range s.Rise {
					g.sum[i] += v
				}
				g.n++
				found = true
				break
			}
		}
		if !found {
			if len(by[c.Machine]) == 0 {
				order = append(order, c.Machine)
			}
			by[c.Machine] = append(by[c.Machine], &cluster{s, append([]float64(nil), s.Rise...), 1})
		}
	}
	for _, m := range order {
		for _, g := range by[m] {
			s := g.first
			s.Weight = 1 / float64(len(by[m]))
			s.Rise = g.sum
			for i := range s.Rise {
				s.Rise[i] = math.Round(100*s.Rise[i]/g.n) / 100
			}
			all = append(all, s)
		}
	}
	return all
}

// shapeOf returns the curve at powers of two, between its sizes on straight lines.
func shapeOf(c *Curve) (s forecast.Shape, ok bool) {
	p := c.Points
	s.First = int(math.Ceil(math.Log2(float64(p[0].Size)) - 1e-9))
	i := 1
	for x := s.First; ; x++ {
		n := math.Exp2(float64(x))
		for i < len(p) && float64(p[i].Size) < n {
			i++
		}
		if i == len(p) {
			break
		}
		a, b := p[i-1], p[i]
		v := float64(a.Time) + float64(b.Time-a.Time)*(n-float64(a.Size))/float64(b.Size-a.Size)
		s.Rise = append(s.Rise, math.Log(v))
	}
	if len(s.Rise) < 8 {
		return s, false
	}
	first := s.Rise[0]
	for i := range s.Rise {
		s.Rise[i] -= first
	}
	return s, true
}

func alike(a, b forecast.Shape) bool {
	if a.First != b.First || len(a.Rise) != len(b.Rise) {
		return false
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range a.Rise {
		d := a.Rise[i] - b.Rise[i]
		low, high = min(low, d), max(high, d)
	}
	return high-low < 2*same
}

// shapesOf returns the number of different shapes of each machine's curves; those that are planted
// count as one.
func shapesOf(curves []Curve, use func(*Curve) bool) map[string]float64 {
	known := map[string][]forecast.Shape{}
	n := map[string]float64{}
	for i := range curves {
		c := &curves[i]
		if !use(c) {
			continue
		}
		n[c.Machine] = max(1, n[c.Machine])
		s, ok := shapeOf(c)
		if !ok || c.Planted || slices.ContainsFunc(known[c.Machine], func(t forecast.Shape) bool { return alike(s, t) }) {
			continue
		}
		known[c.Machine] = append(known[c.Machine], s)
		n[c.Machine] = float64(len(known[c.Machine]))
	}
	return n
}
