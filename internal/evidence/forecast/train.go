package main

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/list"
)

const (
	// most is the maximum number of curves of a machine to learn from.
	most = 12
	// fewMachines is the number of machines from which on their errors tell of another one's.
	fewMachines = 5
	// leastRun is the least half of the interval of another run.
	leastRun = 0.01
	// beginsLevel is the share of the errors above a last size that what protocols add there holds.
	// It is above the level of intervals, since the few known machines seldom have the next one's
	// protocol: with 0.95, scores of operations one to four octaves above sum to 10.46, not 10.12.
	beginsLevel = 0.97
)

// Lessons are the questions that calibrations of a kind learn from, few of each machine. They stay
// the same whichever machine is left out.
type lessons struct {
	curves []Curve
	use    func(*Curve) bool // few of each machine
	of     map[lesson][][]Case
}

func newLessons(curves []Curve, kind func(*Curve) bool) *lessons {
	return &lessons{curves, thin(curves, kind), map[lesson][][]Case{}}
}

// A lesson says which measurements of a curve are held out.
type lesson string

const (
	inside, above, octave, middle, repeat lesson = "inside", "above", "octave", "middle", "repeat"
)

// lessonHolds has the protocols of each lesson.
var lessonHolds = map[lesson][]hold{
	inside: {every(2), gaps(3), evenly(5)},
	above:  {beyond(1, 2, 3, 4, 5)},
	octave: {beyond(1)},
	middle: {beyond(1, 2, 4)},
	repeat: {again(1)},
}

// cases returns the questions of a lesson, by protocol.
func (l *lessons) cases(of lesson) [][]Case {
	if l.of[of] == nil {
		for _, h := range lessonHolds[of] {
			l.of[of] = append(l.of[of], h.Cases(l.curves, l.use))
		}
	}
	return l.of[of]
}

// A trainer learns from all machines but those left out.
type trainer struct {
	*lessons
	leftOut func(machine string) bool
	learned *forecast.Calibration // so far
}

// of returns the calibration for a machine; nil if it is left out.
func (t *trainer) of(machine string) *forecast.Calibration {
	if t.leftOut(machine) {
		return nil
	}
	return t.learned
}

// Train returns the calibration for latencies, streams or operations, as use selects, from all
// curves but those of machines that are leftOut.
func Train(curves []Curve, use func(*Curve) bool, leftOut func(machine string) bool,
) *forecast.Calibration {
	return newLessons(curves, use).train(leftOut)
}

// train learns from machines that are not leftOut. The order matters: weights are learned from the
// errors of the middles.
func (l *lessons) train(leftOut func(machine string) bool) *forecast.Calibration {
	k := &forecast.Calibration{}
	t := &trainer{lessons: l, leftOut: leftOut, learned: k}
	t.learnRun(k)
	t.learnMiddle(k)
	k.Above = learn(t.samples(above))
	if k.Fade == 0 { // rates of streams change little at protocols
		k.Begins = t.begins(&k.Above)
	}
	k.Between = learn(t.samples(inside))
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

// A sample is a held-out measurement and the components of its prediction.
type sample struct {
	machine string
	planted bool
	off     float64 // the logarithm of the measured over the predicted time
	parts   forecast.Parts
	weight  float64
}

// samples returns the samples of a lesson. In each protocol each machine counts the same at each
// distance: whether an interval holds is a question of the machine more than of its curves.
func (t *trainer) samples(l lesson) (all []sample) {
	for _, cases := range t.cases(l) {
		all = append(all, t.weighted(cases)...)
	}
	return all
}

// weighted returns the samples of the cases of a protocol.
func (t *trainer) weighted(cases []Case) (all []sample) {
	each(cases, t.of, func(s Case, held forecast.Point, c *forecast.Curve) {
		p := c.Parts(held.Size)
		all = append(all, sample{
			machine: s.Curve.Machine, planted: s.Curve.Planted,
			off: math.Log(float64(held.Time)) - p.Middle, parts: p,
		})
	})
	type place struct {
		machine string
		octaves int
	}
	at := func(s *sample) place {
		if s.parts.From == forecast.Above {
			return place{s.machine, int(math.Round(s.parts.Octaves))}
		}
		return place{s.machine, 0}
	}
	count := map[place]float64{}
	for i := range all {
		count[at(&all[i])]++
	}
	for i := range all {
		all[i].weight = 1 / count[at(&all[i])]
	}
	return all
}

// settled are log₂ of the sizes up to which protocols may change: 256 KiB, the largest eager
// threshold of the libraries, or no size.
var settled = []float64{18, 64}

// learnMiddle sets the saving of an octave and the size up to which there is one, or the fade of a
// stream's rate, with the minimum mean error of the middles above the last size. Each distance
// counts by its inverse, since errors grow with it.
func (t *trainer) learnMiddle(k *forecast.Calibration) {
	least := math.Inf(1)
	try := func(saving, settled, fade float64) {
		before := *k
		k.Saving, k.Settled, k.Fade = saving, settled, fade
		var sum float64
		for _, s := range t.samples(middle) {
			sum += s.weight * math.Abs(s.off) / max(1, s.parts.Octaves)
		}
		if sum < least {
			least = sum
		} else {
			*k = before
		}
	}
	for _, size := range settled {
		for s := 0.0; s < 0.75; s += 0.1 {
			try(s, size, 0)
		}
	}
	for f := 0.2; f < 0.95; f += 0.1 {
		try(0, settled[0], f)
	}
}

// learn returns the weights of the two sides: those with the minimum interval score, times the
// factor by which intervals hold 95 % of the measurements of a machine that they do not come from.
func learn(all []sample) (w [2]forecast.Terms) {
	for side := range w {
		w[side] = best(list.Map(all, func(s sample) bound { return s.bound(side) }))
	}
	for side, f := range factors(all, &w) {
		for i := range w[side] {
			w[side][i] *= f
		}
	}
	return w
}

// begins returns, by the octave of the last size, the error that nearly all measurements an octave
// above it have beyond the weighted terms, up to the last size above which no protocol begins. Last
// sizes an octave away count as well, since libraries begin their protocols at neighbouring sizes.
// Each machine counts the same.
func (t *trainer) begins(w *[2]forecast.Terms) (all []float64) {
	type excess struct {
		off, weight []float64
		machines    map[string]bool
	}
	var of []excess
	each(t.cases(octave)[0], t.of, func(s Case, held forecast.Point, c *forecast.Curve) {
		p := c.Parts(held.Size)
		off, side := math.Log(float64(held.Time))-p.Middle, 0
		if off < 0 {
			off, side = -off, 1
		}
		half := p.Half(side, w[side].Dot(p.Terms[side]))
		last := float64(s.Points[len(s.Points)-1].Size)
		at := int(math.Round(math.Log2(last))) - forecast.FirstLast
		for len(of) < at+2 {
			of = append(of, excess{machines: map[string]bool{}})
		}
		for i := max(0, at-1); i <= at+1; i++ {
			of[i].machines[s.Curve.Machine] = true
			of[i].off = append(of[i].off, math.Sqrt(max(0, off*off-half*half)))
			of[i].weight = append(of[i].weight, s.Weight)
		}
	})
	for i, e := range of {
		if float64(forecast.FirstLast+i) >= t.learned.Settled {
			break
		}
		q := 0.0
		if len(e.machines) >= fewMachines {
			stat.SortWeighted(e.off, e.weight)
			q = stat.Quantile(beginsLevel, stat.Empirical, e.off, e.weight)
		}
		all = append(all, q)
	}
	for len(all) > 0 && all[len(all)-1] == 0 { // as beyond the list
		all = all[:len(all)-1]
	}
	return all
}

// A needed is the factor by which the end of a side holds a sample; 0 on the other side.
type needed struct {
	machine        string
	factor, weight float64
}

// factors returns the factors of the upper and the lower end. They are the same quantile of either
// side, the lowest by which factors of all machines but one hold 95 % of that machine, in the mean:
// if few machines differ much, their own 95 % quantile is too low for the next one.
func factors(all []sample, w *[2]forecast.Terms) (f [2]float64) {
	var sides [2][]needed
	total := map[string]float64{}
	for _, s := range all {
		total[s.machine] += s.weight
		side, off := 0, s.off
		if off < 0 {
			side, off = 1, -off
		}
		n := needed{machine: s.machine, weight: s.weight}
		sides[1-side] = append(sides[1-side], n)
		if side == 0 || off <= s.parts.Most { // else no factor holds it
			scale := w[side].Dot(s.parts.Terms[side])
			n.factor = s.parts.Scale(off) / max(scale, 1e-9)
		}
		sides[side] = append(sides[side], n)
	}
	for _, side := range sides {
		slices.SortFunc(side, func(a, b needed) int { return cmp.Compare(b.factor, a.factor) })
	}
	published := slices.DeleteFunc(slices.Sorted(maps.Keys(total)), func(m string) bool {
		return strings.HasPrefix(m, planted)
	})
	for l := judge.Level - 0.05; ; l += 0.005 {
		missed := 0.0
		for _, m := range published {
			f := quantiles(&sides, m, l)
			for i, side := range sides {
				for _, n := range side {
					if n.machine == m && n.factor > f[i] {
						missed += n.weight / total[m]
					}
				}
			}
		}
		if missed <= (1-judge.Level)*float64(len(published)) || l > 0.994 {
			return quantiles(&sides, "", l)
		}
	}
}

// quantiles returns the factors that hold the share l of all machines but one, half of the rest on
// each side. The needed factors fall.
func quantiles(sides *[2][]needed, but string, l float64) (f [2]float64) {
	for i, side := range sides {
		rest := 0.0
		for _, n := range side {
			if n.machine != but {
				rest += n.weight * (1 - l) / 2
			}
		}
		for _, n := range side {
			if n.machine == but {
				continue
			}
			if rest -= n.weight; rest < 0 {
				f[i] = n.factor
				break
			}
		}
	}
	return f
}

// A bound is what a sample asks of the end of one side.
type bound struct {
	terms               forecast.Terms // of the half, without weights
	added, square, most float64        // the rest of it, see [forecast.Parts.Fixed]
	off, weight         float64        // the error on the side
}

// bound returns what the sample asks of the end of a side.
func (s *sample) bound(side int) bound {
	b := bound{terms: s.parts.Terms[side], most: math.Inf(1), off: s.off, weight: s.weight}
	b.added, b.square = s.parts.Fixed()
	for i := range b.terms {
		b.terms[i] *= s.parts.Share
	}
	if side == 1 {
		b.most, b.off = s.parts.Most, -s.off
	}
	return b
}

// half returns the half of the side with weights of the terms.
func (b *bound) half(w *forecast.Terms) float64 {
	scale := w.Dot(b.terms)
	return min(b.most, b.added+math.Sqrt(scale*scale+b.square))
}

// best returns the weights with the minimum interval score of one side, by coordinate descent from
// two starts: the score has kinks at each measurement, where gradients fail.
func best(all []bound) (w forecast.Terms) {
	loss := func(w forecast.Terms) (sum float64) {
		for i := range all {
			b := &all[i]
			half := b.half(&w)
			sum += b.weight * (half + 2/(1-judge.Level)*max(0, b.off-half))
		}
		return sum
	}
	least := math.Inf(1)
	for _, start := range []float64{0.03, 0.3} {
		if v, l := descend(loss, start); l < least {
			w, least = v, l
		}
	}
	return w
}

// descend returns the weights where no change of one of them, or of one against another, lowers the
// loss. All begin at start.
func descend(loss func(forecast.Terms) float64, start float64) (w forecast.Terms, least float64) {
	w = forecast.Terms{start, start, start}
	least = loss(w)
	lower := func(to forecast.Terms) bool {
		l := loss(to)
		if l >= least-2e-4*least {
			return false
		}
		least, w = l, to
		return true
	}
	for step := 1.0; step > 0.05; step /= 2 {
		for better := true; better; {
			better = false
			for i := range w {
				for _, v := range []float64{w[i] * (1 + step), w[i] / (1 + step), 0, start} {
					to := w
					to[i] = v
					better = lower(to) || better
				}
				for j := range w {
					to := w
					to[i], to[j] = w[i]*(1+step), w[j]/(1+step)
					better = i != j && lower(to) || better
				}
			}
		}
	}
	return w, least
}

// learnRun learns the half of the interval of the next run, from one run.
func (t *trainer) learnRun(k *forecast.Calibration) {
	var all []bound
	each(t.cases(repeat)[0], t.of, func(s Case, held forecast.Point, c *forecast.Curve) {
		off := math.Abs(math.Log(float64(held.Time)) - c.Parts(held.Size).Middle)
		all = append(all, bound{terms: c.RunTerms(), most: math.Inf(1), off: off,
			weight: s.Weight})
	})
	if len(all) == 0 {
		return
	}
	w := best(all)
	var v, weights []float64
	for _, b := range all {
		v, weights = append(v, b.off/max(w.Dot(b.terms), 1e-9)), append(weights, b.weight)
	}
	stat.SortWeighted(v, weights)
	q := stat.Quantile(judge.Level, stat.Empirical, v, weights)
	// Even a curve without noise drifts from run to run.
	k.Run = [2]float64{max(q*w[0], leastRun), q * w[1]}
}
