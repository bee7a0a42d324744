package tuner

import (
	"math"
	"slices"
)

// Without returns the measurements nearest to a call, of which these candidates were measured, but
// for its own: as if the call was not measured.
func Without(call []int, all []Candidate, seen []Measurement, prior Prior) []Measurement {
	own := func(m Measurement) bool { return slices.Contains(call, m.Candidate) }
	return Nearest(all[call[0]], all, slices.DeleteFunc(slices.Clone(seen), own), prior)
}

// checked is the number of a call that is checked: those that are not asked about may share one.
const checked = math.MinInt

// unseen is the part of the losses of choices without a call's own measurements that choices have
// with them. On the half of the machines that numbers are chosen on, 0.89, 1.25 and 1.08 times the
// losses from 5, 10 and 25 % of the points are then stated; docs/tables/tune.csv has them.
const unseen = 0.85

// Part returns the part of losses that was real at measured calls, each by its measured
// candidates. The choice among these is made without any measurement of the call: what it loses,
// over what it is expected to lose. Candidates without a schedule do not count. The part of no call
// is 1, which counts as the prior's Weight of calls.
func Part(calls [][]int, all []Candidate, seen []Measurement, prior Prior) float64 {
	times := map[int]float64{}
	for _, m := range seen {
		times[m.Candidate] = m.Time
	}
	unknown := func(candidate int) bool { return all[candidate].Schedule == "" }
	var lost, expected, n float64
	for _, call := range calls {
		near := slices.DeleteFunc(Without(call, all, seen, prior), func(m Measurement) bool {
			return unknown(m.Candidate)
		})
		of := slices.DeleteFunc(slices.Clone(call), unknown)
		if len(of) < 2 || len(near) == 0 {
			continue
		}
		alone := slices.Clone(all)
		for _, i := range of {
			alone[i].Call = checked
		}
		losses := Local(of, alone, near, prior).losses(checked, nil)
		choice, least := 0, math.Inf(1)
		for i, l := range losses {
			least = min(least, times[of[i]])
			if l < losses[choice] {
				choice = i
			}
		}
		lost, expected, n = lost+times[of[choice]]/least-1, expected+losses[choice], n+1
	}
	if expected == 0 {
		return 1
	}
	usual := prior.Weight * expected / n
	return (unseen*lost + usual) / (expected + usual)
}
