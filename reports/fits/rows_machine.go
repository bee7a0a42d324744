package fits

import (
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows tabulates how well the machine reproduces each kind of measurement at each
// level. The column "used" separates the rows that are a residual of the fit from
// those that are a test of it.
func (c *Machine) Rows() table.Rows {
	type row = machineTest
	col := table.Col[row]
	percent := func(key, head string, of func(row) float64) table.Field[row] {
		cell := func(s row) any { return math.Round(1e6*of(s)) / 1e4 } // four decimals of a percent
		return col(key, head, cell).Texted(table.PercentError)
	}
	rows := table.TableOf(c.tests,
		col("file", "", func(row) any { return c.File }),
		col("measure", "measure",
			func(s row) any { return strings.ReplaceAll(s.Measure, "_", "-") }),
		col("level", "level", func(s row) any { return s.level }),
		col("used", "used in the fit", func(s row) any { return s.used }),
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
	rows.Add(remark.ComparedWith(compared))
	return rows
}
