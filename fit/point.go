package fit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// exactly returns t without an interval. The bound of 0 to +Inf marks a value that was measured
// once, or is only a bound, so that nothing is known of its scatter.
func exactly(t quantity.Micros) quantity.Interval {
	return quantity.Interval{Value: float64(t), Low: 0, High: math.Inf(1)}
}

// around returns v ± d, with the lower end limited to 0: no time is negative.
func around(v, d float64) quantity.Interval {
	return quantity.Interval{Value: v, Low: max(0, v-d), High: v + d}
}

// A Point is one size with its measured and its fitted time.
type Point struct {
	Size   quantity.Bytes
	Time   quantity.Micros // measured, the mean of Count rows; one way
	Fitted quantity.Micros
	// Min and Max are the smallest and largest measured time.
	Min, Max quantity.Micros
	Count    int64
	// Deviation is the standard deviation of the rows over their mean; 0 with one.
	Deviation float64
	Rounded   float64 // of the time, by a rate of one or two digits, as a part of it; else 0
	Segment   int     // index into Result.Segments
	Line      int     // in the file
}

// Error returns (fitted − measured) / measured.
func (p Point) Error() float64 { return float64(p.Fitted-p.Time) / float64(p.Time) }

// ErrNoData is returned, wrapped with the reason, for a table that cannot be fitted at all.
var ErrNoData = errors.New("cannot be fitted")

// prepare returns the points of a table by size, at least two, and warnings about them.
func prepare(t *benchfile.Table) (
	points []Point, kind benchfile.Kind, warnings []string, err error) {
	points, kind, warnings, err = pointsOf(t)
	if err != nil || len(points) >= 2 {
		return points, kind, warnings, err
	}
	what := "no size above 0"
	if len(points) == 1 {
		what = fmt.Sprintf("one size only (%v)", points[0].Size)
	} else if len(t.Bursts) > 0 {
		return nil, 0, nil, fmt.Errorf("%s: %w by sizes: these are bursts of messages, "+
			"a signature, which the model logp fits, with the round trip (rtt) for L",
			t.Name(), ErrNoData)
	}
	return nil, 0, nil, fmt.Errorf("%s: %w: %s; a line takes at least 2 sizes, "+
		"and 10 over a factor of 100 to be trusted", t.Name(), ErrNoData, what)
}

// pointsOf returns the points of a table by size, and warnings about them. Times of round trips are
// halved. Empty messages are omitted, since systems send them by another path and a logarithmic
// axis cannot show them.
func pointsOf(t *benchfile.Table) (
	points []Point, kind benchfile.Kind, warnings []string, err error) {
	scale, kind := quantity.Micros(1), t.Kind
	if kind == benchfile.RoundTrip {
		scale, kind = 0.5, benchfile.OneWay
		warnings = append(warnings, "the times are round trips: halved")
	}
	empty := false
	for _, s := range t.Samples {
		if s.Size == 0 {
			empty = true
			continue
		}
		if !positive(float64(s.Size)) || !positive(float64(s.Mean)) {
			return nil, 0, nil, fmt.Errorf("%s: %w: size %v takes %v µs",
				t.Name(), ErrNoData, s.Size, float64(s.Mean))
		}
		points = append(points, Point{
			Size: s.Size, Time: s.Mean * scale, Min: s.Min * scale, Max: s.Max * scale,
			Count: max(s.Count, 1), Line: s.Line,
			Deviation: math.Sqrt(max(0, s.Variance)) / float64(s.Mean), Rounded: s.Rounded,
		})
	}
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
	if empty {
		warnings = append(warnings, "the empty message (size 0) is left out")
	}
	return points, kind, warnings, nil
}

// positive reports whether v is a finite number above 0.
func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

// resolution returns the resolution of the table's one-way times, in µs.
func resolution(t *benchfile.Table) float64 {
	if t.Kind == benchfile.RoundTrip {
		return float64(t.Quantum) / 2
	}
	return float64(t.Quantum)
}

// Runs merges tables that are runs of one measurement and of one kind. Each size that all tables
// have gets one sample, with the mean of the runs and their scatter. Tables of several kinds are an
// error; none, or none with a common size, give [ErrNoData].
func Runs(tables ...*benchfile.Table) (*benchfile.Table, error) {
	if len(tables) == 0 {
		return nil, fmt.Errorf("%w: no runs", ErrNoData)
	}
	all := *tables[0]
	all.Samples, all.Rows = nil, 0
	for _, t := range tables {
		if t.Kind != all.Kind {
			return nil, fmt.Errorf("%s and %s are not runs of one measurement: a %v and a %v",
				all.Name(), t.Name(), all.Kind, t.Kind)
		}
		all.Quantum = max(all.Quantum, t.Quantum)
		all.Rows += t.Rows
	}
	bySize := map[quantity.Bytes][]benchfile.Sample{}
	for _, t := range tables {
		for _, s := range t.Samples {
			bySize[s.Size] = append(bySize[s.Size], s)
		}
	}
	for _, first := range tables[0].Samples {
		runs := bySize[first.Size]
		if len(runs) < len(tables) {
			continue
		}
		s := first
		s.Count, s.Mean, s.Variance, s.Median = int64(len(runs)), 0, 0, 0
		for _, r := range runs {
			s.Mean += r.Mean / quantity.Micros(len(runs))
			s.Min, s.Max = min(s.Min, r.Min), max(s.Max, r.Max)
		}
		for _, r := range runs {
			s.Variance += math.Pow(float64(r.Mean-s.Mean), 2) / math.Max(1, float64(len(runs)-1))
		}
		all.Samples = append(all.Samples, s)
	}
	if len(all.Samples) == 0 {
		return nil, fmt.Errorf("%w: the %d runs have no size in common", ErrNoData, len(tables))
	}
	return &all, nil
}
