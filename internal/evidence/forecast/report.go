package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/forecast"
)

// A judged is a prediction beside its measurement; high is +Inf without an interval.
type judged struct {
	machine                    string
	size, time, low, mid, high float64
}

// Judge predicts the cases, each with the calibration for its machine.
func Judge(cases []Case, of func(machine string) *forecast.Calibration) (all []judged) {
	each(cases, of, func(s Case, held forecast.Point, c *forecast.Curve) {
		f := c.At(held.Size)
		all = append(all, judged{s.Curve.Machine, float64(held.Size), float64(held.Time),
			f.Low, f.Value, f.High})
	})
	return all
}

// A Score summarises predictions. Right, None and Score are means over machines, Least the
// share of the machine with the fewest measurements in their intervals; errors and widths are
// relative, as fractions: 0.1 is 10 %.
type Score struct {
	Cases, Machines  int
	Right, Least     float64
	MedianError, P90 float64
	Width, WidthP90  float64 // (High − Low) / Value
	Score            float64 // the interval score of the logarithm of the time
	None             float64 // without an interval
}

// missed is the penalty in an interval's score for each unit of a measurement's distance from
// it: 2/α for 95 % (Gneiting and Raftery, Strictly proper scoring rules, JASA 102, 2007, eq.
// 43).
const missed = 40

// Summary returns the score of predictions.
func Summary(all []judged) (s Score) {
	by := map[string][]judged{}
	var errors, widths []float64
	for _, j := range all {
		by[j.machine] = append(by[j.machine], j)
		errors = append(errors, math.Abs(j.mid/j.time-1))
		if !math.IsInf(j.high, 1) {
			widths = append(widths, (j.high-j.low)/j.mid)
		}
	}
	s.Cases, s.Machines, s.Least = len(all), len(by), 1
	scored := 0.0
	for _, m := range slices.Sorted(maps.Keys(by)) {
		var in, n, score float64
		for _, j := range by[m] {
			if math.IsInf(j.high, 1) {
				continue
			}
			n++
			y, low, high := math.Log(j.time), math.Log(j.low), math.Log(j.high)
			if low <= y && y <= high {
				in++
			}
			score += high - low + missed*max(0, low-y, y-high)
		}
		s.None += (1 - n/float64(len(by[m]))) / float64(len(by))
		if n > 0 {
			scored++
			s.Right += in / n
			s.Score += score / n
			s.Least = min(s.Least, in/n)
		}
	}
	s.Right, s.Score = s.Right/scored, s.Score/scored
	s.MedianError, s.P90 = stats.QuantileOf(errors, 0.5), stats.QuantileOf(errors, 0.9)
	s.Width, s.WidthP90 = stats.QuantileOf(widths, 0.5), stats.QuantileOf(widths, 0.9)
	return s
}

// LeaveOut returns a calibration for each machine, made without it: coverage on machines that the
// calibration has seen says nothing about a user's.
func LeaveOut(curves []Curve, use func(*Curve) bool) func(machine string) *forecast.Calibration {
	made := map[string]*forecast.Calibration{}
	return func(machine string) *forecast.Calibration {
		if made[machine] == nil {
			made[machine] = Train(curves, use, func(m string) bool { return m == machine })
		}
		return made[machine]
	}
}

// aside reports whether a machine was kept aside while the methods were chosen: one in four, by a
// hash of its name.
func aside(machine string) bool {
	h := fnv.New32a()
	h.Write([]byte(machine)) // never fails
	return h.Sum32()/5%4 == 0 && !strings.HasPrefix(machine, planted)
}

// nodeTime is the time in µs of the smallest message below which both processes share memory: the
// fastest networks take 0.9 µs.
const nodeTime = 0.8

// within reports whether the messages of a latency remain in a node.
func within(c *Curve) bool { return Latency(c) && !c.Planted && c.Points[0].Time < nodeTime }

// Report writes a row for each protocol, and for each machine of it if machines is set. Of a machine
// it takes at most 12 curves, as training does, so that repeats of one count no more.
func Report(w io.Writer, curves []Curve, k kind, judges func(*Curve) bool,
	of func(machine string) *forecast.Calibration, machines bool) error {
	t := csv.NewWriter(w)
	few := thin(curves, k.use)
	groups := []struct {
		name string
		use  func(*Curve) bool
	}{
		{k.name, func(c *Curve) bool { return few(c) && !c.Planted && judges(c) }},
		{k.name + " within a node", func(c *Curve) bool { return few(c) && within(c) && judges(c) }},
		{k.name + " planted", func(c *Curve) bool { return few(c) && c.Planted }},
	}
	for _, g := range groups {
		for _, p := range Protocols {
			all := Judge(p.Cases(curves, g.use), of)
			write := func(machine string, all []judged) {
				s := Summary(all)
				t.Write([]string{g.name, p.Name, machine, fmt.Sprint(s.Machines),
					fmt.Sprint(s.Cases), percent(s.Right), percent(s.Least),
					percent(s.MedianError), percent(s.P90), percent(s.Width), percent(s.WidthP90),
					fmt.Sprintf("%.3f", s.Score), percent(s.None)})
			}
			if len(all) == 0 {
				continue
			}
			write("", all)
			slices.SortStableFunc(all, func(a, b judged) int { return cmp.Compare(a.machine, b.machine) })
			if machines {
				for own := range chunks(all) {
					write(own[0].machine, own)
				}
			}
		}
	}
	t.Flush()
	return t.Error()
}

func percent(v float64) string { return fmt.Sprintf("%.1f", 100*v) }

// chunks yields the predictions of each machine, which follow each other.
func chunks(all []judged) func(yield func([]judged) bool) {
	return func(yield func([]judged) bool) {
		for len(all) > 0 {
			n := slices.IndexFunc(all, func(j judged) bool { return j.machine != all[0].machine })
			if n < 0 {
				n = len(all)
			}
			if !yield(all[:n]) {
				return
			}
			all = all[n:]
		}
	}
}
