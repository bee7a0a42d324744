package holdout

import (
	"cmp"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/forecast"
)

// Latency are the curves of the times of messages.
func Latency(c *Curve) bool { return c.Kind == benchfile.OneWay || c.Kind == benchfile.RoundTrip }

// Operation are those of operations, of collectives and of the gaps of streams, which jump more.
func Operation(c *Curve) bool {
	return c.Kind == benchfile.Operation || c.Kind == benchfile.Collective || c.Kind == benchfile.Gap
}

func timed(c *Curve) bool { return Latency(c) || Operation(c) }

const (
	// jumps is the logarithm of the factor that counts as a jump when learning where curves jump.
	jumps = 0.12
	// anywhere is the count of machines with which each octave starts, before any is seen to jump
	// there.
	anywhere = 0.25
	// missed is the penalty in an interval's score for each unit by which it misses a measurement:
	// 2/α for 95 % (Gneiting and Raftery, Strictly proper scoring rules, JASA 102, 2007, eq. 43).
	missed = 40
	// level is the share of the training machines' measurements that intervals must hold so that
	// they hold 95 % on an unseen machine. With a level of 0.95 they hold 93 %, the mean of the
	// share over measurements and the share over machines. Machines are few, and differ.
	level = 0.965
)

// Train returns the calibration for curves of a use, latencies or operations, from all curves but
// those of the machine left out. The weights of the terms are learned from both uses, the width
// from the use alone.
func Train(curves []Curve, use func(*Curve) bool, leftOut string) *forecast.Calibration {
	var others []Curve
	for _, c := range curves {
		if c.Machine != leftOut && timed(&c) {
			others = append(others, c)
		}
	}
	k := &forecast.Calibration{Runs: 1}
	learnBreaks(k, others)
	k.Inside = learn(k, others, use, forecast.Terms{1, 1, 1, 1, 1}, share{every(3), 1})
	k.Above = learn(k, others, use, forecast.Terms{1, 1, 1, 1, 0}, share{largest(2), 1}, share{cut, 0.3})
	k.Below = learn(k, others, use, forecast.Terms{1, 1, 1, 1, 1}, share{smallest(4), 1}, share{smallest(8), 0.5})
	k.Run = learn(k, others, use, forecast.Terms{1, 1, 0, 0, 1}, share{again(1), 1})
	k.Runs = learnRuns(k, others)
	return k
}

// learnBreaks counts where latencies jump between sizes a factor of two apart, a machine as one.
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
			if p[i].Size != 2*p[i-1].Size || p[i+1].Size != 2*p[i].Size || p[i+2].Size != 2*p[i+1].Size {
				continue
			}
			// The middle, as the two sizes before it and the two after it predict it.
			middle := math.Sqrt2 * float64(p[i].Size)
			slope := func(a, b forecast.Point) float64 {
				return min(max(0, float64(b.Time-a.Time)/float64(b.Size-a.Size)), float64(b.Time)/float64(b.Size))
			}
			before := float64(p[i].Time) + slope(p[i-1], p[i])*(middle-float64(p[i].Size))
			after := float64(p[i+1].Time) - min(slope(p[i+1], p[i+2]), float64(p[i+1].Time)/float64(p[i+1].Size))*(float64(p[i+1].Size)-middle)
			if math.Log(after/before) > jumps {
				k.Breaks[int(math.Log2(float64(p[i].Size)))] += 1 / counts[c.Machine]
			}
		}
	}
}

// A share is cases of a protocol with a weight.
type share struct {
	hold   func(c *Curve, all []Curve) []Case
	weight float64
}

// A sample is how far a prediction was off, and the terms of its interval.
type sample struct {
	off      float64
	up, down forecast.Terms
	weight   float64
}

func samples(k *forecast.Calibration, cases []Case) (all []sample) {
	var c forecast.Curve
	set := -1
	for _, h := range cases {
		if h.Set != set {
			var err error
			if c, err = k.New(h.Points, h.Curve.Resolution); err != nil {
				continue
			}
			set = h.Set
		}
		middle, up, down, _ := c.Terms(h.Held.Size)
		all = append(all, sample{math.Log(float64(h.Held.Time)) - middle, up, down, h.Weight})
	}
	return all
}

// learn returns the weights of terms with the least interval score, scaled so that intervals hold
// the level's share of the samples. Terms that start at 0 stay there.
func learn(k *forecast.Calibration, curves []Curve, use func(*Curve) bool, start forecast.Terms, shares ...share) forecast.Terms {
	of := func(use func(*Curve) bool) (all []sample) {
		for _, s := range shares {
			p := Protocol{"", s.hold}
			for _, v := range samples(k, p.Cases(curves, use)) {
				v.weight *= s.weight
				all = append(all, v)
			}
		}
		return all
	}
	all := of(timed)
	if len(all) == 0 {
		return start
	}
	w := start
	best := score(all, w)
	for step := 0.4; step > 0.01; step /= 2 {
		for better := true; better; {
			better = false
			for i := range w {
				if start[i] == 0 {
					continue
				}
				by := step
				if i == 0 {
					by /= 10
				}
				for _, d := range []float64{by, -by} {
					old := w[i]
					w[i] = max(0, w[i]+d)
					if s := score(all, w); s < best-1e-7 {
						best, better = s, true
					} else {
						w[i] = old
					}
				}
			}
		}
	}
	f := conformal(of(use), w)
	for i := range w {
		w[i] *= f
	}
	return w
}

func dot(a, b *forecast.Terms) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func score(all []sample, w forecast.Terms) float64 {
	var sum, weight float64
	for i := range all {
		s := &all[i]
		up, down := dot(&w, &s.up), dot(&w, &s.down)
		sum += s.weight * (up + down + missed*max(0, s.off-up, -s.off-down))
		weight += s.weight
	}
	return sum / weight
}

// conformal returns the factor that makes intervals hold the level's share.
func conformal(all []sample, w forecast.Terms) float64 {
	type scored struct{ score, weight float64 }
	var v []scored
	total := 0.0
	for i := range all {
		s := &all[i]
		half := dot(&w, &s.up)
		if s.off < 0 {
			half = dot(&w, &s.down)
		}
		r := 0.0
		if s.off != 0 {
			r = math.Abs(s.off) / half
		}
		v = append(v, scored{r, s.weight})
		total += s.weight
	}
	slices.SortFunc(v, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	sum := 0.0
	for _, s := range v {
		if sum += s.weight; sum >= level*total {
			return s.score
		}
	}
	return v[len(v)-1].score
}

// learnRuns returns the factor that makes the intervals of two or more runs hold the next run.
func learnRuns(k *forecast.Calibration, curves []Curve) float64 {
	var all []sample
	for _, runs := range []int{2, 3} {
		p := Protocol{"", again(runs)}
		var c forecast.Curve
		set := -1
		for _, h := range p.Cases(curves, timed) {
			if h.Set != set {
				c, _ = k.New(h.Points, h.Curve.Resolution)
				set = h.Set
			}
			f := c.At(h.Held.Size)
			half := math.Log(float64(f.High / f.Middle))
			all = append(all, sample{math.Log(float64(h.Held.Time / f.Middle)), forecast.Terms{half}, forecast.Terms{half}, h.Weight})
		}
	}
	if len(all) == 0 {
		return 1
	}
	return conformal(all, forecast.Terms{1})
}
