package calibrate

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A pass is a row of a case.
type pass struct {
	times [6]float64 // from median to average
	mark  int        // number of marks before it
}

// A host has two states if the times of a few bytes are in two groups, each of at least an eighth
// of the marks. The medians of the groups differ by a ratio of at least 1.3, and no mark is within
// a ratio of 1.15 between them. Half of each group is within a ratio of 1.3, which the tail of a
// disturbed group is not.
const (
	minShare  = 0.125
	minRatio  = 1.3
	minGap    = 1.15
	maxSpread = 1.3
)

// twoStates returns the time between the two groups of marks, and the medians of these; ok is false
// if there is one group.
func twoStates(marks []float64) (between float64, medians [2]float64, ok bool) {
	sorted := slices.Sorted(slices.Values(marks))
	least := max(int(math.Ceil(minShare*float64(len(sorted)))), 2)
	widest := minGap
	for i := least; i <= len(sorted)-least; i++ {
		low, high := sorted[:i], sorted[i:]
		gap := high[0] / max(low[i-1], minTime)
		a, b := stats.QuantileOf(low, 0.5), stats.QuantileOf(high, 0.5)
		compact := func(s []float64) bool {
			return stats.QuantileOf(s, 0.75) < maxSpread*stats.QuantileOf(s, 0.25)
		}
		if gap > widest && b > minRatio*a && compact(low) && compact(high) {
			widest, between, medians, ok = gap, math.Sqrt(low[i-1]*high[0]), [2]float64{a, b}, true
		}
	}
	return between, medians, ok
}

// separateStates leaves out the passes of one of two states of the hosts, if there are two: that in
// which fewer cases were measured. A pass is of a state if the marks before and behind it are.
// Means of both would describe neither.
func (c *calibrationReader) separateStates() {
	between, medians, ok := twoStates(c.marks)
	if !ok {
		return
	}
	of := func(p pass) int {
		first, last := max(p.mark-1, 0), min(p.mark, len(c.marks)-1)
		slow := 0
		for _, mark := range c.marks[first : last+1] {
			if mark > between {
				slow++
			}
		}
		switch slow {
		case 0:
			return 0
		case last + 1 - first:
			return 1
		}
		return -1
	}
	var cases [2]int
	for _, passes := range c.passes {
		for state := range cases {
			if slices.ContainsFunc(passes, func(p pass) bool { return of(p) == state }) {
				cases[state]++
			}
		}
	}
	kept := 0
	if cases[1] > cases[0] {
		kept = 1
	}
	var rows []Measurement
	var all [][]pass
	missing := 0
	for i, passes := range c.passes {
		passes = slices.DeleteFunc(passes, func(p pass) bool { return of(p) != kept })
		if len(passes) == 0 {
			missing++
			continue
		}
		rows, all = append(rows, c.Rows[i]), append(all, passes)
	}
	c.Rows, c.passes = rows, all
	note := fmt.Sprintf("the hosts had two states during the run, with %.3g and %.3g µs for 8 B; "+
		"the machine describes the %s one, and rows of the other are left out", medians[0],
		medians[1], [...]string{"first", "second"}[kept])
	if missing > 0 {
		note += fmt.Sprintf(", with %d cases that were measured in it alone", missing)
	}
	c.Notes = append(c.Notes, note)
}
