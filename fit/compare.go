package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Change is a range of neighbouring sizes whose times differ alike between two results.
type Change struct {
	// From and To are the first and last of Sizes sizes that both results have.
	From, To quantity.Bytes
	Sizes    int
	// Ratio is the median of the second time over the first, with the least and the greatest: 1.1
	// is 10 % slower.
	Ratio quantity.Interval
	// MostAt is the first of the sizes that differ most.
	MostAt quantity.Bytes
	// Lone is the number of sizes that differ by more than runs do, but without enough neighbours.
	Lone int
	// Unseen holds the ratios that another run of the unchanged system may have: a change within it
	// cannot be seen. It is the widest of the sizes, 0 to +Inf if nothing says how far runs differ.
	Unseen quantity.Interval
	// Real reports that the times changed: see [Compare].
	Real bool
}

const (
	// runSpread is the number of half widths of the interval of the next run, in logarithms, that a
	// change exceeds. One half width holds a single size in 95 of 100 runs. All sizes of a run
	// deviate together, and the most deviant neighbours count: TestUnchanged has how often pairs of
	// unchanged runs exceed 2.
	runSpread = 2
	// alike is the number of neighbouring sizes that a change has at least. One or two may be
	// outliers.
	alike = minPoints
)

// Compare compares the times of two results at the sizes that both have. Times changed where three
// neighbouring sizes or more all got slower, or faster, by more than twice the 95 % interval of the
// next run. That interval comes from the result with more runs: from the differences of these runs
// or, if there is one, from the scatter of the curve and the differences of runs on published
// machines ([forecast.Curve]); of two with as many runs it is the wider one. Of fewer than five
// sizes no interval is known, and no change is seen. Results without a common size are an error.
func Compare(before, after *Result) ([]Change, error) {
	var next []platforms.Layer
	for _, r := range []*Result{before, after} {
		if r.runs() == max(before.runs(), after.runs()) {
			next = append(next, platforms.FittedLayer(&model.Linear{}, r.timed(), r.points(), 0))
		}
	}
	var all []compared
	for _, p := range before.Points {
		i, both := slices.BinarySearchFunc(after.Points, p.Size,
			func(q Point, n quantity.Bytes) int { return cmp.Compare(q.Size, n) })
		if !both {
			continue
		}
		c := compared{size: p.Size}
		c.ratio = float64(after.Points[i].Time / p.Time)
		for _, l := range next {
			factor := math.Inf(1)
			if f, err := l.Next(p.Size); err == nil && f != nil {
				factor = math.Pow(f.High/f.Value, runSpread)
			}
			c.factor = max(c.factor, factor)
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s and %s have no sizes in common: %s, and %s",
			before.Name, after.Name, before.measured(), after.measured())
	}
	return changesOf(all), nil
}

// compared holds the ratio of the times of a size, and the factor by which runs differ.
type compared struct {
	size          quantity.Bytes
	ratio, factor float64
	way           int // 1 slower, −1 faster, 0 unchanged
}

// beyond returns 1 for a size that is slower by more than runs differ, −1 for one that is faster.
func (c compared) beyond() int {
	switch {
	case c.ratio > c.factor:
		return 1
	case c.ratio < 1/c.factor:
		return -1
	}
	return 0
}

// changesOf joins neighbouring sizes that changed in one direction, and those that did not.
func changesOf(all []compared) (changes []Change) {
	for _, way := range []int{1, -1} {
		for i := range len(all) - alike + 1 {
			same := all[i : i+alike]
			if !slices.ContainsFunc(same, func(c compared) bool { return c.beyond() != way }) {
				for j := range same {
					same[j].way = way
				}
			}
		}
	}
	for len(all) > 0 {
		end := slices.IndexFunc(all, func(c compared) bool { return c.way != all[0].way })
		if end < 0 {
			end = len(all)
		}
		ratios := list.Map(all[:end], func(c compared) float64 { return c.ratio })
		factor := slices.Max(list.Map(all[:end], func(c compared) float64 { return c.factor }))
		most := slices.MaxFunc(all[:end], func(a, b compared) int {
			return cmp.Compare(math.Abs(math.Log(a.ratio)), math.Abs(math.Log(b.ratio)))
		}).size
		lone := 0
		for _, c := range all[:end] {
			if c.way == 0 && c.beyond() != 0 {
				lone++
			}
		}
		changes = append(changes, Change{
			MostAt: most, Lone: lone,
			From: all[0].size, To: all[end-1].size, Sizes: end, Real: all[0].way != 0,
			Ratio: quantity.Interval{
				Value: stats.Median(ratios), Low: slices.Min(ratios), High: slices.Max(ratios)},
			Unseen: quantity.Interval{Value: 1, Low: 1 / factor, High: factor},
		})
		all = all[end:]
	}
	return changes
}

// measured returns the range of measured sizes: "1 B to 4 MiB".
func (r *Result) measured() string {
	return fmt.Sprintf("%v to %v", r.Points[0].Size, r.Points[len(r.Points)-1].Size)
}
