package main

import (
	"fmt"
	"io"
	"math"
	"sort"
	"strings"

	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Judge predicts the cases of a question, each with the calibration for its machine. The jumps are
// those of the answers that lie between two protocols.
func Judge(question string, cases []Case, of func(machine string) *forecast.Calibration) (
	all, jumps []judge.Answer) {
	each(cases, of, func(s Case, held forecast.Point, c *forecast.Curve) {
		f := c.At(held.Size)
		all = append(all, judge.Answer{Machine: s.Curve.Machine, Question: question,
			Case: s.name(held.Size), Measured: float64(held.Time), Interval: f.Interval})
		if f.From == forecast.Jump {
			jumps = append(jumps, all[len(all)-1])
		}
	})
	return all, jumps
}

// name says what was given and asked of a curve.
func (s *Case) name(asked quantity.Bytes) string {
	last := len(s.Points) - 1
	return fmt.Sprintf("%s: %v from %v to %v", s.Curve.Name, asked, s.Points[0].Size,
		s.Points[last].Size)
}

// LeaveOut returns a calibration for each machine, made without it: coverage on machines that the
// calibration has seen says nothing about a user's.
func LeaveOut(curves []Curve, use func(*Curve) bool) func(machine string) *forecast.Calibration {
	made, all := map[string]*forecast.Calibration{}, newLessons(curves, use)
	return func(machine string) *forecast.Calibration {
		if made[machine] == nil {
			made[machine] = all.train(func(m string) bool { return m == machine })
		}
		return made[machine]
	}
}

// nodeTime is the time in µs of the smallest message below which both processes share memory: the
// fastest networks take 0.9 µs.
const nodeTime = 0.8

// within reports whether the messages of a latency remain in a node.
func within(c *Curve) bool { return Latency(c) && !c.Planted && c.Points[0].Time < nodeTime }

// Report writes a row for each protocol, as the mean over the machines of each half, or a row for
// each machine of it. Of a machine it takes at most 12 curves, as training does, so that repeats of
// one count no more.
func Report(w io.Writer, curves []Curve, k kind, of func(machine string) *forecast.Calibration,
	machines bool) error {
	use := thin(curves, k.use)
	var scores []judge.Score
	for _, group := range []struct {
		name string
		use  func(*Curve) bool
	}{
		{k.name, func(c *Curve) bool { return use(c) && !c.Planted }},
		{k.name + " within a node", func(c *Curve) bool { return use(c) && within(c) }},
		{k.name + " planted", func(c *Curve) bool { return use(c) && c.Planted }},
	} {
		for _, p := range Protocols {
			name := group.name + ", " + p.Name
			all, jumps := Judge(name, p.Cases(curves, group.use), of)
			if len(all) == 0 {
				continue
			}
			scores = append(scores, judge.ByHalf(name, all)...)
			scores = append(scores, judge.ByHalf(name+", rival", judge.ConstantWidth(all))...)
			if p.between {
				own := ownWidth(name, p.Cases(curves, group.use))
				scores = append(scores, judge.ByHalf(name+", rival of own width", own)...)
			}
			scores = append(scores, judge.ByHalf(name+", jumps", jumps)...)
			// Of planted curves between their sizes, what holds depends on the noise.
			noises := p.between && strings.HasSuffix(group.name, "planted")
			for _, s := range judge.ByMachine(all) {
				if s.Name = name + ", " + s.Name; machines || noises {
					scores = append(scores, s)
				}
			}
		}
	}
	return judge.WriteCSV(w, scores)
}

// Worst writes the answers that are farthest outside of their intervals.
func Worst(w io.Writer, curves []Curve, k kind,
	of func(machine string) *forecast.Calibration) error {
	use := thin(curves, k.use)
	var all []judge.Answer
	for _, p := range Protocols {
		measured := func(c *Curve) bool { return use(c) && !c.Planted }
		answers, _ := Judge(p.Name, p.Cases(curves, measured), of)
		all = append(all, answers...)
	}
	return judge.WriteWorst(w, all)
}

// ownWidth predicts sizes between others by the line through their neighbours, in logarithms. Of a
// curve all intervals have the same width: 95 % of the inner points that are given would be held,
// had each been held out. Across a jump, of more than this width, they end at the neighbours, with
// the median error of these points on top.
func ownWidth(question string, cases []Case) (all []judge.Answer) {
	for _, s := range cases {
		if len(s.Points) < forecast.MinSizes {
			continue
		}
		var errors []float64
		for i := 1; i < len(s.Points)-1; i++ {
			middle := lineThrough(s.Points[i-1], s.Points[i+1], s.Points[i].Size)
			errors = append(errors, math.Abs(math.Log(float64(s.Points[i].Time))-middle))
		}
		half, usual := stats.QuantileOf(errors, judge.Level), stats.QuantileOf(errors, 0.5)
		for _, p := range s.Held {
			i := sort.Search(len(s.Points), func(i int) bool { return s.Points[i].Size > p.Size })
			if i == 0 || i == len(s.Points) {
				continue
			}
			a, b := s.Points[i-1], s.Points[i]
			middle := lineThrough(a, b, p.Size)
			low, high := middle-half, middle+half
			from := math.Log(float64(min(a.Time, b.Time)))
			to := math.Log(float64(max(a.Time, b.Time)))
			if to-from > half {
				low, high = max(low, from-usual), min(high, to+usual)
			}
			all = append(all, judge.Answer{Machine: s.Curve.Machine, Question: question,
				Measured: float64(p.Time), Interval: quantity.Interval{Value: math.Exp(middle),
					Low: math.Exp(low), High: math.Exp(high)}})
		}
	}
	return all
}

// lineThrough returns the logarithm of the time at n on the line through two points, in logarithms.
func lineThrough(a, b forecast.Point, n quantity.Bytes) float64 {
	s := math.Log(float64(n/a.Size)) / math.Log(float64(b.Size/a.Size))
	return (1-s)*math.Log(float64(a.Time)) + s*math.Log(float64(b.Time))
}
