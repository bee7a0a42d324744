package main

import (
	"maps"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// A local selects measurements for all calls, and decides each call by the measurements nearest to
// it, as reports/tune does.
type local struct {
	*tuner.Tuner
	all   []tuner.Candidate
	prior tuner.Prior
	part  float64 // of losses that is real, since the last measurement
	seen  []tuner.Measurement
	is    map[int]bool         // measured
	of    map[int]*tuner.Tuner // by call, since the last measurement
}

func newLocal(all []tuner.Candidate, prior tuner.Prior) method {
	return &local{Tuner: tuner.New(all, prior), all: all, prior: prior, is: map[int]bool{}}
}

func (l *local) Add(more []tuner.Measurement) {
	l.Tuner.Add(more)
	l.seen = append(l.seen, more...)
	for _, m := range more {
		l.is[m.Candidate] = true
	}
	l.of = map[int]*tuner.Tuner{}
}

// at returns the tuner of a call.
func (l *local) at(call int) *tuner.Tuner {
	if len(l.of) == 0 {
		l.part = tuner.Part(l.measured(), l.all, l.seen, l.prior)
	}
	if l.of[call] == nil {
		of := l.Calls()[call]
		near := tuner.Nearest(l.all[of[0]], l.all, l.seen, l.prior)
		l.of[call] = tuner.Local(of, l.all, near, l.prior)
	}
	return l.of[call]
}

// measured returns the measured candidates of calls of which several were measured.
func (l *local) measured() (all [][]int) {
	for _, call := range slices.Sorted(maps.Keys(l.Calls())) {
		of := slices.DeleteFunc(slices.Clone(l.Calls()[call]), func(i int) bool { return !l.is[i] })
		if len(of) > 1 {
			all = append(all, of)
		}
	}
	return all
}

func (l *local) Choose(call int) int { return l.Calls()[call][l.at(call).Choose(call)] }

func (l *local) Loss(i int, contrasts ...tuner.Contrast) float64 {
	call := l.all[i].Call
	loss := l.at(call).Loss(slices.Index(l.Calls()[call], i), contrasts...)
	return l.part * loss
}

// inside returns the share of the times that were not measured, but for those of the library's
// choices, which lie within their intervals; NaN if the method has no intervals.
func (s *set) inside(m method) float64 {
	l, has := m.(*local)
	if !has {
		return math.NaN()
	}
	within, n := 0., 0.
	for call, of := range l.Calls() {
		for k, i := range of {
			if l.is[i] || l.all[i].Library {
				continue
			}
			_, low, high := l.at(call).Interval(k)
			if n++; low <= s.times[i] && s.times[i] <= high {
				within++
			}
		}
	}
	return within / n
}
