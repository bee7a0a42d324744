package main

import (
	"maps"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/forecast"
)

// same is half of the span of the difference of the logarithms of two curves of a
// machine with one shape: the factor between them varies by at most e^0.2, 22 %.
const same = 0.1

// A cluster holds curves of a machine with one shape: that of the first, and the sum of all.
type cluster struct {
	first forecast.Shape
	sum   []float64
	n     float64
}

// clusters groups the curves that have a shape by machine, and returns the machines
// in their order. A curve joins the first cluster that it resembles; the result
// depends on the order of files, which WalkDir fixes.
func clusters(curves []Curve, use func(*Curve) bool) (by map[string][]*cluster, machines []string) {
	by = map[string][]*cluster{}
	for i := range curves {
		c := &curves[i]
		s, ok := shapeOf(c)
		if !ok || !use(c) {
			continue
		}
		known := by[c.Machine]
		if known == nil {
			machines = append(machines, c.Machine)
		}
		at := slices.IndexFunc(known, func(g *cluster) bool { return alike(g.first, s) })
		if at < 0 {
			at, known = len(known), append(known, &cluster{s, make([]float64, len(s.Rise)), 0})
			by[c.Machine] = known
		}
		known[at].n++
		for i, v := range s.Rise {
			known[at].sum[i] += v
		}
	}
	return by, machines
}

// library returns the shapes of the curves: the means of similar curves of a machine.
func library(curves []Curve) (all []forecast.Shape) {
	by, machines := clusters(curves, Latency)
	for _, m := range machines {
		for _, g := range by[m] {
			s := g.first
			s.Weight = 1 / float64(len(by[m]))
			s.Rise = g.sum
			for i := range s.Rise {
				s.Rise[i] = math.Round(100*s.Rise[i]/g.n)/100 + 0 // no −0
			}
			all = append(all, s)
		}
	}
	return all
}

// shapeOf returns the curve at powers of two, between its sizes on straight lines, as
// logarithms relative to the smallest: a shape has no scale, so that a slow machine
// resembles a fast one. Fewer than eight powers of two show none.
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

// alike reports whether two shapes differ by little but a constant.
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

// shapesOf returns the number of different shapes of each machine's curves; planted curves count as
// one.
func shapesOf(curves []Curve, use func(*Curve) bool) map[string]float64 {
	by, _ := clusters(curves, func(c *Curve) bool { return use(c) && !c.Planted })
	n := map[string]float64{}
	for i := range curves {
		if c := &curves[i]; use(c) {
			n[c.Machine] = max(1, float64(len(by[c.Machine])))
		}
	}
	return n
}

const (
	// wide is the smallest size at which a stream may have its highest rate.
	wide = 256 << 10
	// onePeak is the difference of the logarithms of rates of a machine that count as one.
	onePeak = 0.03
)

// peaks returns the highest rates of the curves that use selects and that are streams; each machine
// counts as one.
func peaks(curves []Curve, use func(*Curve) bool) (all [][2]float64) {
	by := map[string][]float64{}
	for i := range curves {
		c := &curves[i]
		if !use(c) || !Stream(c) || c.Points[len(c.Points)-2].Size < wide {
			continue
		}
		highest := 0.0
		for _, p := range c.Points {
			if p.Size >= wide {
				highest = max(highest, float64(p.Size)/float64(p.Time))
			}
		}
		rate := math.Log(highest)
		known := func(r float64) bool { return math.Abs(r-rate) < onePeak }
		if !slices.ContainsFunc(by[c.Machine], known) {
			by[c.Machine] = append(by[c.Machine], rate)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(by)) {
		for _, r := range by[m] {
			all = append(all, [2]float64{1 / float64(len(by[m])*len(by)), r})
		}
	}
	return all
}
