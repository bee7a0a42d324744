package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/known"
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
	// Unclear reports that they differ by more than the interval of the next run, and by no more
	// than two jobs on On do. Runs is the number of runs before and after, each in a job of its
	// own, whose means would show the median ratio.
	Unclear bool
	On      Network
	Runs    int
}

// A Network is a class of networks by how far two jobs on them differ.
type Network string

// The classes of networks.
const (
	Node   Network = "node"   // shared memory
	Fabric Network = "fabric" // of one cluster, as InfiniBand or Slingshot
	Shared Network = "shared" // clouds and Ethernet, with other people's traffic
)

// Networks lists them.
var Networks = []Network{Node, Fabric, Shared}

const (
	// nodeTime and fabricTime are the times of the smallest message up to which one stays in a
	// node, and on a fabric: the fastest networks take 0.9 µs, and Ethernet and clouds 7 µs and
	// more.
	nodeTime, fabricTime = 0.8, 5
)

// Network returns the class of the network of a latency; that of other times, which do not show it,
// is [Shared].
func (r *Result) Network() Network {
	switch {
	case r.timed().Of != platforms.Message || r.Points[0].Time > fabricTime:
		return Shared
	case r.Points[0].Time > nodeTime:
		return Fabric
	}
	return Node
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
// machines ([forecast.Curve]); of two with as many runs it is the wider one. One run each has
// to differ by more than two jobs on such networks do ([known.Numbers]); less than that,
// and more than the interval of the next run, is unclear. Of fewer than five sizes no interval is
// known, and no change is seen. Results without a common size are an error.
func Compare(before, after *Result, on Network) ([]Change, error) {
	var next []platforms.Layer
	jobs, spread := 1.0, float64(runSpread)
	if max(before.runs(), after.runs()) == 1 {
		jobs, spread = known.Machines().Jobs[string(on)], 1
	}
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
				factor = math.Pow(f.High/f.Value, spread)
			}
			c.repeats = max(c.repeats, factor)
		}
		if c.jobs = jobs; jobs == 1 || math.IsInf(c.repeats, 1) {
			c.jobs = c.repeats
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s and %s have no sizes in common: %s, and %s",
			before.Name, after.Name, before.measured(), after.measured())
	}
	changes := changesOf(all)
	for i := range changes {
		changes[i].On = on
		if c := &changes[i]; c.Unclear {
			// The error of a mean of n runs is 1/√n of that of one.
			n := math.Log(jobs) / math.Abs(math.Log(c.Ratio.Value))
			c.Runs = int(max(2, math.Ceil(n*n)))
		}
	}
	return changes, nil
}

// OneSize returns a result without a fit for a table of one size above 0, which [Compare] takes: no
// line goes through one point. Of another table, the error wraps [ErrNoData].
func OneSize(t *benchfile.Table) (*Result, error) {
	points, kind, warnings, err := pointsOf(t)
	if err == nil && len(points) != 1 {
		err = fmt.Errorf("%s: %w: %d sizes, want one", t.Name(), ErrNoData, len(points))
	}
	if err != nil {
		return nil, err
	}
	return &Result{Name: t.Name(), Format: t.Format, Kind: kind, Model: "table",
		Points: points, Warnings: warnings, quantum: resolution(t)}, nil
}

// compared holds the ratio of the times of a size, and the factors by which repeats in a job and
// two jobs may differ.
type compared struct {
	size                 quantity.Bytes
	ratio, repeats, jobs float64
	way                  int  // 1 slower, −1 faster, 0 unchanged
	unclear              bool // beyond repeats, and not beyond jobs
}

// beyond returns 1 for a size that is slower by more than a factor, −1 for one that is faster.
func (c compared) beyond(factor float64) int {
	switch {
	case c.ratio > factor:
		return 1
	case c.ratio < 1/factor:
		return -1
	}
	return 0
}

// mark sets the ways of neighbouring sizes that have none and are all beyond their factors.
func mark(all []compared, unclear bool, factor func(c compared) float64) {
	for _, way := range []int{1, -1} {
		differs := func(c compared) bool { return c.beyond(factor(c)) != way }
		for i := range len(all) - alike + 1 {
			same := all[i : i+alike]
			if slices.ContainsFunc(same, differs) {
				continue
			}
			for j := range same {
				if same[j].way == 0 {
					same[j].way, same[j].unclear = way, unclear
				}
			}
		}
	}
}

// changesOf joins neighbouring sizes that changed in one direction, and those that did not.
func changesOf(all []compared) (changes []Change) {
	mark(all, false, func(c compared) float64 { return c.jobs })
	mark(all, true, func(c compared) float64 { return c.repeats })
	for len(all) > 0 {
		end := slices.IndexFunc(all, func(c compared) bool {
			return c.way != all[0].way || c.unclear != all[0].unclear
		})
		if end < 0 {
			end = len(all)
		}
		ratios := list.Map(all[:end], func(c compared) float64 { return c.ratio })
		factor := slices.Max(list.Map(all[:end], func(c compared) float64 { return c.jobs }))
		most := slices.MaxFunc(all[:end], func(a, b compared) int {
			return cmp.Compare(math.Abs(math.Log(a.ratio)), math.Abs(math.Log(b.ratio)))
		}).size
		lone := 0
		for _, c := range all[:end] {
			if c.way == 0 && c.beyond(c.repeats) != 0 {
				lone++
			}
		}
		changes = append(changes, Change{
			MostAt: most, Lone: lone,
			From: all[0].size, To: all[end-1].size, Sizes: end,
			Real: all[0].way != 0 && !all[0].unclear, Unclear: all[0].unclear,
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
	if len(r.Points) == 1 {
		return r.Points[0].Size.String()
	}
	return fmt.Sprintf("%v to %v", r.Points[0].Size, r.Points[len(r.Points)-1].Size)
}
