package calibrate

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A pass is a row of a case.
type pass struct {
	times [6]float64 // from median to average
	mark  int        // number of marks before it
}

// A calibrationReader collects the lines of a calibration. Rows of several passes of
// a case may be anywhere in the file: calibrate.c goes through all cases in each
// pass, so that a disturbance hits one pass of many cases and not all passes of one.
type calibrationReader struct {
	Calibration
	index   map[Measurement]int // of a case in Rows
	passes  [][]pass            // of each row
	marks   [2][]float64        // times in µs that show the state of the hosts: see states.go
	header  int                 // number of the line Header
	foreign int                 // lines of the job's script or of mpirun
	ended   bool                // whether the last line of a whole run has come
}

// A host has two states if the times of a message are in two groups, each of at least an eighth of
// the marks. The medians of the groups differ by a ratio of at least 1.3, and no mark is within
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

// maxTime bounds times, in µs: eleven days. The median is at least 0. Other times of a stream may
// be negative, since the time of a single message is subtracted, and may have been disturbed.
const maxTime = 1e12

// addMarks reads the times of a mark: of 8 B, and of 16 KiB in memory that was sent. The
// second may be missing.
func (c *calibrationReader) addMarks(text string) error {
	fields := strings.Fields(text)
	if len(fields) > len(c.marks) {
		return fmt.Errorf("invalid state %q", text)
	}
	for i, field := range fields {
		t, err := strconv.ParseFloat(field, 64)
		if err != nil || !(t >= 0 && t <= maxTime) {
			return fmt.Errorf("invalid state %q", text)
		}
		c.marks[i] = append(c.marks[i], t)
	}
	return nil
}

// separateStates leaves out the passes of one of two states of the hosts, if there are two: that in
// which fewer cases were measured. A pass is of a state if the marks before and behind it are.
// Means of both would describe neither.
func (c *calibrationReader) separateStates() {
	marks, message := c.marks[0], "8 B"
	between, medians, ok := twoStates(marks)
	if !ok {
		marks, message = c.marks[1], "16 KiB in memory that was sent"
		between, medians, ok = twoStates(marks)
	}
	if !ok || len(marks) != len(c.marks[0]) {
		return
	}
	of := func(p pass) int {
		first, last := max(p.mark-1, 0), min(p.mark, len(marks)-1)
		slow := 0
		for _, mark := range marks[first : last+1] {
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
	if cases == [2]int{} {
		return // no pass is of one state: there are too few to tell them apart
	}
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
	c.Notes = append(c.Notes, remark.TwoStates(float64(medians[0]), float64(medians[1]), message,
		[...]string{"first", "second"}[kept], missing))
}
