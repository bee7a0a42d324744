package collectives

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/reports/fits"
)

// Measured compares a model with measurements, in the order of the files' series, ranks and sizes.
type Measured struct {
	On      string // the platform of the model, in words
	Cells   []MeasuredCell
	Series  []MeasuredSeries
	Notes   []string // doubts about the files
	Without int      // measurements for which the model has no time
}

// A MeasuredCell is one call with its measured and its modelled time.
type MeasuredCell struct {
	Collective string
	Algorithm  string // as measured; empty: the library's choice
	Series     string // distinguishes series of one algorithm: in-place, mapby=core
	Statistic  fitted.Statistic
	Ranks      int
	Size       quantity.Bytes // as the registry counts: of the message, or of a rank's block
	Measured   quantity.Micros
	Deviation  float64 // standard deviation of repeats over their mean, 0 with one
	// Modelled is the algorithm of the model's time: the measured one, or the model's best where
	// the library chose.
	Modelled string
	Model    quantity.Micros // of the same statistic
}

// Error is (model − measured)/measured.
func (c MeasuredCell) Error() float64 { return float64(c.Model-c.Measured) / float64(c.Measured) }

// A MeasuredSeries sums up the cells of one algorithm and statistic.
type MeasuredSeries struct {
	Label                 string
	Cells                 int
	Median, Signed, Worst float64 // of |error|, of the error, of |error|; as fractions
	WorstAt               MeasuredCell
	// Unsteady is the largest fraction by which a larger message on the same ranks took less.
	Unsteady float64
}

// A model with a median error above maxMiss does not describe the times; drops above maxUnsteady
// are more than protocols cause.
const (
	maxMiss     = 0.3
	maxUnsteady = 0.3
)

// MeasuredFiles are files of collectives, with the options to read them.
type MeasuredFiles struct {
	Paths []string
	// Statistic selects measurements; empty: all.
	Statistic fitted.Statistic
	Fit       fits.Options // Trace, Measured.Ranks and Progress
}

// CompareMeasured compares the files' measurements of the question's collective with the model, at
// the question's ranks and sizes, or at all measured ones if it has none. The question's algorithm
// selects among the measured algorithms; it is also taken as the library's choice if files do not
// name one. The errors are those of reading, and of Compute.
func CompareMeasured(ctx context.Context, q Asker, files MeasuredFiles) (*Measured, error) {
	asked := q.calls()
	files.Fit.Measured.Collective, files.Fit.Trace.Collective = asked.Collective, asked.Collective
	in, err := fits.ReadFit(files.Paths, files.Fit)
	if err != nil {
		return nil, err
	}
	all, notes, err := fits.MeasuredSeries(in.Sources, files.Fit.Measured)
	if err != nil {
		return nil, cmp.Or(in.Broken, err)
	}
	answer := &Measured{Notes: slices.Concat(in.Notes, notes)}
	var unasked []string
	for _, s := range all {
		if s.Collective != fits.CanonicalOf(asked.Collective) {
			unasked = append(unasked, s.Collective)
			continue
		}
		if files.Statistic != "" && files.Statistic != s.Statistic {
			continue
		}
		if !asked.several() {
			if s.Algorithm = cmp.Or(s.Algorithm, asked.Algorithm); s.Algorithm != asked.Algorithm {
				continue
			}
		}
		if err := answer.addSeries(ctx, q, s); err != nil {
			return nil, err
		}
	}
	if len(answer.Cells) == 0 {
		if len(unasked) > 0 {
			return nil, fmt.Errorf("no file has a measurement of %s; they have %s", asked.Collective, strings.Join(stats.Ascending(unasked), ", "))
		}
		return nil, usage.Fields(errors.New("no file has a measurement of these ranks, sizes, algorithm and statistic; omit them to use all measurements"), "ranks", "size", "algorithm", "statistic")
	}
	return answer, in.Broken
}

// addSeries adds the cells of a series.
func (a *Measured) addSeries(ctx context.Context, q Asker, s fitted.Data) error {
	calls := q.calls()
	points := slices.DeleteFunc(slices.Clone(s.Points), func(p fitted.Point) bool {
		return len(calls.Ranks) > 0 && !slices.Contains(calls.Ranks, p.Ranks) || len(calls.Sizes) > 0 && !slices.Contains(calls.Sizes, p.Size)
	})
	if len(points) == 0 {
		return nil
	}
	calls.Algorithm, calls.Ranks, calls.Sizes = cmp.Or(s.Algorithm, "all"), nil, nil
	for _, p := range points {
		calls.Ranks, calls.Sizes = append(calls.Ranks, p.Ranks), append(calls.Sizes, p.Size)
	}
	times, err := q.about(calls, false).Compute(ctx)
	if err != nil {
		return err
	}
	a.On = times.On
	best := map[place]Timing{}
	for _, c := range times.Times {
		if !c.Compared || c.Best {
			best[c.place()] = c
		}
	}
	var cells []MeasuredCell
	for _, p := range points {
		c, ok := best[place{p.Ranks, p.Size}]
		t := c.Time
		if s.Statistic == fitted.Average {
			t = c.Average
		}
		if !ok || math.IsNaN(float64(t)) {
			a.Without++
			continue
		}
		cells = append(cells, MeasuredCell{s.Collective, s.Algorithm, s.Name, s.Statistic, p.Ranks, p.Size, p.Time, p.Deviation, c.Name, t})
	}
	if len(cells) > 0 {
		a.Series = append(a.Series, sumUp(s.Label(), cells))
	}
	a.Cells = append(a.Cells, cells...)
	return nil
}

// sumUp sums up the errors of cells.
func sumUp(label string, cells []MeasuredCell) MeasuredSeries {
	m := MeasuredSeries{Label: label, Cells: len(cells)}
	var size, signed []float64
	most := map[int]quantity.Micros{} // by ranks; sizes ascend
	for _, c := range cells {
		most[c.Ranks] = max(most[c.Ranks], c.Measured)
		m.Unsteady = max(m.Unsteady, 1-float64(c.Measured/most[c.Ranks]))
		e := c.Error()
		signed, size = append(signed, e), append(size, math.Abs(e))
		if math.Abs(e) >= m.Worst {
			m.Worst, m.WorstAt = math.Abs(e), c
		}
	}
	m.Median, m.Signed = stats.Median(size), stats.Median(signed)
	return m
}

// Rows tabulates the cells, with the errors by algorithm in notes.
func (a *Measured) Rows() reports.Rows {
	type cell = MeasuredCell
	named := slices.ContainsFunc(a.Cells, func(c cell) bool { return c.Series != "" })
	rows := reports.TableOf(a.Cells,
		reports.Col("collective", "", func(c cell) any { return c.Collective }),
		reports.Col("series", reports.HeadIf(named, "series"), func(c cell) any { return c.Series }).Ranked(4),
		reports.Col("algorithm", "measured", func(c cell) any { return reports.OrNil(c.Algorithm) }),
		reports.Col("modelled_algorithm", "model", func(c cell) any { return c.Modelled }).Ranked(3),
		reports.Col("statistic", "statistic", func(c cell) any { return string(c.Statistic) }),
		reports.Col("ranks", "ranks", func(c cell) any { return c.Ranks }),
		reports.Col("size_bytes", "size", func(c cell) any { return c.Size }),
		reports.Col("measured_us", "measured", func(c cell) any { return c.Measured }),
		reports.Col("measured_deviation_percent", "", func(c cell) any { return 100 * c.Deviation }),
		reports.Col("model_us", "model", func(c cell) any { return c.Model }),
		reports.Col("error_percent", "error", func(c cell) any { return 100 * c.Error() }).Texted(reports.PercentText("%+.1f %%")),
	)
	for _, s := range a.Series {
		note := fmt.Sprintf("%s: median error %s (%s), worst %s on %d ranks at %s, of %d times",
			s.Label, reports.PercentError(100*s.Median), reports.PercentText("%+.1f %%")(100*s.Signed), reports.PercentError(100*s.Worst), s.WorstAt.Ranks, s.WorstAt.Size, s.Cells)
		if s.Unsteady > maxUnsteady {
			note += fmt.Sprintf("; the times are unsteady: a larger message takes up to %s less", reports.PercentError(100*s.Unsteady))
		}
		if s.Median > maxMiss {
			note += "; the model does not describe these times: do not rely on it for this machine"
		}
		rows.Notes = append(rows.Notes, note)
	}
	if a.Without > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("%d measurements left out: the schedule is too large to simulate, and closed forms have no average over ranks.", a.Without))
	}
	rows.Notes = append(rows.Notes, a.Notes...)
	rows.Notes = append(rows.Notes, a.On, "Where the library chose the algorithm, the model is its own best.")
	return rows
}
