package collectives

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/ask/fits"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// measured compares a model with measurements, in the order of the files' data, ranks and sizes.
type measured struct {
	on      string // the platform of the model, in words
	cells   []measuredCell
	errors  []measuredErrors // of each data
	notes   []string         // doubts about the files
	without int              // measurements for which the model has no time
}

// A measuredCell is one measured call with its modelled time.
type measuredCell struct {
	of *fitted.Data // that the call is of
	fitted.Point
	// modelled is the algorithm of the model's time: the measured one, or the model's best where
	// the library chose.
	modelled string
	model    quantity.Micros // of the same statistic
}

// relative returns (model − measured)/measured.
func (c measuredCell) relative() float64 { return float64(c.model-c.Time) / float64(c.Time) }

// measuredErrors sums up the cells of one data. Medians, since a few disturbed calls
// are usual; the signed one shows whether the model is too slow or too fast as a
// whole.
type measuredErrors struct {
	label                 string
	cells                 int
	median, signed, worst float64 // of |error|, of the error, of |error|; as fractions
	worstAt               measuredCell
	// unsteady is the largest fraction by which a larger message on the same ranks took less.
	unsteady float64
}

// A model with a median error above maxMiss does not describe the times. Drops above maxUnsteady
// are more than a change of the protocol causes, so the times were disturbed.
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
// name one. The errors are those of reading, and of Compute; a damaged file also has an answer.
func CompareMeasured(ctx context.Context, q Asker, files MeasuredFiles) (
	*measured, error) {
	asked := q.calls()
	// A file that does not name its collective is taken to have the one that was asked for.
	files.Fit.Measured.Collective, files.Fit.Trace.Collective = asked.Collective, asked.Collective
	in, err := fits.ReadFit(files.Paths, files.Fit)
	if err != nil {
		return nil, err
	}
	all, notes, err := fits.MeasuredSeries(in.Sources, files.Fit.Measured)
	if err != nil {
		return nil, cmp.Or(in.Broken, err)
	}
	answer := &measured{notes: slices.Concat(in.Notes, notes)}
	var unasked []string
	for _, d := range all {
		if d.Collective != fits.CanonicalOf(asked.Collective) {
			unasked = append(unasked, d.Collective)
			continue
		}
		if files.Statistic != "" && files.Statistic != d.Statistic {
			continue
		}
		if !asked.several() {
			// A file need not name its algorithm; the user who asks for one knows it.
			d.Algorithm = cmp.Or(d.Algorithm, asked.Algorithm)
			if d.Foreign != "" || d.Algorithm != asked.Algorithm {
				continue
			}
		}
		if err := answer.add(ctx, q, &d); err != nil {
			return nil, err
		}
	}
	if len(answer.cells) > 0 {
		return answer, in.Broken
	}
	if len(unasked) > 0 {
		return nil, fmt.Errorf("no file has a measurement of %s; they have %s",
			asked.Collective, strings.Join(stats.Ascending(unasked), ", "))
	}
	err = errors.New("no file has a measurement of these ranks, sizes, algorithm and statistic; " +
		"omit them to use all measurements")
	return nil, usage.Fields(err, "ranks", "size", "algorithm", "statistic")
}

// add adds the cells of data: the question is asked about the ranks and sizes of its
// points, with the algorithm that was measured or, if the library chose, with all.
func (a *measured) add(ctx context.Context, q Asker, d *fitted.Data) error {
	calls := q.calls()
	unasked := func(p fitted.Point) bool {
		return len(calls.Ranks) > 0 && !slices.Contains(calls.Ranks, p.Ranks) ||
			len(calls.Sizes) > 0 && !slices.Contains(calls.Sizes, p.Size)
	}
	points := slices.DeleteFunc(slices.Clone(d.Points), unasked)
	if len(points) == 0 {
		return nil
	}
	calls.Algorithm, calls.Ranks, calls.Sizes = cmp.Or(d.Algorithm, "all"), nil, nil
	for _, p := range points {
		calls.Ranks, calls.Sizes = append(calls.Ranks, p.Ranks), append(calls.Sizes, p.Size)
	}
	times, err := q.about(calls, false).Compute(ctx)
	if err != nil {
		return err
	}
	a.on = times.On
	// A timing that was not compared is the only one of its call.
	best := map[place]Timing{}
	for _, c := range times.Times {
		if !c.Compared || c.Best {
			best[c.place()] = c
		}
	}
	var cells []measuredCell
	for _, p := range points {
		c, ok := best[place{p.Ranks, p.Size}]
		t := c.Time
		if d.Statistic == fitted.Average {
			t = c.Average
		}
		// The schedule was too large, or one rank was simulated for all and has no average.
		if !ok || math.IsNaN(float64(t)) {
			a.without++
			continue
		}
		cells = append(cells, measuredCell{of: d, Point: p, modelled: c.Name, model: t})
	}
	if len(cells) > 0 {
		a.errors = append(a.errors, sumUp(d.Label(), cells))
	}
	a.cells = append(a.cells, cells...)
	return nil
}

// sumUp sums up the errors of cells, whose sizes ascend for each number of ranks, as
// fitted.Data has them.
func sumUp(label string, cells []measuredCell) measuredErrors {
	m := measuredErrors{label: label, cells: len(cells)}
	var size, signed []float64
	most := map[int]quantity.Micros{} // by ranks
	for _, c := range cells {
		// Sizes ascend, so a time below an earlier one is a larger message that took less.
		most[c.Ranks] = max(most[c.Ranks], c.Time)
		m.unsteady = max(m.unsteady, 1-float64(c.Time/most[c.Ranks]))
		e := c.relative()
		signed, size = append(signed, e), append(size, math.Abs(e))
		if math.Abs(e) >= m.worst {
			m.worst, m.worstAt = math.Abs(e), c
		}
	}
	m.median, m.signed = stats.Median(size), stats.Median(signed)
	return m
}

// MeasuredRows tabulates the cells, with the errors by algorithm in notes.
func MeasuredRows(a *measured) reports.Rows {
	type cell = measuredCell
	col := reports.Col[cell]
	named := slices.ContainsFunc(a.cells, func(c cell) bool { return c.of.Name != "" })
	signed := reports.PercentText("%+.1f %%")
	rows := reports.TableOf(a.cells,
		col("collective", "", func(c cell) any { return c.of.Collective }),
		col("series", reports.HeadIf(named, "series"),
			func(c cell) any { return c.of.Name }).Ranked(4),
		col("algorithm", "measured",
			func(c cell) any { return reports.OrNil(cmp.Or(c.of.Algorithm, c.of.Foreign)) }),
		col("modelled_algorithm", "model", func(c cell) any { return c.modelled }).Ranked(3),
		col("statistic", "statistic", func(c cell) any { return string(c.of.Statistic) }),
		col("ranks", "ranks", func(c cell) any { return c.Ranks }),
		col("size_bytes", "size", func(c cell) any { return c.Size }),
		col("measured_us", "measured", func(c cell) any { return c.Time }),
		col("measured_deviation_percent", "", func(c cell) any { return 100 * c.Deviation }),
		col("model_us", "model", func(c cell) any { return c.model }),
		col("error_percent", "error",
			func(c cell) any { return 100 * c.relative() }).Texted(signed),
	)
	for _, e := range a.errors {
		rows.Notes = append(rows.Notes, e.note())
	}
	if a.without > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("%d measurements left out: the schedule "+
			"is too large to simulate, or is that of one rank, which has no average.", a.without))
	}
	rows.Notes = append(rows.Notes, a.notes...)
	rows.Notes = append(rows.Notes, a.on,
		"If the measured algorithm is not known here, the model is its own best.")
	return rows
}

// note describes the errors in words.
func (m measuredErrors) note() string {
	percent := func(part float64) string { return reports.PercentError(100 * part) }
	note := fmt.Sprintf("%s: median error %s (%s), worst %s on %d ranks at %s, of %d times",
		m.label, percent(m.median), reports.PercentText("%+.1f %%")(100*m.signed),
		percent(m.worst), m.worstAt.Ranks, m.worstAt.Size, m.cells)
	if m.unsteady > maxUnsteady {
		note += "; the times are unsteady: a larger message takes up to " +
			percent(m.unsteady) + " less"
	}
	if m.median > maxMiss {
		note += "; the model does not describe these times: do not rely on it for this machine"
	}
	return note
}
