package main

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/forecast"
)

// An outcome holds the factors by which the two sides of an interval must be widened to contain a
// measurement, with weights learned on other machines; 0 for the opposite side.
type outcome struct {
	machine          string
	up, down, weight float64
}

// outcome returns the outcome of the sample under the weights.
func (s *sample) outcome(w *forecast.Weights) outcome {
	g := w.Combine(s.parts)
	off := s.y - g.Middle
	r := max(0, math.Abs(off)-(1-s.parts.Share)*s.parts.Run) / max(s.parts.Share, 1e-9)
	r = max(0, r*r-s.parts.Noise*s.parts.Noise)
	if s.parts.From == forecast.Above || s.parts.From == forecast.Below {
		r = max(0, r-s.parts.Run*s.parts.Run)
	}
	r = math.Sqrt(r)
	o := outcome{machine: s.machine, weight: s.weight}
	if off > s.parts.Up(g.Middle) {
		o.up = r / max(g.Up[0], 1e-9)
	} else if -off > s.parts.Down(g.Middle) {
		o.down = r / max(g.Down[0], 1e-9)
	}
	return o
}

// factors returns the factors of the two sides that make intervals contain the share level of the
// outcomes, with the minimum mean width.
func (t *trainer) factors(all []sample, unseen []outcome, w *forecast.Weights) (up, down float64) {
	ups, downs := sides(unseen, "")
	part, least := 0.0, math.Inf(1)
	for k := 1.0; k < 10; k++ {
		u, d := quantileOf(ups, 1-(1-level)*k/10), quantileOf(downs, level+(1-level)*k/10)
		if width := meanWidth(all, w, u, d); width < least {
			part, least, up, down = k/10, width, u, d
		}
	}
	if t.nested {
		l := nestedLevel(unseen, part)
		up, down = quantileOf(ups, 1-(1-l)*part), quantileOf(downs, l+(1-l)*part)
	}
	return up, down
}

// sides returns the factors of the outcomes on all machines but one, by side.
func sides(all []outcome, but string) (ups, downs []scored) {
	for _, o := range all {
		if o.machine != but {
			ups, downs = append(ups, scored{o.up, o.weight}), append(downs, scored{o.down, o.weight})
		}
	}
	return ups, downs
}

// nestedLevel returns the minimum level at which factors from all machines but one contain 95 % of
// that machine's measurements, over all machines in turn. If few machines differ much, their
// quantile is too low for the next one. Part is the share of the misses on the upper side.
func nestedLevel(all []outcome, part float64) float64 {
	var levels, held []float64
	for l := level; l < 0.9999; l += 0.005 {
		levels, held = append(levels, l), append(held, 0)
	}
	by := map[string][]outcome{}
	total := 0.0
	for _, o := range all {
		by[o.machine] = append(by[o.machine], o)
		total += o.weight
	}
	for _, m := range slices.Sorted(maps.Keys(by)) {
		own := by[m]
		ups, downs := sides(all, m)
		for i, l := range levels {
			u, d := quantileOf(ups, 1-(1-l)*part), quantileOf(downs, l+(1-l)*part)
			for _, o := range own {
				if o.up <= u && o.down <= d {
					held[i] += o.weight
				}
			}
		}
	}
	for i, l := range levels {
		if held[i] >= level*total {
			return l
		}
	}
	return levels[len(levels)-1]
}

// meanWidth returns the mean width of the intervals, relative to the middle, under factors of both
// sides.
func meanWidth(all []sample, w *forecast.Weights, up, down float64) float64 {
	var sum, weight float64
	for _, s := range all {
		g := w.Combine(s.parts)
		u, d := s.parts.Half(up*g.Up[0], 0), s.parts.Half(down*g.Down[0], 0)
		sum += s.weight * math.Log(math.Exp(u)-math.Exp(-d))
		weight += s.weight
	}
	return sum / weight
}

// scored is the factor of an outcome with its weight.
type scored struct{ factor, weight float64 }

// quantileOf returns the weighted quantile of the factors.
func quantileOf(v []scored, level float64) float64 {
	if len(v) == 0 {
		return 1
	}
	total := 0.0
	for _, s := range v {
		total += s.weight
	}
	slices.SortFunc(v, func(a, b scored) int { return cmp.Compare(a.factor, b.factor) })
	sum := 0.0
	for _, s := range v {
		if sum += s.weight; sum >= level*total {
			return s.factor
		}
	}
	return v[len(v)-1].factor
}

// same is the maximum difference of the logarithms of two curves of a machine with one shape.
const same = 0.1

// A cluster holds curves of a machine with one shape: that of the first, and the sum of all.
type cluster struct {
	first forecast.Shape
	sum   []float64
	n     float64
}

// clusters groups the curves that have a shape by machine, and returns the machines in their order.
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
