package main

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Case holds measurements of a curve that are held out, and the points that predict
// them. Nothing of Held may reach the prediction; the weight is by machine, since
// some published hundreds of curves and others one.
type Case struct {
	Curve        *Curve
	Points, Held []forecast.Point
	// Weight of each held-out measurement; see [hold.Cases].
	Weight float64
	// curve is that of the points under the first calibration that asked it, or the reason why
	// there is none. Under others it is the same but for its tail.
	curve *forecast.Curve
	err   error
}

// under returns the curve of the points under a calibration.
func (s *Case) under(k *forecast.Calibration) (forecast.Curve, error) {
	if s.curve == nil && s.err == nil {
		c, err := k.New(s.Points, s.Curve.Resolution)
		s.curve, s.err = &c, err
	}
	if s.err != nil {
		return forecast.Curve{}, s.err
	}
	return s.curve.Under(k), nil
}

// A hold returns the cases of a curve, which is one of all.
type hold func(c *Curve, all []Curve) []Case

// A Protocol selects the sizes of a curve that are held out. Together they are the
// questions that users have: between sizes, beyond them, below them, and the same
// sizes again.
type Protocol struct {
	Name string
	hold
	between bool // the sizes that are held out are between others
}

// split predicts the points i with held(i) from the rest.
func split(c *Curve, held func(i int) bool) (s Case) {
	for i, p := range c.Points {
		if held(i) {
			s.Held = append(s.Held, p)
		} else {
			s.Points = append(s.Points, p)
		}
	}
	return s
}

// without holds out the points i of n with held(i, n).
func without(held func(i, n int) bool) hold {
	return func(c *Curve, _ []Curve) []Case {
		return []Case{split(c, func(i int) bool { return held(i, len(c.Points)) })}
	}
}

// gaps holds out all but every step-th size.
func gaps(step int) hold {
	return without(func(i, n int) bool { return i%step != 0 && i < n-1 })
}

func largest(k int) hold { return without(func(i, n int) bool { return i >= n-k }) }

func smallest(k int) hold { return without(func(i, _ int) bool { return i < k }) }

// every holds out every step-th size, for each first one, but neither the smallest nor the largest.
func every(step int) hold {
	return func(c *Curve, _ []Curve) (cases []Case) {
		for phase := range step {
			cases = append(cases, split(c, func(i int) bool {
				return i%step == phase && i > 0 && i < len(c.Points)-1
			}))
		}
		return cases
	}
}

// evenly holds out all but the given number of sizes, evenly spread.
func evenly(sizes int) hold {
	return func(c *Curve, _ []Curve) []Case {
		given := map[int]bool{}
		last := len(c.Points) - 1
		span := math.Log2(float64(c.Points[last].Size / c.Points[0].Size))
		for k := range sizes {
			n := c.Points[0].Size * quantity.Bytes(math.Exp2(float64(k)/float64(sizes-1)*span+0.01))
			above := sort.Search(len(c.Points), func(i int) bool { return c.Points[i].Size > n })
			given[above-1] = true
		}
		if len(given) < sizes {
			return nil
		}
		return []Case{split(c, func(i int) bool { return !given[i] })}
	}
}

// upTo predicts the size to from the sizes up to last.
func upTo(last, to quantity.Bytes) hold {
	return func(c *Curve, _ []Curve) []Case {
		n := sort.Search(len(c.Points), func(i int) bool { return c.Points[i].Size > last })
		if n < forecast.MinSizes {
			return nil
		}
		return []Case{{Points: c.Points[:n], Held: c.ofSize(to)}}
	}
}

// beyond ends the measurement after n sizes, for each n from 4 KiB, and holds out the sizes that
// are octaves above the last one.
func beyond(octaves ...float64) hold {
	return func(c *Curve, _ []Curve) (cases []Case) {
		for n := 8; n < len(c.Points); n++ {
			last := c.Points[n-1].Size
			if last < 4096 {
				continue
			}
			s := Case{Points: c.Points[:n]}
			for _, o := range octaves {
				s.Held = append(s.Held, c.near(last*quantity.Bytes(math.Exp2(o)))...)
			}
			cases = append(cases, s)
		}
		return cases
	}
}

// again predicts another run at the measured sizes, from the given number of runs before it.
func again(runs int) hold {
	return func(c *Curve, all []Curve) []Case {
		var before []*Curve
		for i := range all {
			if all[i].repeats(c) {
				// Only earlier runs are known when a run is predicted.
				if &all[i] == c {
					break
				}
				before = append(before, &all[i])
			}
		}
		if len(before) < runs {
			return nil
		}
		return []Case{{Points: together(before[len(before)-runs:]), Held: c.Points}}
	}
}

// together returns the mean of runs by size, with their relative deviation, as a
// user's repeats.
func together(runs []*Curve) []forecast.Point {
	n := float64(len(runs))
	points := slices.Clone(runs[0].Points)
	for i := range points {
		var mean, squares float64
		for _, r := range runs {
			mean += float64(r.Points[i].Time) / n
		}
		for _, r := range runs {
			d := float64(r.Points[i].Time)/mean - 1
			squares += d * d
		}
		points[i].Time = quantity.Micros(mean)
		points[i].Runs = len(runs)
		if len(runs) > 1 {
			// The sample variance divides by n − 1, since the mean comes from the same runs.
			points[i].Deviation = math.Sqrt(squares / (n - 1))
		}
	}
	return points
}

// lastSizes are the last sizes after which protocols often begin: an octave above each is a
// question of its own.
var lastSizes = []quantity.Bytes{8 * quantity.KiB, 16 * quantity.KiB, 32 * quantity.KiB,
	64 * quantity.KiB, 128 * quantity.KiB, 256 * quantity.KiB, 512 * quantity.KiB, quantity.MiB}

func init() {
	for _, last := range lastSizes {
		Protocols = append(Protocols, Protocol{fmt.Sprintf("up to %v given, %v", last, 2*last),
			upTo(last, 2*last), false})
	}
}

// Protocols lists the protocols of [Report].
var Protocols = []Protocol{
	{"every third size held out", every(3), true},
	{"every second size held out", every(2), true},
	{"all but every third size held out", gaps(3), true},
	{"all but five sizes held out", evenly(5), true},
	{"the two largest sizes held out", largest(2), false},
	// NetPIPE's half octaves are a factor of 1.5.
	{"half an octave above", beyond(math.Log2(1.5)), false},
	{"one octave above", beyond(1), false},
	{"two octaves above", beyond(2), false},
	{"three octaves above", beyond(3), false},
	{"four octaves above", beyond(4), false},
	{"up to 64 KiB given, 256 KiB", upTo(64<<10, 256<<10), false},
	{"up to 64 KiB given, 1 MiB", upTo(64<<10, 1<<20), false},
	{"up to 32 KiB given, 1 MiB", upTo(32<<10, 1<<20), false},
	{"the four smallest sizes held out", smallest(4), false},
	{"another run, from one run", again(1), false},
	{"another run, from two runs", again(2), false},
	{"another run, from four runs", again(4), false},
}

// Cases returns the cases of the curves that use selects. Each machine has the same weight.
func (h hold) Cases(curves []Curve, use func(*Curve) bool) (all []Case) {
	total := map[string]float64{}
	for i := range curves {
		c := &curves[i]
		if !use(c) {
			continue
		}
		cases, held := h(c, curves), 0
		for _, s := range cases {
			held += len(s.Held)
		}
		if held == 0 {
			continue
		}
		total[c.Machine]++
		for _, s := range cases {
			s.Curve, s.Weight = c, 1/float64(held)
			all = append(all, s)
		}
	}
	for i := range all {
		all[i].Weight /= total[all[i].Curve.Machine]
	}
	return all
}

// each calls do for every held-out measurement, with the curve of the points of its
// case under the calibration of its machine; nil omits a machine. Cases without a
// curve, such as too few points, are left out: the command refuses them too.
func each(cases []Case, of func(machine string) *forecast.Calibration,
	do func(s Case, held forecast.Point, c *forecast.Curve)) {
	for i := range cases {
		s := &cases[i]
		k := of(s.Curve.Machine)
		if k == nil {
			continue
		}
		c, err := s.under(k)
		if err != nil {
			continue
		}
		for _, p := range s.Held {
			do(*s, p, &c)
		}
	}
}
