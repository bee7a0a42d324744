package collective

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Comparison compares a model with measurements, in the order of the files' data, ranks and sizes.
type Comparison struct {
	On      string // the platform of the model, in words
	Cells   []ComparedCell
	Errors  []ComparedErrors // of each data
	Notes   []remark.Note    // doubts about the files
	Without int              // measurements for which the model has no time
	Misses  Misses
}

// Misses are the cells that are outside of their intervals.
type Misses struct {
	Cells  int // outside
	Known  int // cells with an interval
	Fitted int // inside, of times that the model was fitted to
	// Ranks are the numbers of ranks of cells outside; empty: all.
	Ranks []int
	Ratio float64 // measured to modelled, in the median of cells outside
}

// A ComparedCell is one measured call with its modelled time.
type ComparedCell struct {
	Data *fitted.Data // that the call is of
	fitted.Point
	// modelled is the algorithm of the model's time: the measured one, or the model's best where
	// the library chose.
	Modelled string
	Model    quantity.Micros // of the same statistic
	InSample bool            // the model was fitted to this measurement
	Interval string          // 95 %, of the model: the time is inside or outside of it; empty: none
}

// Relative returns (model − measured)/measured.
func (c ComparedCell) Relative() float64 { return float64(c.Model-c.Time) / float64(c.Time) }

// Where a measured time is: inside or outside of an interval.
const inside, Outside = "inside", "outside"

// placeIn says where a measured time is; empty if the interval has no finite ends.
func placeIn(i quantity.Interval, t quantity.Micros) string {
	switch {
	case !i.Known() || math.IsNaN(i.High):
		return ""
	case i.Low <= float64(t) && float64(t) <= i.High:
		return inside
	}
	return Outside
}

// ComparedErrors sums up the cells of one data. Medians, since a few disturbed calls
// are usual; the signed one shows whether the model is too slow or too fast as a
// whole.
type ComparedErrors struct {
	Label                 string
	Cells                 int
	Inside, Known         int     // number of cells in their interval, and of those that have one
	InSample              int     // number of cells whose measurements the model was fitted to
	Median, Signed, Worst float64 // of |error|, of the error, of |error|; as fractions
	WorstAt               ComparedCell
	// unsteady is the largest fraction by which a larger message on the same ranks took less.
	Unsteady float64
}

// Measurements are the measured collectives of files.
type Measurements struct {
	Files []string
	// Options say how they are read. A file that does not name its collective is taken to have the
	// one that is asked for.
	Options fit.Options
	// Statistic selects measurements; empty: all.
	Statistic fitted.Statistic
}

// compare compares the measurements of the calls' collective with the model of a design, at
// the calls' ranks and sizes, or at all measured ones if they have none. The calls' algorithms
// select among the measured ones; where files do not name one, the model's best of them is
// compared. The errors are those of [collectives.Basis.TimesOf].
func compare(ctx context.Context, p collectives.Basis, files Measurements) (*Comparison, error) {
	o := files.Options
	o.Measured.Collective, o.Trace.Collective = p.Collective, p.Collective
	in, err := benchmarks.Read(files.Files, o)
	if err != nil {
		return nil, err
	}
	measured, notes, err := benchmarks.SeriesOf(in.Sources, o.Measured)
	if err != nil {
		return nil, cmp.Or(in.Broken, err)
	}
	answer := &Comparison{Notes: slices.Concat(in.LeftOut, in.Notes, notes)}
	var unasked []string
	for _, d := range measured {
		if d.Of.Collective != p.Collective {
			unasked = append(unasked, d.Of.Collective)
			continue
		}
		if files.Statistic != "" && files.Statistic != d.Statistic {
			continue
		}
		if !p.AnyAlgorithm() {
			// A file need not name its algorithm; the user who asks for one knows it.
			names := p.Named()
			if len(names) == 1 {
				d.Of.Name = cmp.Or(d.Of.Name, names[0])
			}
			if d.Foreign != "" || d.Of.Name != "" && !slices.Contains(names, d.Of.Name) {
				continue
			}
		}
		if err := answer.add(ctx, p, &d); err != nil {
			return nil, err
		}
	}
	if len(answer.Cells) > 0 {
		answer.Misses = missesOf(answer.Cells)
		return answer, in.Broken
	}
	if len(unasked) > 0 {
		return nil, fmt.Errorf("no file has a measurement of %s; they have %s",
			p.Collective, strings.Join(stats.Ascending(unasked), ", "))
	}
	if len(measured) == 0 {
		return nil, fmt.Errorf("no measured %s in the files; halfpeak fit says what they have",
			p.Collective)
	}
	if answer.Without > 0 {
		err = fmt.Errorf("the model has no time of %s: it is asked for other ranks a node than "+
			"were measured; give the measured ones",
			quantity.Plural(answer.Without, "measurement"))
		return nil, usage.Fields(err, "ranks-per-node")
	}
	err = errors.New("no file has a measurement of these ranks, sizes, algorithm and statistic; " +
		"omit them to use all measurements")
	return nil, usage.Fields(err, "ranks", "size", "algorithm", "statistic")
}

// add adds the cells of data: the calls are asked again at the ranks and sizes of its points, by
// the algorithm that was measured or, if the library chose, by those asked for.
func (a *Comparison) add(ctx context.Context, p collectives.Basis, d *fitted.Data) error {
	calls := p.Calls
	unasked := func(at fitted.Point) bool {
		return len(calls.Ranks) > 0 && !slices.Contains(calls.Ranks, at.Ranks) ||
			len(calls.Sizes) > 0 && !slices.Contains(calls.Sizes, at.Size)
	}
	points := slices.DeleteFunc(slices.Clone(d.Points), unasked)
	if len(points) == 0 {
		return nil
	}
	calls.Algorithm, calls.Ranks, calls.Sizes = cmp.Or(d.Of.Name, p.Algorithm), nil, nil
	for _, at := range points {
		calls.Ranks, calls.Sizes = append(calls.Ranks, at.Ranks), append(calls.Sizes, at.Size)
	}
	times, err := p.TimesOf(ctx, calls)
	if err != nil {
		return err
	}
	a.On = times.On
	// A timing that was not compared is the only one of its call.
	best := map[Place]Timing{}
	for _, c := range times.Times {
		if !c.Compared || c.Best {
			best[c.Place()] = c
		}
	}
	var cells []ComparedCell
	for _, at := range points {
		c, ok := best[Place{Ranks: at.Ranks, Size: at.Size}]
		t, within := c.Time, c.Within
		if d.Statistic == fitted.Average {
			t, within = c.Average, c.AverageWithin
		}
		// The schedule was too large, or one rank was simulated for all and has no average.
		if !ok || math.IsNaN(float64(t)) {
			a.Without++
			continue
		}
		cells = append(cells, ComparedCell{Data: d, Point: at, Modelled: c.Name, Model: t,
			InSample: p.FittedTo(d, at), Interval: placeIn(within, at.Time)})
	}
	if len(cells) > 0 {
		a.Errors = append(a.Errors, sumUp(d.Label(), cells))
	}
	a.Cells = append(a.Cells, cells...)
	return nil
}

// sumUp sums up the errors of cells, whose sizes ascend for each number of ranks, as
// fitted.Data has them.
func sumUp(label string, cells []ComparedCell) ComparedErrors {
	m := ComparedErrors{Label: label, Cells: len(cells)}
	var size, signed []float64
	most := map[int]quantity.Micros{} // by ranks
	for _, c := range cells {
		// Sizes ascend, so a time below an earlier one is a larger message that took less.
		most[c.Ranks] = max(most[c.Ranks], c.Time)
		m.Unsteady = max(m.Unsteady, 1-float64(c.Time/most[c.Ranks]))
		if c.InSample {
			m.InSample++
		}
		switch c.Interval {
		case inside:
			m.Inside++
			m.Known++
		case Outside:
			m.Known++
		}
		e := c.Relative()
		signed, size = append(signed, e), append(size, math.Abs(e))
		if math.Abs(e) >= m.Worst {
			m.Worst, m.WorstAt = math.Abs(e), c
		}
	}
	m.Median, m.Signed = stats.Median(size), stats.Median(signed)
	return m
}

// missesOf returns the cells outside of their intervals.
func missesOf(cells []ComparedCell) (m Misses) {
	var outside, all []int // ranks
	var ratios []float64
	for _, c := range cells {
		all = append(all, c.Ranks)
		switch {
		case c.Interval == "":
			continue
		case c.Interval == Outside:
			outside, ratios = append(outside, c.Ranks), append(ratios, float64(c.Time/c.Model))
		case c.InSample:
			m.Fitted++
		}
		m.Known++
	}
	if m.Cells = len(outside); m.Cells == 0 {
		return m
	}
	m.Ratio = stats.Median(ratios)
	if on := stats.Ascending(outside); len(on) < len(stats.Ascending(all)) {
		m.Ranks = on
	}
	return m
}
