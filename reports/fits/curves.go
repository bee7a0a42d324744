package fits

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Curve is a fit of time against size.
type Curve struct {
	fitSource
	*fit.Result
}

func sourcesOf(curves []Curve) []fitSource {
	return list.Map(curves, func(c Curve) fitSource { return c.fitSource })
}

// tableName returns a short name: the file's base name, or the table's if all are of one file.
func tableName(s fitSource, all []Curve) string {
	for _, c := range all {
		if c.file != s.file {
			return filepath.Base(s.name())
		}
	}
	return s.table.Name()
}

// fitCurves fits every table of times against sizes, and fails if there is none. It returns a
// summary of each table that has one size.
func fitCurves(sources []fitSource, o Options) (
	curves []Curve, summaries []Summary, notes []string, err error) {
	var first error
	for _, s := range sources {
		r, err := fitCurve(s.table, o)
		if err == nil {
			curves = append(curves, Curve{fitSource: s, Result: r})
			continue
		}
		first = cmp.Or(first, fmt.Errorf("%s: %w", s.name(), err))
		if n := len(s.table.Samples); n == 1 || n == 2 && s.table.Samples[0].Size == 0 {
			for _, sample := range s.table.Samples {
				summaries = append(summaries, Summary{s, sample})
			}
			continue
		}
		notes = append(notes, "skipped: "+s.about("%v", err))
	}
	if len(curves) == 0 {
		return nil, summaries, notes, first
	}
	for _, one := range summaries {
		notes = append(notes, "skipped: "+one.text())
	}
	return curves, summaries, notes, nil
}

func fitCurve(t *benchfile.Table, o Options) (*fit.Result, error) {
	switch o.Model {
	case "linear":
		return fit.Linear(t, o.Method)
	case "piecewise":
		return fit.Piecewise(t, o.Segments)
	case "per-size":
		return fit.PerSize(t)
	}
	return fit.Auto(t)
}

// A Summary holds the only size of a table: no line fits one point. Its times are as the benchmark
// counts them: round trips are not halved.
type Summary struct {
	fitSource
	benchfile.Sample
}

// median returns the median of the rows; with one row, its time.
func (s Summary) median() quantity.Micros {
	if s.Median == 0 && s.Count <= 1 {
		return s.Mean
	}
	return s.Median
}

func (s Summary) text() string {
	median := ""
	if m := s.median(); m > 0 {
		median = fmt.Sprintf("median %s, ", m)
	}
	return s.about("one size only (%s), and no line goes through one point: "+
		"n = %d, least %s, %smean %s, largest %s", s.Size, s.Count, s.Min, median, s.Mean, s.Max)
}
