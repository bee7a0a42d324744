package main

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// A nearest is the simplest rival: a schedule's time times the ratio of the measurements nearby,
// most of all those of the same algorithm. It measures what it believes to be the fastest of each
// call, then the second fastest, and so on.
type nearest struct {
	all   []tuner.Candidate
	calls byCall
	log   map[int]float64 // logarithm of a measured time over that of the schedule
}

func newNearest(s *set) method {
	n := &nearest{all: s.all, calls: s.calls(), log: map[int]float64{}}
	// Calls at the middle first, and then between those.
	order := n.calls.order
	n.calls.order = nil
	for step := len(order); step > 0; step /= 2 {
		for i := step / 2; i < len(order); i += step {
			if !slices.Contains(n.calls.order, order[i]) {
				n.calls.order = append(n.calls.order, order[i])
			}
		}
	}
	return n
}

func (n *nearest) predict(i int) float64 {
	c := &n.all[i]
	schedule := math.Log(c.Parts.Sum())
	if own, measured := n.log[i]; measured {
		return schedule + own
	}
	sum, weights := 0.0, 0.0
	for j := range n.all { // in this order, so that sums are the same in each run
		log, measured := n.log[j]
		if !measured {
			continue
		}
		o := &n.all[j]
		w := math.Exp(-math.Abs(math.Log2(o.Size/c.Size))/2 -
			math.Abs(math.Log2(o.Ranks/c.Ranks)))
		for _, alike := range []bool{o.Group == c.Group, o.Group == c.Group &&
			o.Schedule == c.Schedule, o.Group == c.Group && o.Variant == c.Variant} {
			if !alike {
				w /= 10
			}
		}
		sum, weights = sum+w*log, weights+w
	}
	if weights == 0 {
		return schedule
	}
	return schedule + sum/weights
}

func (n *nearest) ranked(call int) []int {
	all, time := slices.Clone(n.calls.of[call]), map[int]float64{}
	for _, i := range all {
		time[i] = n.predict(i)
	}
	slices.SortStableFunc(all, func(a, b int) int { return cmp.Compare(time[a], time[b]) })
	return all
}

func (n *nearest) Next(_ context.Context, most int, _ func(done, total int)) (next []int, _ error) {
	out, count := map[int]bool{}, map[int]int{}
	for i := range n.log {
		out[i] = true
		count[n.all[i].Call]++
	}
	for round := range len(n.all) {
		for _, call := range n.calls.order {
			if len(next) == most {
				return next, nil
			}
			if count[call] > round {
				continue
			}
			for _, i := range n.ranked(call) {
				if !out[i] {
					next, out[i] = append(next, i), true
					count[call]++
					break
				}
			}
		}
	}
	return next, nil
}

func (n *nearest) Add(more []tuner.Measurement) {
	for _, m := range more {
		n.log[m.Candidate] = math.Log(m.Time / n.all[m.Candidate].Parts.Sum())
	}
}

func (n *nearest) Choose(call int) int { return n.ranked(call)[0] }

// Loss is not stated.
func (n *nearest) Loss(int, ...tuner.Contrast) float64 { return math.NaN() }
