package study

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// A FittedSummary is what was measured at the only size of a table, through which no line goes. The
// times are as the benchmark counts them: those of round trips are not halved.
type FittedSummary struct {
	fitSource
	benchfile.Sample
}

// median is that of the rows; with one row, its time.
func (s FittedSummary) median() quantity.Micros {
	if s.Median == 0 && s.Count <= 1 {
		return s.Mean
	}
	return s.Median
}

func (s FittedSummary) text() string {
	text := fmt.Sprintf("%s: one size only (%s), and no line goes through one point: n = %d, least %s, ", s.name(), s.Size, s.Count, s.Min)
	if m := s.median(); m > 0 {
		text += fmt.Sprintf("median %s, ", m)
	}
	return text + fmt.Sprintf("mean %s, largest %s", s.Mean, s.Max)
}

// summaryRows are the rows of tables of one size.
func summaryRows(all []FittedSummary) reports.Rows {
	type summary = FittedSummary
	rows := tableOf(all,
		col("file", "file", func(s summary) any { return s.file.Name }).ranked(2),
		col("title", "table", func(s summary) any { return s.table.Name() }).ranked(1),
		col("kind", "what", func(s summary) any { return s.table.Kind.String() }),
		col("size_bytes", "size", func(s summary) any { return s.Size }),
		col("count", "n", func(s summary) any { return s.Count }),
		col("min_us", "least", func(s summary) any { return s.Min }),
		col("median_us", "median", func(s summary) any { return orAbsent(s.median(), s.median() > 0) }),
		col("mean_us", "mean", func(s summary) any { return s.Mean }),
		col("max_us", "largest", func(s summary) any { return s.Max }),
	)
	rows.Notes = []string{"These tables have one size each, and no line goes through one point: a line takes at least 2 sizes, and 10 over a factor of 100 to be trusted."}
	return rows
}
