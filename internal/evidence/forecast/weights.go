package main

import (
	"math"

	"github.com/halfpeak/halfpeak/model/forecast"
)

// missed is the penalty in an interval's score for each unit of a measurement's distance from
// it: 2/α for 95 % (Gneiting and Raftery, Strictly proper scoring rules, JASA 102, 2007, eq.
// 43).
const missed = 40

// A term is the error of a prediction, with the terms of its interval.
type term struct {
	off      float64
	parts    *forecast.Parts
	up, down forecast.Terms
	weight   float64
}

// chain learns the weights of the two predictions, then those of their combination, by side.
func chain(all []sample, from *forecast.Weights) (w forecast.Weights) {
	if len(all) > 0 && all[0].parts.From == forecast.Above {
		return above(all, from)
	}
	v := make([]term, len(all))
	learn := func(start, from forecast.Terms, of func(s *sample) term) forecast.Terms {
		for i := range all {
			v[i] = of(&all[i])
			v[i].parts, v[i].weight = &all[i].parts, all[i].weight
		}
		return descend(v, start, from, score)
	}
	both := func(y float64, g forecast.Guess) term {
		return term{off: y - g.Middle, up: g.Up, down: g.Down}
	}
	w.Own = learn(first.Own, from.Own, func(s *sample) term { return both(s.y, s.parts.Own) })
	w.Shapes = learn(first.Shapes, from.Shapes, func(s *sample) term {
		return both(s.y, s.parts.Shapes)
	})
	unbounded := forecast.Terms{math.Inf(1)}
	w.Up = learn(first.Up, from.Up, func(s *sample) term {
		g := w.Blend(s.parts)
		return term{off: s.y - g.Middle, up: g.Up, down: unbounded}
	})
	w.Down = learn(first.Down, from.Down, func(s *sample) term {
		g := w.Blend(s.parts)
		return term{off: g.Middle - s.y, up: g.Down, down: unbounded}
	})
	return w
}

// allTerms and fewTerms hold the initial weights of the terms above the last size: all of them, or
// without the distances to a proportional and to a constant time. Collectives switch algorithms, so
// neither bounds them.
var (
	allTerms = bothSides(forecast.Terms{0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3})
	fewTerms = bothSides(forecast.Terms{0.3, 0.3, 0, 0, 0, 0.3, 0.3})
)

func bothSides(t forecast.Terms) forecast.Weights { return forecast.Weights{Up: t, Down: t} }

// above learns the weights of the sides of the one prediction above the last size, each from the
// errors of that side, by their likelihood. The interval score would have one width for most
// curves: those that miss by far are few, and decide it. Weights that are 0 in from remain 0.
func above(all []sample, from *forecast.Weights) (w forecast.Weights) {
	var up, down []term
	for i := range all {
		if t, upwards := oneSided(&all[i]); upwards {
			up = append(up, t)
		} else {
			down = append(down, t)
		}
	}
	start := allTerms
	for i := range start.Up {
		if from.Up[i] == 0 {
			start.Up[i], start.Down[i] = 0, 0
		}
	}
	w.Up = descend(up, start.Up, from.Up, likelihood)
	w.Down = descend(down, start.Down, from.Down, likelihood)
	return w
}

// oneSided returns the term of a sample above the last size, of the side of its error.
func oneSided(s *sample) (t term, up bool) {
	g := &s.parts.Own
	if off := s.y - g.Middle; off > 0 {
		return term{off, &s.parts, g.Up, forecast.Terms{}, s.weight}, true
	}
	return term{g.Middle - s.y, &s.parts, g.Down, forecast.Terms{}, s.weight}, false
}

// loss returns the negative logarithm of the likelihood of a sample above the last size.
func loss(s *sample, w *forecast.Weights) float64 {
	t, up := oneSided(s)
	if up {
		return likelihood([]term{t}, &w.Up)
	}
	return likelihood([]term{t}, &w.Down)
}

// likelihood returns the mean negative logarithm of the likelihood of errors that are exponential
// beyond the middle, with 95 % of a side below its end.
func likelihood(all []term, w *forecast.Terms) float64 {
	var sum, weight float64
	for i := range all {
		s := &all[i]
		half := max(s.parts.Half(w.Dot(s.up), 0), 1e-6)
		sum += s.weight * (math.Log(half) + math.Log(20)*s.off/half)
		weight += s.weight
	}
	return sum / weight
}

// first holds the initial weights of the search; those that are 0 remain 0.
var first = forecast.Weights{
	Own:    forecast.Terms{1, 1, 1, 1, 1, 1, 0.1},
	Shapes: forecast.Terms{0.1, 0.5, 0.5, 0.5, 0, 0.5, 0.1},
	Up:     forecast.Terms{1, 0.5, 0.3},
	Down:   forecast.Terms{1, 0.5, 0.3},
}

// descend returns the weights with the minimum score, by coordinate descent. Weights
// that start at 0 remain 0. The score has kinks at each measurement, where gradients
// fail; steps by factors shrink from 80 % to 5 %, finer than the weights are known. A
// search from the weights of all machines begins nearer, with 30 %.
func descend(all []term, start, from forecast.Terms,
	score func(all []term, w *forecast.Terms) float64) forecast.Terms {

	w := from
	begin := 0.8
	if from != start {
		begin = 0.3
	}
	best := score(all, &w)
	for step := begin; step > 0.04; step /= 2 {
		for better := true; better; {
			better = false
			for i := range w {
				if start[i] == 0 {
					continue
				}
				for _, f := range []float64{1 + step, 1 / (1 + step), 0} {
					old := w[i]
					if f == 0 && old < 0.01*start[i] {
						continue
					}
					w[i] = max(old*f, 0.003*start[i])
					if s := score(all, &w); s < best-1e-4*math.Abs(best) {
						best, better = s, true
					} else {
						w[i] = old
					}
				}
			}
		}
	}
	return w
}

// score returns the mean interval score: the width, and a penalty for each miss.
func score(all []term, w *forecast.Terms) float64 {
	var sum, weight float64
	for i := range all {
		s := &all[i]
		up, down := s.parts.Half(w.Dot(s.up), 0), s.parts.Half(w.Dot(s.down), 0)
		if math.IsInf(down, 1) {
			sum += s.weight * (up + missed*max(0, s.off-up))
		} else {
			sum += s.weight * (up + down + missed*max(0, s.off-up, -s.off-down))
		}
		weight += s.weight
	}
	return sum / weight
}
