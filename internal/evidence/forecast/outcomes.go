package main

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/halfpeak/halfpeak/model/forecast"
)

// level is the share of measurements that an interval should contain.
const level = 0.95

// A sample is a held-out measurement and the components of its prediction.
type sample struct {
	machine string
	y       float64
	size    float64 // the largest size that is given
	parts   forecast.Parts
	weight  float64
}

// An outcome holds the factors of the two sides of an interval that make it contain a measurement,
// with weights learned on other machines; 0 for the opposite side.
type outcome struct {
	machine          string
	up, down, weight float64
}

// outcome returns the outcome of the sample under the weights: it inverts
// [forecast.Parts.Half], by which an interval grows with its factor, so the two must
// change together.
func (s *sample) outcome(w *forecast.Weights) outcome {
	g := w.Combine(s.parts)
	off := s.y - g.Middle
	r := max(0, math.Abs(off)-(1-s.parts.Share)*s.parts.Run) / max(s.parts.Share, 1e-9)
	noise := s.parts.Noise
	if s.parts.From == forecast.Above || s.parts.From == forecast.Below {
		noise = math.Hypot(s.parts.Share*noise, s.parts.Run)
		r = math.Abs(off)
	}
	r = max(0, r*r-noise*noise)
	r = math.Sqrt(r)
	o := outcome{machine: s.machine, weight: s.weight}
	if up, down := s.parts.Sides(g.Middle); off > up {
		o.up = r / max(g.Up[0], 1e-9)
	} else if -off > down {
		o.down = r / max(g.Down[0], 1e-9)
	}
	return o
}

// widening returns the factors of the two sides that make intervals contain the share level of the
// outcomes of machines that neither the weights nor the factors come from, with the minimum mean
// width: the misses may be divided between the sides in nine ways; see [nestedLevel].
func widening(all []sample, unseen []outcome, w *forecast.Weights) (up, down float64) {
	ups, downs := sides(unseen, "")
	part, least := 0.0, math.Inf(1)
	for k := 1.0; k < 10; k++ {
		u, d := ups.quantile(1-(1-level)*k/10), downs.quantile(level+(1-level)*k/10)
		if width := meanWidth(all, w, u, d); width < least {
			part, least = k/10, width
		}
	}
	l := nestedLevel(unseen, part)
	up, down = ups.quantile(1-(1-l)*part), downs.quantile(l+(1-l)*part)
	return min(up, mostWider), min(down, mostWider)
}

// mostWider is the largest factor of a side. A larger one comes from a few curves whose terms are
// nearly 0, such as those without noise, and would make all other intervals useless.
const mostWider = 10

// sides returns the factors of the outcomes on all machines but one, by side.
func sides(all []outcome, but string) (ups, downs factors) {
	for _, o := range all {
		if o.machine != but {
			ups.add(o.up, o.weight)
			downs.add(o.down, o.weight)
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
			u, d := ups.quantile(1-(1-l)*part), downs.quantile(l+(1-l)*part)
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

// factors are factors of outcomes with their weights.
type factors struct{ values, weights []float64 }

func (f *factors) add(value, weight float64) {
	f.values, f.weights = append(f.values, value), append(f.weights, weight)
}

// quantile returns the weighted quantile, or 1, no change, without factors.
func (f *factors) quantile(level float64) float64 {
	if len(f.values) == 0 {
		return 1
	}
	stat.SortWeighted(f.values, f.weights)
	return stat.Quantile(level, stat.Empirical, f.values, f.weights)
}
