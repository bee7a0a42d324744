package fits

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A Curve is a fit of time against size, with the table it was made from: a saved
// layer cites the file, and a note names it.
type Curve struct {
	benchmarks.Source
	*fit.Result
}

func sourcesOf(curves []Curve) []benchmarks.Source {
	return list.Map(curves, func(c Curve) benchmarks.Source { return c.Source })
}

// fitCurves fits every table of times against sizes. A folder of results usually has
// some tables that cannot be fitted, so those are noted and skipped; an error is
// returned only if none can be fitted. Then it is the first one, which names its
// table.
//
// Tables of one size are returned as summaries: a benchmark run for a single size is
// valid, and its minimum, median and maximum are what its user wants.
func fitCurves(sources []benchmarks.Source, o fit.Options) (
	curves []Curve, summaries []Summary, notes []remark.Note, err error) {
	var first error
	for _, s := range sources {
		r, err := fitCurve(s.Table, o)
		if err == nil {
			curves = append(curves, Curve{Source: s, Result: r})
			continue
		}
		first = cmp.Or(first, fmt.Errorf("%s: %w", s.Place(), err))
		// An empty message beside one size is no second size: no rate follows from
		// it.
		if n := len(s.Table.Samples); n == 1 || n == 2 && s.Table.Samples[0].Size == 0 {
			for _, sample := range s.Table.Samples {
				summaries = append(summaries, Summary{s, sample})
			}
			continue
		}
		notes = append(notes, remark.Skipped(remark.Warned(err.Error()).About(s.About()).Text))
	}
	if len(curves) == 0 {
		return nil, summaries, notes, first
	}
	// Beside fitted curves, a table of one size is only a note: [Lines.Rows] has one
	// kind of row.
	for _, one := range summaries {
		notes = append(notes, remark.Skipped(one.text()))
	}
	return curves, summaries, notes, nil
}

// fitOrPoints fits tables. If all of them have one size each, their times are compared without a
// fit.
func fitOrPoints(sources []benchmarks.Source, o fit.Options) (
	curves []Curve, notes []remark.Note, err error) {
	curves, single, notes, err := fitCurves(sources, o)
	for _, s := range single {
		if one, no := fit.OneSize(s.Table); err != nil && no == nil {
			curves = append(curves, Curve{s.Source, one})
		}
	}
	if len(curves) > 0 {
		err = nil
	}
	return curves, notes, err
}

// curveModels are the models of time against size, in the order of help. The first is the default.
var curveModels = []struct {
	name string
	fit  func(t *benchfile.Table, o fit.Options) (*fit.Result, error)
}{
	{"auto", func(t *benchfile.Table, _ fit.Options) (*fit.Result, error) {
		return fit.Auto(t)
	}},
	{"linear", func(t *benchfile.Table, o fit.Options) (*fit.Result, error) {
		return fit.Linear(t, o.Method)
	}},
	{"piecewise", func(t *benchfile.Table, o fit.Options) (*fit.Result, error) {
		return fit.Piecewise(t, o.Segments)
	}},
	{"per-size", func(t *benchfile.Table, _ fit.Options) (*fit.Result, error) {
		return fit.PerSize(t)
	}},
}

// Models lists what can be fitted, as --model names it, in the order of help: models
// of messages by size, then models with the field's parameters, then collectives.
var Models = func() (names []string) {
	for _, m := range curveModels {
		names = append(names, m.name)
	}
	return append(names, "loggp", "logp", "pipeline", "collective")
}()

// fitCurve fits by the model of the options, or by auto if that is none of curveModels.
func fitCurve(t *benchfile.Table, o fit.Options) (*fit.Result, error) {
	for _, m := range curveModels {
		if m.name == o.Model {
			return m.fit(t, o)
		}
	}
	return fit.Auto(t)
}

// A Summary holds the only size of a table: no line fits one point. Its times are as the benchmark
// counts them: round trips are not halved.
type Summary struct {
	benchmarks.Source
	benchfile.Sample
}

// Typical returns the median of the rows; with one row, its time. It is 0 if the file
// gives a mean of many calls and no median: the mean is not shown in its place, since
// on a noisy machine they differ by much.
func (s Summary) Typical() quantity.Micros {
	if s.Median == 0 && s.Count <= 1 {
		return s.Mean
	}
	return s.Median
}

func (s Summary) text() string {
	median := ""
	if m := s.Typical(); m > 0 {
		median = fmt.Sprintf("median %s, ", m)
	}
	return remark.OneSize(s.Size, s.Count, s.Min, median, s.Mean, s.Max).About(s.About()).Text
}

// tableNames returns short names that distinguish the curves: the file's name, with as much of its
// path as tells it from the others or, if all are of one file, the name of the table.
func tableNames(all []Curve) []string {
	other := func(c Curve) bool { return c.File != all[0].File }
	if !slices.ContainsFunc(all, other) {
		return list.Map(all, func(c Curve) string { return c.Table.Name() })
	}
	return table.ShortPaths(list.Map(all, func(c Curve) string { return c.Place() }))
}

// errNoFigure is the error of a result without curves.
func errNoFigure(result, plot string) error {
	err := fmt.Errorf("a figure shows times against sizes; save the %s and %s", result, plot)
	return usage.Fields(err, "plot")
}

// errManyCurves is the error of a figure of n curves.
func errManyCurves(n int) error {
	err := fmt.Errorf("a figure holds %d curves (got %d); choose tables, or plot fewer files",
		maxCurves, n)
	return usage.Fields(err, "plot")
}

// maxCurves bounds a figure: the palette of reports has eight colours that are
// distinct for any kind of colour vision, and a ninth curve repeats one.
const maxCurves = 8
