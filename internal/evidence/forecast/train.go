package main

import (
	"maps"
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
	use      func(*Curve) bool // few of each machine
	kind     func(*Curve) bool // all of the kind
	leftOut  func(machine string) bool
	machines []string
	// without is a calibration by machine, whose shapes and breaks come from all other machines.
	without map[string]*forecast.Calibration
}

// Train returns the calibration for latencies, streams or operations, as use selects, from all
// curves but those of machines that are leftOut. The order matters: the weights of runs are
// part of the predictions by which all other weights are learned. If known is not nil, only the
// predictions above the last size are learned, and all other weights are those of known.
func Train(curves []Curve, use func(*Curve) bool, leftOut func(machine string) bool,
	known *forecast.Calibration) *forecast.Calibration {

	t := &trainer{curves: curves, use: thin(curves, use), kind: use, leftOut: leftOut,
		without: map[string]*forecast.Calibration{}}
	for i := range curves {
		c := &curves[i]
		if !leftOut(c.Machine) && t.use(c) && !slices.Contains(t.machines, c.Machine) {
			t.machines = append(t.machines, c.Machine)
		}
	}
	k := t.knowledge("")
	if known != nil {
		k.Run = known.Run
	} else {
		k.Run = t.learnRun(k)
	}
	for _, m := range t.machines {
		t.without[m] = t.knowledge(m)
		t.without[m].Run = k.Run
	}
	t.learnAbove(k)
	if known != nil {
		k.Inside, k.Wide, k.Below = known.Inside, known.Wide, known.Below
		return k
	}
	k.Inside = t.learn(share{every(3), 1}, share{every(2), 0.5})
	k.Wide = t.learn(share{evenly(5), 1}, share{gaps(3), 0.5})
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
	k.Peaks = peaks(rest, t.kind)
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
			all = append(all, sample{
				machine: h.Curve.Machine, y: math.Log(float64(held.Time)),
				size:  float64(h.Points[len(h.Points)-1].Size),
				parts: c.Parts(held.Size), weight: h.Weight * s.weight,
			})
		})
	}
	return all
}

// learnAbove learns the predictions above the last size, at one to four octaves. Each machine
// counts the same at each distance: whether an interval holds there is a question of the machine
// more than of its curves.
func (t *trainer) learnAbove(k *forecast.Calibration) {
	k.Saving, k.Fade = t.learnMiddle()
	for _, m := range t.machines {
		t.without[m].Saving, t.without[m].Fade = k.Saving, k.Fade
	}
	all := t.aboveSamples()
	k.Changes = changes(all, "")
	for _, m := range t.machines {
		t.without[m].Changes = changes(all, m)
	}
	all = t.aboveSamples()
	k.Above = above(all, &fewTerms)
	unseen := t.unseen(all, &k.Above)
	w := above(all, &allTerms)
	if more := t.unseen(all, &w); likelier(more, unseen) {
		k.Above, unseen = w, more
	}
	for i := range k.Reach {
		// Neighbouring distances count too: the factor is one curve, not four numbers.
		at := func(s sample) bool { return math.Abs(s.parts.Width-float64(i+1)) < 1.5 }
		var near []sample
		var outcomes []outcome
		for _, s := range all {
			if at(s) {
				near = append(near, s)
			}
		}
		for _, s := range unseen {
			if at(s.sample) {
				outcomes = append(outcomes, s.outcome)
			}
		}
		k.Reach[i][0], k.Reach[i][1] = widening(near, outcomes, &k.Above)
	}
}

// likelier reports whether the machines are likelier under the weights of a than of b, in the sum
// without the machine that gains most and the one that loses most: a machine that is missed by far
// would decide.
func likelier(a, b []judgedSample) bool {
	loss := map[string]float64{} // of b over a
	for i := range a {
		loss[a[i].sample.machine] += b[i].loss - a[i].loss
	}
	gains := slices.Sorted(maps.Values(loss))
	sum := 0.0
	for i := 1; i < len(gains)-1; i++ {
		sum += gains[i]
	}
	return sum > 0
}

// elsewhere is the number of machines that the mean of all octaves counts as, in each octave.
const elsewhere = 3

// changes returns the [forecast.Calibration.Changes] of all machines but one. Each machine counts
// the same in an octave, and neighbouring octaves count a quarter.
func changes(all []sample, but string) (c [2][32]float64) {
	type mean struct{ up, down, weight float64 }
	for i := range c[0] {
		var anywhere mean
		by := map[string]mean{}
		for _, s := range all {
			if s.machine == but || strings.HasPrefix(s.machine, planted) ||
				math.Abs(s.parts.Width-1) > 0.5 {
				continue
			}
			add := func(m *mean, weight float64) {
				off := s.y - s.parts.Own.Middle
				m.up += weight * max(0, off)
				m.down += weight * max(0, -off)
				m.weight += weight
			}
			add(&anywhere, s.weight)
			if x := math.Log2(s.size) - float64(i); math.Abs(x) <= 1 {
				m := by[s.machine]
				add(&m, s.weight*math.Exp2(-2*x*x))
				by[s.machine] = m
			}
		}
		if anywhere.weight == 0 {
			return c
		}
		up, down, n := elsewhere*anywhere.up, elsewhere*anywhere.down, float64(elsewhere)
		up, down = up/anywhere.weight, down/anywhere.weight
		for _, m := range slices.Sorted(maps.Keys(by)) { // in order: sums depend on it
			up += by[m].up / by[m].weight
			down += by[m].down / by[m].weight
			n++
		}
		c[0][i], c[1][i] = up/n, down/n
	}
	return c
}

// aboveSamples returns the samples above the last size, with equal weights of all machines at each
// distance.
func (t *trainer) aboveSamples() []sample {
	all := t.samples([]share{{beyond(1, 2, 3, 4, 5), 1}})
	type place struct {
		machine string
		octaves int
	}
	at := func(s *sample) place { return place{s.machine, int(math.Round(s.parts.Width))} }
	count := map[place]float64{}
	for i := range all {
		count[at(&all[i])]++
	}
	for i := range all {
		all[i].weight = 1 / count[at(&all[i])]
	}
	return all
}

// learnMiddle returns the saving of an octave, or the fade of a stream's rate, with the minimum
// mean error of the middles above the last size. Each distance counts by its inverse, since errors
// grow with it.
func (t *trainer) learnMiddle() (saving, fade float64) {
	least := math.Inf(1)
	try := func(s, f float64) {
		for _, m := range t.machines {
			t.without[m].Saving, t.without[m].Fade = s, f
		}
		var sum float64
		for _, s := range t.aboveSamples() {
			sum += s.weight * math.Abs(s.y-s.parts.Own.Middle) / max(1, s.parts.Width)
		}
		if sum < least {
			saving, fade, least = s, f, sum
		}
	}
	for s := 0.0; s < 0.75; s += 0.1 {
		try(s, 0)
	}
	for f := 0.2; f < 0.95; f += 0.1 {
		try(0, f)
	}
	return saving, fade
}

// learn returns the weights with the minimum interval score, scaled so that intervals
// contain 95 % of the measurements of machines that their weights were not learned
// from. The score alone would make them right on the machines that it has seen.
func (t *trainer) learn(shares ...share) forecast.Weights {
	all := t.samples(shares)
	w := chain(all, &first)
	var unseen []outcome
	for _, s := range t.unseen(all, &w) {
		unseen = append(unseen, s.outcome)
	}
	up, down := widening(all, unseen, &w)
	for i := range w.Up {
		w.Up[i] *= up
		w.Down[i] *= down
	}
	return w
}

// A judgedSample is a sample, its outcome under weights that were learned without its machine, and,
// above the last size, the loss of these weights by their likelihood.
type judgedSample struct {
	sample
	outcome
	loss float64
}

// unseen returns the samples with their outcomes under weights that were learned without their
// machine; w are those of all machines.
func (t *trainer) unseen(all []sample, w *forecast.Weights) (unseen []judgedSample) {
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
		learned := chain(in, w)
		for _, s := range out {
			j := judgedSample{sample: s, outcome: s.outcome(&learned)}
			if s.parts.From == forecast.Above {
				j.loss = s.weight * loss(&s, &learned)
			}
			unseen = append(unseen, j)
		}
	}
	return unseen
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
	w := descend(all, start, start, score)
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
