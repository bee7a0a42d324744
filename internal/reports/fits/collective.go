package fits

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/fits"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A parameterRow is one algorithm of one joint fit. A fit whose algorithm was
// searched has several rows, each with the weight of its algorithm in predictions.
type parameterRow struct {
	*fitted.Result
	fitted.Parameters
}

// collectiveRows tabulates the parameters of all joint fits. A column that has the
// same value in all rows has no heading for people, while CSV and JSON keep it: their
// columns do not depend on the data.
//
// Ranks (the order of dropping columns, see [reports.Column]) keep the parameters
// longest: a user needs base, α, β and the error, and can look up sizes and statistic
// in the file.
func collectiveRows(f *fits.Fitted) reports.Rows {
	var all []parameterRow
	var named, several, searched, placed bool // whether a column shows differences
	for _, c := range f.Collectives {
		for _, p := range c.Parameters() {
			all = append(all, parameterRow{c, p})
			placed = placed || p.Nodes > 0
		}
		// A given algorithm is not weighed against others.
		named = named || c.Name != ""
		several = several || c.Of.Collective != f.Collectives[0].Of.Collective
		searched = searched || c.Of.Name == ""
	}
	type row = parameterRow
	col := reports.Col[row]
	fields := []reports.Field[row]{
		col("collective", reports.HeadIf(several, "collective"),
			func(r row) any { return r.Of.Collective }),
		col("series", reports.HeadIf(named, "series"),
			func(r row) any { return r.Name }).Ranked(3),
		col("algorithm", "algorithm", func(r row) any { return r.Parameters.Algorithm }),
		col("searched", "", func(r row) any { return r.Of.Name == "" }),
		col("statistic", "statistic", func(r row) any { return string(r.Statistic) }).Ranked(4),
		col("ranks_from", "", func(r row) any { return slices.Min(r.Parameters.Ranks) }),
		col("ranks_to", "", func(r row) any { return slices.Max(r.Parameters.Ranks) }),
		col("ranks_count", "", func(r row) any { return len(r.Parameters.Ranks) }),
		col("from_bytes", "from", func(r row) any { return r.From }).Ranked(4),
		col("to_bytes", "to", func(r row) any { return r.To }).Ranked(4),
		col("nodes", reports.HeadIf(placed, "nodes"),
			func(r row) any { return reports.OrNil(fits.NodesText[r.Nodes]) }).Ranked(3),
		percentCol("weight_percent", reports.HeadIf(searched, "weight"),
			func(r row) float64 { return r.Weight }).Ranked(1),
	}
	fields = append(fields, estimateCols("base", "base (95 %)", quantity.DimTime,
		func(r row) quantity.Interval { return r.Base })...)
	fields = append(fields, estimateCols("alpha", "α (95 %)", quantity.DimTime,
		func(r row) quantity.Interval { return r.Between })...)
	fields = append(fields, estimateCols("alpha_inside", "α in a node (95 %)",
		quantity.DimTime,
		func(r row) quantity.Interval { return r.Inside })...)
	fields = append(fields, estimateCols("beta", "β (95 %)", quantity.DimInverse,
		func(r row) quantity.Interval { return r.Beta })...)
	fields = append(fields,
		percentCol("median_error_percent", "median error",
			func(r row) float64 { return r.Median }).Ranked(2),
		percentCol("p95_error_percent", "95th perc.",
			func(r row) float64 { return r.P95 }).Ranked(5),
		percentCol("held_out_error_percent", "hold-out error",
			func(r row) float64 { return r.HeldOut }).Ranked(2),
	)
	rows := reports.TableOf(all, fields...)
	// In-place and out-of-place calls, or averages and minima, are series of one measurement.
	firsts := map[string]*fitted.Result{}
	for _, c := range slices.Backward(f.Collectives) {
		firsts[c.Of.Collective] = c
	}
	rows.RowRank = func(i int) int {
		if firsts[all[i].Of.Collective] != all[i].Result {
			return 1
		}
		return 0
	}
	for _, c := range f.Collectives {
		// These two sentences define every number of the table. Parameters that could
		// not be told from each other are merged into one ("the others"), and a table
		// of constants cannot show that predictions use more than them.
		rows.Notes = append(rows.Notes, noteOf(c, c.Label()))
	}
	// Of several series, the first of the last collective.
	if len(f.Collectives) > 0 {
		last := f.Collectives[len(f.Collectives)-1].Of.Collective
		i := slices.IndexFunc(f.Collectives, func(c *fitted.Result) bool {
			return c.Of.Collective == last
		})
		rows.Verdict = reports.Say("%s", noteOf(f.Collectives[i], last))
		rows.Notes = slices.Delete(rows.Notes, i, i+1)
	}
	rows.Notes = append(rows.Notes,
		"T = base + steps·α + bytes·β over all sizes, with the steps and bytes of the "+
			"algorithm. The cost of a parameter without a value is in the others.",
		"Predictions use parameters that change with the size. \"hold-out error\" is theirs, "+
			"at places and sizes that were not used in the fit.")
	return rows
}

// percentCol makes NaN, an error that could not be computed, an absent cell: programs
// take an empty cell for a missing number, and JSON has no NaN.
func percentCol(key, head string, value func(parameterRow) float64) reports.Field[parameterRow] {
	cell := func(r parameterRow) any {
		part := value(r)
		return reports.OrAbsent(100*part, !math.IsNaN(part))
	}
	return reports.Col(key, head, cell).Texted(reports.PercentError)
}

// estimateCols returns the columns of a parameter. One that the data do not identify is NaN in the
// fit and absent here.
func estimateCols(key, head string, dim quantity.Dimension,
	of func(parameterRow) quantity.Interval) []reports.Field[parameterRow] {
	all := reports.SpreadOf(key, head, dim, of)
	all.Text = all.Text.Ranked(1)
	return all.Fields()
}

// noteOf describes the data of a joint fit, by this name, and how well it predicts. Its ranks
// come first, because accuracy beyond them depends on them most (docs/accuracy.md).
func noteOf(c *fitted.Result, name string) string {
	least, most := slices.Min(c.Ranks), slices.Max(c.Ranks)
	text := fmt.Sprintf("%d to %d ranks", least, most)
	if len(c.Ranks) == 1 {
		text = fmt.Sprintf("%d ranks only", least)
		if c.Of.Name == "" {
			text += ", which do not identify the algorithm"
		}
	}
	if c.Noise > 0 {
		text += fmt.Sprintf("; repeats differ by %.2g %%", 100*c.Noise)
	}
	if accuracy := c.Accuracy(); accuracy != "" {
		text += "; " + accuracy
	}
	return name + ": " + text
}
