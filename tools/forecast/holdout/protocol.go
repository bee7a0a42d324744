package holdout

import (
	"math"
	"slices"
	"sort"

	"github.com/halfpeak/halfpeak/fit/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Case is a measurement that was held back, and the points from which it is to be predicted.
type Case struct {
	Curve *Curve
	// Set tells which cases have the same Points.
	Set    int
	Points []forecast.Point
	Held   forecast.Point
	// Weight lets each machine count alike, however many curves it has.
	Weight float64
}

// A Protocol says which sizes of a curve are held back.
type Protocol struct {
	Name string
	// hold returns the cases of a curve: the indices of held points, and of those that remain.
	hold func(c *Curve, all []Curve) []Case
}

// every holds back every step-th size, for each first one, but neither the smallest nor the
// largest.
func every(step int) func(c *Curve, _ []Curve) []Case {
	return func(c *Curve, _ []Curve) (cases []Case) {
		for phase := range step {
			var rest, held []forecast.Point
			for i, p := range c.Points {
				if i%step == phase && i > 0 && i < len(c.Points)-1 {
					held = append(held, p)
				} else {
					rest = append(rest, p)
				}
			}
			for _, p := range held {
				cases = append(cases, Case{Set: phase, Points: rest, Held: p})
			}
		}
		return cases
	}
}

// gaps holds all but every step-th size back.
func gaps(step int) func(c *Curve, _ []Curve) []Case {
	return func(c *Curve, _ []Curve) (cases []Case) {
		var rest, held []forecast.Point
		for i, p := range c.Points {
			if i%step == 0 || i == len(c.Points)-1 {
				rest = append(rest, p)
			} else {
				held = append(held, p)
			}
		}
		for _, p := range held {
			cases = append(cases, Case{Points: rest, Held: p})
		}
		return cases
	}
}

func largest(k int) func(c *Curve, _ []Curve) []Case {
	return func(c *Curve, _ []Curve) (cases []Case) {
		n := len(c.Points) - k
		for _, p := range c.Points[n:] {
			cases = append(cases, Case{Points: c.Points[:n], Held: p})
		}
		return cases
	}
}

func smallest(k int) func(c *Curve, _ []Curve) []Case {
	return func(c *Curve, _ []Curve) (cases []Case) {
		for _, p := range c.Points[:k] {
			cases = append(cases, Case{Points: c.Points[k:], Held: p})
		}
		return cases
	}
}

// cut holds back the two sizes after each size from 4 KiB on, as if the measurement had ended
// there.
func cut(c *Curve, _ []Curve) (cases []Case) {
	for n := 8; n <= len(c.Points)-2; n++ {
		if c.Points[n-1].Size < 4096 {
			continue
		}
		for _, p := range c.Points[n : n+2] {
			cases = append(cases, Case{Set: n, Points: c.Points[:n], Held: p})
		}
	}
	return cases
}

// few holds back all but so many sizes, evenly spread.
func few(sizes int) func(c *Curve, _ []Curve) []Case {
	return func(c *Curve, _ []Curve) (cases []Case) {
		given := map[int]bool{}
		last := len(c.Points) - 1
		span := math.Log2(float64(c.Points[last].Size / c.Points[0].Size))
		for k := range sizes {
			n := c.Points[0].Size * quantity.Bytes(math.Exp2(float64(k)/float64(sizes-1)*span+0.01))
			i := sort.Search(len(c.Points), func(i int) bool { return c.Points[i].Size > n }) - 1
			given[i] = true
		}
		var rest, held []forecast.Point
		for i, p := range c.Points {
			if given[i] {
				rest = append(rest, p)
			} else {
				held = append(held, p)
			}
		}
		if len(rest) < sizes {
			return nil
		}
		for _, p := range held {
			cases = append(cases, Case{Points: rest, Held: p})
		}
		return cases
	}
}

// upTo64K predicts 1 MiB from the sizes up to 64 KiB.
func upTo64K(c *Curve, _ []Curve) (cases []Case) {
	n := 0
	for n < len(c.Points) && c.Points[n].Size <= 64<<10 {
		n++
	}
	for _, p := range c.Points[n:] {
		if p.Size == 1<<20 && n >= forecast.MinSizes {
			cases = append(cases, Case{Points: c.Points[:n], Held: p})
		}
	}
	return cases
}

// cutFar holds back the size four octaves after each size from 4 KiB on.
func cutFar(c *Curve, _ []Curve) (cases []Case) {
	for n := 8; n <= len(c.Points)-2; n++ {
		if c.Points[n-1].Size < 4096 {
			continue
		}
		for _, p := range c.Points[n:] {
			if p.Size == 16*c.Points[n-1].Size {
				cases = append(cases, Case{Set: n, Points: c.Points[:n], Held: p})
			}
		}
	}
	return cases
}

// again predicts another run at the sizes that were measured, from the runs before it, at most
// runs; with 1, from the one before it.
func again(runs int) func(c *Curve, all []Curve) []Case {
	return func(c *Curve, all []Curve) (cases []Case) {
		var before []*Curve
		for i := range all {
			if all[i].measurement() == c.measurement() && len(all[i].Points) == len(c.Points) {
				if &all[i] == c {
					break
				}
				before = append(before, &all[i])
			}
		}
		if len(before) < runs {
			return nil
		}
		points := together(before[len(before)-runs:])
		for _, p := range c.Points {
			cases = append(cases, Case{Points: points, Held: p})
		}
		return cases
	}
}

// together takes runs of one measurement together.
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
			points[i].Deviation = math.Sqrt(squares / (n - 1))
		}
	}
	return points
}

// Protocols are those that [Report] shows.
var Protocols = []Protocol{
	{"every third size held out", every(3)},
	{"every second size held out", every(2)},
	{"all but every third size held out", gaps(3)},
	{"all but five sizes held out", few(5)},
	{"up to 64 KiB given, 1 MiB", upTo64K},
	{"cut anywhere from 4 KiB on, four octaves on", cutFar},
	{"the two largest sizes held out", largest(2)},
	{"cut anywhere from 4 KiB on, the next two sizes", cut},
	{"the four smallest sizes held out", smallest(4)},
	{"another run at the sizes measured, from one run", again(1)},
	{"another run at the sizes measured, from two runs", again(2)},
	{"another run at the sizes measured, from four runs", again(4)},
}

// Cases returns what the protocol holds back of the curves that are used. Each machine weighs 1.
func (p *Protocol) Cases(curves []Curve, use func(*Curve) bool) (all []Case) {
	set := 0
	total := map[string]float64{}
	distinct := shapesOf(curves, use)
	for i := range curves {
		c := &curves[i]
		if !use(c) {
			continue
		}
		cases := p.hold(c, curves)
		most := 0
		for j := range cases {
			cases[j].Curve = c
			most = max(most, cases[j].Set)
			cases[j].Set += set
			cases[j].Weight = 1 / float64(len(cases))
		}
		if len(cases) > 0 {
			total[c.Machine]++
			set += most + 1
			all = append(all, cases...)
		}
	}
	for i := range all {
		all[i].Weight *= math.Sqrt(distinct[all[i].Curve.Machine]) / total[all[i].Curve.Machine]
	}
	return all
}
