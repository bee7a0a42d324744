package fits

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

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
	return s.about("one size only (%s), and no line goes through one point: n = %d, least %s, %smean %s, largest %s", s.Size, s.Count, s.Min, median, s.Mean, s.Max)
}

func summaryRows(all []Summary) reports.Rows {
	type summary = Summary
	rows := reports.TableOf(all,
		reports.Col("file", "file", func(s summary) any { return s.file.Name }).Ranked(2),
		reports.Col("title", "table", func(s summary) any { return s.table.Name() }).Ranked(1),
		reports.Col("kind", "kind", func(s summary) any { return s.table.Kind.String() }),
		reports.Col("size_bytes", "size", func(s summary) any { return s.Size }),
		reports.Col("count", "n", func(s summary) any { return s.Count }),
		reports.Col("min_us", "min", func(s summary) any { return s.Min }),
		reports.Col("median_us", "median", func(s summary) any { return reports.OrAbsent(s.median(), s.median() > 0) }),
		reports.Col("mean_us", "mean", func(s summary) any { return s.Mean }),
		reports.Col("max_us", "largest", func(s summary) any { return s.Max }),
	)
	rows.Notes = []string{"These tables have one size each. A line needs at least 2 sizes, and 10 over a factor of 100 to be trusted."}
	return rows
}
