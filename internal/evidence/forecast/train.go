package main

import (
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/forecast"
)

const (
	// jumps is the logarithm of the factor that counts as a jump when learning where curves jump.
	jumps = 0.12
	// anywhere is the initial count of machines that jump in each octave.
	anywhere = 0.25
	// missed is the penalty in an interval's score for each unit of a measurement's distance from
	// it: 2/α for 95 % (Gneiting and Raftery, Strictly proper scoring rules, JASA 102, 2007, eq.
	// 43).
	missed = 40
	// leastRun is the minimum logarithm of the 95 % factor between runs: even a curve without noise
	// drifts from run to run.
	leastRun = 0.01
	// most is the maximum number of curves of a machine to learn from.
	most = 12
)

// A trainer learns from all machines but those left out. Within, it leaves out each machine
// again: the shapes that predict a machine must not come from it, or the weights
// would trust shapes too much.
type trainer struct {
	curves   []Curve
	use      func(*Curve) bool
	leftOut  func(machine string) bool
	machines []string
	// without is a calibration by machine, whose shapes and breaks come from all other machines.
	without map[string]*forecast.Calibration
}

// Train returns the calibration for latencies, streams or operations, as use selects, from all
// curves but those of machines that are leftOut. The order matters: the weights of runs are
// part of the predictions by which all other weights are learned.
func Train(curves []Curve, use func(*Curve) bool,
	leftOut func(machine string) bool) *forecast.Calibration {

	t := &trainer{curves: curves, use: thin(curves, use), leftOut: leftOut,
		without: map[string]*forecast.Calibration{}}
	for i := range curves {
		c := &curves[i]
		if !leftOut(c.Machine) && t.use(c) && !slices.Contains(t.machines, c.Machine) {
			t.machines = append(t.machines, c.Machine)
		}
	}
	k := t.knowledge("")
	k.Run = t.learnRun(k)
	for _, m := range t.machines {
		t.without[m] = t.knowledge(m)
		t.without[m].Run = k.Run
	}
	k.Inside = t.learn(share{every(3), 1}, share{every(2), 0.5})
	k.Wide = t.learn(share{evenly(5), 1}, share{gaps(3), 0.5})
	k.Saving = t.learnSaving()
	for _, m := range t.machines {
		t.without[m].Saving = k.Saving
	}
	k.Above = t.learn(share{beyond(1, 2, 3, 4), 1})
	k.Below = t.learn(share{smallest(4), 1}, share{smallest(8), 0.5})
	return k
}

// knowledge returns the shapes and breaks of all machines but m and those left out.
func (t *trainer) knowledge(m string) *forecast.Calibration {
	k := &forecast.Calibration{}
	var rest []Curve
	for _, c := range t.curves {
		if !t.leftOut(c.Machine) && c.Machine != m && !c.Planted {
			rest = append(rest, c)
		}
	}
	learnBreaks(k, rest)
	k.Library = library(rest)
	return k
}

// thin returns use restricted to at most most curves of a machine.
func thin(curves []Curve, use func(*Curve) bool) func(*Curve) bool {
	by := map[string][]*Curve{}
	for i := range curves {
		if c := &curves[i]; use(c) {
			by[c.Machine] = append(by[c.Machine], c)
		}
	}
	used := map[*Curve]bool{}
	for _, all := range by {
		n := min(most, len(all))
		for i := range n {
			used[all[i*(len(all)-1)/max(1, n-1)]] = true
		}
	}
	return func(c *Curve) bool { return used[c] }
}

// learnBreaks counts jumps of latencies between sizes a factor of two apart; each machine counts as
// one.
func learnBreaks(k *forecast.Calibration, curves []Curve) {
	for i := range k.Breaks {
		k.Breaks[i] = anywhere
	}
	counts := map[string]float64{}
	for _, c := range curves {
		if Latency(&c) {
			counts[c.Machine]++
		}
	}
	for _, c := range curves {
		p := c.Points
		if !Latency(&c) {
			continue
		}
		for i := 1; i+2 < len(p); i++ {
			doubles := func(j int) bool { return p[j].Size == 2*p[j-1].Size }
			if !doubles(i) || !doubles(i+1) || !doubles(i+2) {
				continue
			}
			// The times at the middle by extrapolation of the two sizes before and the two after.
			middle := math.Sqrt2 * float64(p[i].Size)
			slope := func(a, b forecast.Point) float64 {
				rise := max(0, float64(b.Time-a.Time)/float64(b.Size-a.Size))
				return min(rise, float64(b.Time)/float64(b.Size))
			}
			before := float64(p[i].Time) + slope(p[i-1], p[i])*(middle-float64(p[i].Size))
			next := p[i+1]
			fall := min(slope(next, p[i+2]), float64(next.Time)/float64(next.Size))
			after := float64(next.Time) - fall*(float64(next.Size)-middle)
			if math.Log(after/before) > jumps {
				k.Breaks[int(math.Log2(float64(p[i].Size)))] += 1 / counts[c.Machine]
			}
		}
	}
}

// A share has the cases of a hold, with the weight of these.
type share struct {
	hold
	weight float64
}

func (t *trainer) samples(shares []share) (all []sample) {
	of := func(machine string) *forecast.Calibration { return t.without[machine] }
	for _, s := range shares {
		each(s.Cases(t.curves, t.use), of, func(h Case, held forecast.Point, c *forecast.Curve) {
			y := math.Log(float64(held.Time))
			all = append(all, sample{h.Curve.Machine, y, c.Parts(held.Size), h.Weight * s.weight})
		})
	}
	return all
}

// learnSaving returns the saving of an octave with the minimum mean error of the middles above the
// last size. Each distance counts by its inverse, since errors grow with it.
func (t *trainer) learnSaving() (best float64) {
	least := math.Inf(1)
	for saving := 0.0; saving < 0.55; saving += 0.1 {
		for _, m := range t.machines {
			t.without[m].Saving = saving
		}
		var sum float64
		for _, s := range t.samples([]share{{beyond(1, 2, 3, 4), 1}}) {
			sum += s.weight * math.Abs(s.y-s.parts.Own.Middle) / max(1, s.parts.Width)
		}
		if sum < least {
			best, least = saving, sum
		}
	}
	return best
}

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
		return descend(v, start, from)
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

// above learns the weights of the sides of the one prediction above the last size. Each distance
// counts by its inverse, since intervals grow with it.
func above(all []sample, from *forecast.Weights) (w forecast.Weights) {
	var up, down []term
	for i := range all {
		s := &all[i]
		g := &s.parts.Own
		weight := s.weight / max(1, s.parts.Width)
		unbounded := forecast.Terms{math.Inf(1)}
		up = append(up, term{s.y - g.Middle, &s.parts, g.Up, unbounded, weight})
		down = append(down, term{g.Middle - s.y, &s.parts, g.Down, unbounded, weight})
	}
	start := forecast.Terms{0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3}
	w.Up, w.Down = start, start
	if from != &first {
		w.Up, w.Down = from.Up, from.Down
	}
	w.Up, w.Down = descend(up, start, w.Up), descend(down, start, w.Down)
	return w
}

// first holds the initial weights of the search; those that are 0 remain 0.
var first = forecast.Weights{
	Own:    forecast.Terms{1, 1, 1, 1, 1, 1, 0.1},
	Shapes: forecast.Terms{0.1, 0.5, 0.5, 0.5, 0, 0.5, 0.1},
	Up:     forecast.Terms{1, 0.5, 0.3},
	Down:   forecast.Terms{1, 0.5, 0.3},
}

// learn returns the weights with the minimum interval score, scaled so that intervals
// contain 95 % of the measurements of machines that their weights were not learned
// from. The score alone would make them right on the machines that it has seen.
func (t *trainer) learn(shares ...share) forecast.Weights {
	all := t.samples(shares)
	w := chain(all, &first)
	var unseen []outcome
	for _, m := range t.machines {
		var in, out []sample
		for _, s := range all {
			if s.machine == m {
				out = append(out, s)
			} else {
				in = append(in, s)
			}
		}
		if len(out) == 0 || len(in) == 0 || strings.HasPrefix(m, planted) {
			continue // planted noise is held by the noise of the curve, whatever the factor
		}
		learned := chain(in, &w)
		for _, s := range out {
			unseen = append(unseen, s.outcome(&learned))
		}
	}
	up, down := widening(all, unseen, &w)
	for i := range w.Up {
		w.Up[i] *= up
		w.Down[i] *= down
	}
	return w
}

// descend returns the weights with the minimum score, by coordinate descent. Weights
// that start at 0 remain 0. The score has kinks at each measurement, where gradients
// fail; steps by factors shrink from 80 % to 5 %, finer than the weights are known. A
// search from the weights of all machines begins nearer, with 30 %.
func descend(all []term, start, from forecast.Terms) forecast.Terms {
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
					if s := score(all, &w); s < best*(1-1e-4) {
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

// learnRun returns the weights of the terms for the next run, from one run.
func (t *trainer) learnRun(bare *forecast.Calibration) forecast.Terms {
	var all []term
	of := func(machine string) *forecast.Calibration {
		if t.leftOut(machine) {
			return nil
		}
		return bare
	}
	each(again(1).Cases(t.curves, t.use), of, func(s Case, held forecast.Point, c *forecast.Curve) {
		terms, _ := c.RunTerms(held.Size)
		off := math.Log(float64(held.Time)) - c.Parts(held.Size).Own.Middle
		all = append(all, term{off, &forecast.Parts{Share: 1}, terms, terms, s.Weight})
	})
	start := forecast.Terms{0.01, 0.5, 0, 0, 1, 1}
	if len(all) == 0 {
		return start
	}
	w := descend(all, start, start)
	var scores factors
	for _, s := range all {
		scores.add(math.Abs(s.off)/max(w.Dot(s.up), 1e-9), s.weight)
	}
	f := scores.quantile(level)
	for i := range w {
		w[i] *= f
	}
	w[0] = max(w[0], leastRun)
	return w
}
