package fits

import (
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/reports/table"
)

// calibrationRows tabulates how well the machine reproduces each kind of measurement at each
// level. The column "used" separates the rows that are a residual of the fit from
// those that are a test of it.
func calibrationRows(c *calibrate.Fit) table.Rows {
	// A collective spans all levels, and many pairs can meet inside a unit or cross
	// its port ("out of").
	name := func(s calibrate.CheckSummary) string {
		switch {
		case s.Level < 0:
			return "all"
		case s.Out:
			return "out of " + c.Levels[s.Level].Name
		}
		return c.Levels[s.Level].Name
	}
	type row = calibrate.CheckSummary
	col := table.Col[row]
	percent := func(key, head string, of func(row) float64) table.Field[row] {
		cell := func(s row) any { return math.Round(1e6*of(s)) / 1e4 } // four decimals of a percent
		return col(key, head, cell).Texted(table.PercentError)
	}
	// Collectives (level −1), fans and exchanges test the machine; all else made it.
	// A kind of measurement that the fit begins to use must leave this list, or a
	// residual is shown as a test.
	unused := []string{calibrate.FanIn, calibrate.FanOut, calibrate.Exchange, calibrate.Mixed}
	rows := table.TableOf(calibrate.Summarize(c.Checks),
		col("file", "", func(row) any { return c.File }),
		col("measure", "measure",
			func(s row) any { return strings.ReplaceAll(s.Measure, "_", "-") }),
		col("level", "level", func(s row) any { return name(s) }),
		col("used", "used in the fit",
			func(s row) any { return s.Level >= 0 && !slices.Contains(unused, s.Measure) }),
		col("cases", "cases", func(s row) any { return s.Cases }),
		col("from_bytes", "from", func(s row) any { return s.From }),
		col("to_bytes", "to", func(s row) any { return s.To }),
		percent("median_error_percent", "median error", func(s row) float64 { return s.Median }),
		percent("bias_percent", "", func(s row) float64 { return s.Bias }),
		percent("worst_error_percent", "worst", func(s row) float64 { return s.Worst }),
	)
	// Without the library's rules, the fastest algorithm is the least favourable
	// choice for us: if the library's is slower, the difference counts as our error.
	compared := "the algorithm that the machine makes fastest; the library's is not known."
	if c.ChoicesKnown() {
		compared = "the algorithms that the library takes by default."
	}
	rows.Notes = []string{"Collectives are compared with " + compared}
	return rows
}
