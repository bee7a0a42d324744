package main

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/forecast"
)

const (
	// most is the maximum number of curves of a machine to learn from.
	most = 12
	// level is the share of measurements that an interval should contain.
	level = 0.95
	// leastRun is the least half of the interval of another run.
	leastRun = 0.01
	// farthest is the number of octaves above the last size of which factors are learned.
	farthest = 5
)

// A trainer learns from all machines but those left out. A machine is predicted from what the
// others taught.
type trainer struct {
	curves   []Curve
	use      func(*Curve) bool // few of each machine
	kind     func(*Curve) bool // all of the kind
	leftOut  func(machine string) bool
	machines []string
	// without is a calibration by machine, made from all other machines.
	without map[string]*forecast.Calibration
}

// Train returns the calibration for latencies, streams or operations, as use selects, from all
// curves but those of machines that are leftOut. The order matters: scales are learned from the
// errors of the middles, and those above the last size from the changes of each octave.
func Train(curves []Curve, use func(*Curve) bool, leftOut func(machine string) bool,
) *forecast.Calibration {

	t := &trainer{curves: curves, use: thin(curves, use), kind: use, leftOut: leftOut,
		without: map[string]*forecast.Calibration{}}
	for i := range curves {
		c := &curves[i]
		if !leftOut(c.Machine) && t.use(c) && !slices.Contains(t.machines, c.Machine) {
			t.machines = append(t.machines, c.Machine)
		}
	}
	k := t.knowledge("")
	t.learnRun(k)
	for _, m := range t.machines {
		t.without[m] = t.knowledge(m)
	}
	t.share(k)
	t.learnMiddle(k)
	above := t.samples(beyond(1, 2, 3, 4, 5))
	k.Changes = changes(above, "")
	for _, m := range t.machines {
		t.without[m].Changes = changes(above, m)
	}
	above = t.samples(beyond(1, 2, 3, 4, 5))
	between := slices.Clone(above)
	between = slices.DeleteFunc(between, func(s sample) bool { return s.within })
	k.Above = learn(between, farthest)
	k.Outgrown = outgrown(above, k)
	of := func(holds ...hold) (all []sample) {
		for _, h := range holds {
			all = append(all, t.samples(h)...)
		}
		return all
	}
	k.Between = learn(of(every(2), gaps(3), evenly(5)), 1)
	k.Below = learn(of(smallest(2), smallest(4), smallest(8)), 1)
	return k
}

// share copies to the calibrations without a machine what all machines share.
func (t *trainer) share(k *forecast.Calibration) {
	for _, m := range t.machines {
		w := t.without[m]
		w.Run, w.RunScale, w.Saving, w.Fade = k.Run, k.RunScale, k.Saving, k.Fade
	}
}

// knowledge returns the peaks of all machines but m and those left out.
func (t *trainer) knowledge(m string) *forecast.Calibration {
	k := &forecast.Calibration{}
	var rest []Curve
	for _, c := range t.curves {
		if !t.leftOut(c.Machine) && c.Machine != m && !c.Planted {
			rest = append(rest, c)
		}
	}
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

// A sample is a held-out measurement and the components of its prediction.
type sample struct {
	machine string
	planted bool
	within  bool
	off     float64 // the logarithm of the measured over the predicted time
	size    float64 // the largest size that is given
	parts   forecast.Parts
	weight  float64
}

// samples returns the samples of a protocol. Each machine counts the same at each distance: whether
// an interval holds is a question of the machine more than of its curves.
func (t *trainer) samples(h hold) (all []sample) {
	of := func(machine string) *forecast.Calibration { return t.without[machine] }
	each(h.Cases(t.curves, t.use), of, func(s Case, held forecast.Point, c *forecast.Curve) {
		p := c.Parts(held.Size)
		all = append(all, sample{
			machine: s.Curve.Machine, planted: s.Curve.Planted, within: within(s.Curve),
			off:  math.Log(float64(held.Time)) - p.Middle,
			size: float64(s.Points[len(s.Points)-1].Size), parts: p,
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
			if s.machine == but || s.planted || math.Abs(s.parts.Octaves-1) > 0.5 {
				continue
			}
			add := func(m *mean, weight float64) {
				m.up += weight * max(0, s.off)
				m.down += weight * max(0, -s.off)
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

// learnMiddle sets the saving of an octave, or the fade of a stream's rate, with the minimum mean
// error of the middles above the last size. Each distance counts by its inverse, since errors grow
// with it.
func (t *trainer) learnMiddle(k *forecast.Calibration) {
	least := math.Inf(1)
	try := func(s, f float64) {
		before := *k
		k.Saving, k.Fade = s, f
		t.share(k)
		var sum float64
		for _, s := range t.samples(beyond(1, 2, 4)) {
			sum += s.weight * math.Abs(s.off) / max(1, s.parts.Octaves)
		}
		if sum < least {
			least = sum
		} else {
			*k = before
		}
	}
	for s := 0.0; s < 0.75; s += 0.1 {
		try(s, 0)
	}
	for f := 0.2; f < 0.95; f += 0.1 {
		try(0, f)
	}
	t.share(k)
}

// learn returns the weights with the minimum interval score, with the factors at one octave
// and at each further one that hold 95 % of the measurements of a machine that they do not come
// from.
func learn(all []sample, octaves int) (w forecast.Weights) {
	w.Terms = best(all)
	for d := range octaves {
		var near []sample
		for _, s := range all {
			// Neighbouring distances count too: the factor is one curve, not five numbers.
			if octaves == 1 || math.Abs(s.parts.Octaves-float64(d+1)) < 1.5 {
				near = append(near, s)
			}
		}
		w.Factors = append(w.Factors, factors(near, &w.Terms))
	}
	return w
}

// outgrown returns by how much the upper end must rise with each octave in which messages within a
// node outgrow caches: on the median machine, to hold 95 % of its measurements.
func outgrown(all []sample, k *forecast.Calibration) float64 {
	by := map[string][]sample{}
	for _, s := range all {
		if s.within {
			by[s.machine] = append(by[s.machine], s)
		}
	}
	var least []float64
	for _, own := range by {
		rise := 0.0
		for ; rise < 1 && held(own, k, rise) < level; rise += 0.05 {
		}
		least = append(least, rise)
	}
	if len(least) == 0 {
		return 0
	}
	return stats.Median(least)
}

// held returns the share of the samples above the last size that are held.
func held(all []sample, k *forecast.Calibration, rise float64) float64 {
	var in, sum float64
	for _, s := range all {
		p := &s.parts
		half := func(side int) float64 { return p.Half(side, k.Above.Scale(p, side), rise) }
		if sum += s.weight; s.off <= half(0) && -s.off <= half(1) {
			in += s.weight
		}
	}
	return in / sum
}

// A needed is the factor that one end of an interval needs to hold a sample; 0 on the other side.
type needed struct {
	machine string
	factors [2]float64
	weight  float64
}

// factors returns the factors of the upper and the lower end. They are the same quantile of either
// side, the lowest by which factors of all machines but one hold 95 % of that machine, in the mean:
// if few machines differ much, their own 95 % quantile is too low for the next one.
func factors(all []sample, w *forecast.Terms) (f [2]float64) {
	var need []needed
	machines := map[string]float64{}
	for _, s := range all {
		n := needed{machine: s.machine, weight: s.weight}
		side, off := 0, s.off
		if off < 0 {
			side, off = 1, -off
		}
		n.factors[side] = s.parts.Scale(off) / max(w.Dot(s.parts.Terms[side]), 1e-9)
		need = append(need, n)
		if !s.planted {
			machines[s.machine] += s.weight
		}
	}
	for l := level; ; l += 0.005 {
		held := 0.0
		for m, total := range machines {
			f = quantiles(need, m, l)
			for _, n := range need {
				if n.machine == m && n.factors[0] <= f[0] && n.factors[1] <= f[1] {
					held += n.weight / total
				}
			}
		}
		if held >= level*float64(len(machines)) || l > 0.994 {
			return quantiles(need, "", l)
		}
	}
}

// quantiles returns the factors that hold the share l of all machines but one, half of the rest on
// each side.
func quantiles(all []needed, but string, l float64) (f [2]float64) {
	for side := range f {
		var v, w []float64
		for _, n := range all {
			if n.machine != but {
				v, w = append(v, n.factors[side]), append(w, n.weight)
			}
		}
		if len(v) > 0 {
			stat.SortWeighted(v, w)
			f[side] = stat.Quantile((1+l)/2, stat.Empirical, v, w)
		}
	}
	return f
}

// best returns the weights of the scale with the minimum interval score, by coordinate descent: the
// score has kinks at each measurement, where gradients fail.
func best(all []sample) (w forecast.Terms) {
	loss := func(w forecast.Terms) (sum float64) {
		for i := range all {
			s := &all[i]
			half := func(side int) float64 {
				return s.parts.Half(side, w.Dot(s.parts.Terms[side]), 0)
			}
			up, down := half(0), half(1)
			sum += s.weight * (up + down + 2/(1-level)*max(0, s.off-up, -s.off-down))
		}
		return sum
	}
	for i := range w {
		w[i] = 0.1
	}
	least := loss(w)
	for step := 1.0; step > 0.05; step /= 2 {
		for better := true; better; {
			better = false
			for i := range w {
				for _, v := range []float64{w[i] * (1 + step), w[i] / (1 + step), 0, 0.03} {
					to := w
					to[i] = v
					if l := loss(to); l < least-1e-4*least {
						least, w, better = l, to, true
					}
				}
			}
		}
	}
	return w
}

// learnRun learns the factor of the next run, from one run: the weights of its terms, and the scale
// of the differences between runs.
func (t *trainer) learnRun(k *forecast.Calibration) {
	var all []sample
	by := map[string][]float64{}
	of := func(machine string) *forecast.Calibration {
		if t.leftOut(machine) {
			return nil
		}
		return k
	}
	runs := again(1).Cases(t.curves, t.use)
	each(runs, of, func(s Case, held forecast.Point, c *forecast.Curve) {
		terms := c.RunTerms()
		off := math.Log(float64(held.Time)) - c.Parts(held.Size).Middle
		p := forecast.Parts{Share: 1, Most: math.Inf(1), Terms: [2]forecast.Terms{terms, terms}}
		all = append(all, sample{off: off, weight: s.Weight, parts: p})
		if !s.Curve.Planted {
			by[s.Curve.Machine] = append(by[s.Curve.Machine], math.Abs(off)/math.Sqrt2)
		}
	})
	if len(all) == 0 {
		return
	}
	k.Run = best(all)
	var v, w []float64
	for _, s := range all {
		v = append(v, math.Abs(s.off)/max(k.Run.Dot(s.parts.Terms[0]), 1e-9))
		w = append(w, s.weight)
	}
	stat.SortWeighted(v, w)
	q := stat.Quantile(level, stat.Empirical, v, w)
	for i := range k.Run {
		k.Run[i] *= q
	}
	// Even a curve without noise drifts from run to run.
	k.Run[0] = max(k.Run[0], leastRun)
	medians := list.Map(slices.SortedFunc(maps.Keys(by), cmp.Compare), func(m string) float64 {
		return stats.Median(by[m])
	})
	k.RunScale = 0.002 // of fewer machines no median is known
	if len(medians) > 2 {
		k.RunScale = stats.Median(medians)
	}
}
