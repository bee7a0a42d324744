package fits

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows tabulates the parameters of all joint fits. A column that has the
// same value in all rows has no heading for people, while CSV and JSON keep it: their
// columns do not depend on the data.
//
// Ranks (the order of dropping columns, see [reports.Column]) keep the parameters
// longest: a user needs base, α, β and the error, and can look up sizes and statistic
// in the file.
func (f *Collectives) Rows() table.Rows {
	all := f.rows
	runs := len(all) > 0 && all[0].run != nil
	// Whether a column shows differences.
	var named, several, searched, placed, otherwise bool
	for _, r := range all {
		otherwise = otherwise || r.Parameters.Algorithm != all[0].Parameters.Algorithm
		placed = placed || r.Nodes > 0 && !runs
		// A given algorithm is not weighed against others.
		named = named || r.Name != ""
		several = several || r.Of.Collective != all[0].Of.Collective
		searched = searched || r.Of.Name == "" && !runs
	}
	seriesRank, estimateRank := 3, 1
	var seriesText func(any) string
	if runs { // the series tells rows apart, and all are of nccl-tests
		seriesRank, estimateRank = 0, 0
		seriesText = func(name any) string {
			return strings.TrimPrefix(fmt.Sprint(name), "nccl-tests ")
		}
	}
	type row = parameterRow
	col := table.Col[row]
	fields := []table.Field[row]{
		col("collective", table.HeadIf(several, "collective"),
			func(r row) any { return r.Of.Collective }),
		col("series", table.HeadIf(named, "series"),
			func(r row) any { return r.Name }).Ranked(seriesRank).Texted(seriesText),
		col("algorithm", table.HeadIf(otherwise || !runs, "algorithm"),
			func(r row) any { return r.Parameters.Algorithm }),
		col("searched", "", func(r row) any { return r.Of.Name == "" }),
		col("statistic", "statistic", func(r row) any { return string(r.Statistic) }).Ranked(4),
		col("", table.HeadIf(runs, "ranks"),
			func(r row) any { return r.Parameters.Ranks[0] }),
		col("ranks_from", "", func(r row) any { return slices.Min(r.Parameters.Ranks) }),
		col("ranks_to", "", func(r row) any { return slices.Max(r.Parameters.Ranks) }),
		col("ranks_count", "", func(r row) any { return len(r.Parameters.Ranks) }),
		col("from_bytes", "from", func(r row) any { return r.From }).Ranked(4),
		col("to_bytes", "to", func(r row) any { return r.To }).Ranked(4),
		col("nodes", table.HeadIf(placed, "nodes"),
			func(r row) any { return table.OrNil(nodesText[r.Nodes]) }).Ranked(3),
		percentCol("weight_percent", table.HeadIf(searched, "weight"),
			func(r row) float64 { return r.Weight }).Ranked(1),
	}
	fields = append(fields, estimateCols("base", "base (95 %)", quantity.DimTime,
		func(r row) quantity.Interval { return r.Base }, estimateRank)...)
	fields = append(fields, estimateCols("alpha", "α (95 %)", quantity.DimTime,
		func(r row) quantity.Interval { return r.Between }, estimateRank)...)
	fields = append(fields, estimateCols("alpha_inside", "α in a node (95 %)",
		quantity.DimTime,
		func(r row) quantity.Interval { return r.Inside }, estimateRank)...)
	fields = append(fields, estimateCols("beta", "β (95 %)", quantity.DimInverse,
		func(r row) quantity.Interval { return r.Beta }, estimateRank)...)
	fields = append(fields,
		percentCol("median_error_percent", "median error",
			func(r row) float64 { return r.Median }).Ranked(2),
		percentCol("p95_error_percent", "95th perc.",
			func(r row) float64 { return r.P95 }).Ranked(5),
		percentCol("held_out_error_percent", "hold-out error",
			func(r row) float64 { return r.HeldOut }).Ranked(2),
		col("busbw_peak_mb_s", table.HeadIf(runs, "busbw"), func(r row) any {
			return ofRun(r, func(g *gpuRun) any { return g.best })
		}),
		col("busbw_peak_bytes", table.HeadIf(runs, "at"), func(r row) any {
			return ofRun(r, func(g *gpuRun) any { return g.at })
		}),
		col("busbw_half_bytes", table.HeadIf(runs, "half from"), func(r row) any {
			return ofRun(r, func(g *gpuRun) any { return g.half })
		}).Ranked(3),
	)
	rows := table.TableOf(all, fields...)
	// In-place and out-of-place calls, or averages and minima, are series of one measurement.
	rows.RowRank = func(i int) int {
		for _, c := range f.Fits {
			if c.Of.Collective == all[i].Of.Collective && c != all[i].Result {
				return 1
			} else if c == all[i].Result {
				break
			}
		}
		return 0
	}
	f.remark(&rows, runs)
	return rows
}

// remark sets the notes and the verdict of the table. Runs are tables of nccl-tests.
func (f *Collectives) remark(rows *table.Rows, runs bool) {
	texts := f.texts()
	for i, c := range f.Fits {
		// These two sentences define every number of the table. Parameters that could
		// not be told from each other are merged into one ("the others"), and a table
		// of constants cannot show that predictions use more than them.
		rows.Notes = append(rows.Notes, remark.Described(texts[i]).About(c.Label()))
	}
	// Of several series, the first of the last collective.
	last := f.Fits[len(f.Fits)-1].Of.Collective
	first := 0
	for f.Fits[first].Of.Collective != last {
		first++
	}
	rows.Verdict = table.Say("%s", last+" on "+texts[first])
	if !runs { // else the verdict is on their busbw
		rows.Notes = slices.Delete(rows.Notes, first, first+1)
	}
	if runs {
		rows.Add(remark.ParameterLines())
		return
	}
	rows.Add(remark.ParameterForms()...)
}

// ofRun returns a cell of a run of nccl-tests; absent for rows of forms.
func ofRun(r parameterRow, cell func(*gpuRun) any) any {
	if r.run == nil {
		return nil
	}
	return cell(r.run)
}

// percentCol makes NaN, an error that could not be computed, an absent cell: programs
// take an empty cell for a missing number, and JSON has no NaN.
func percentCol(key, head string, value func(parameterRow) float64) table.Field[parameterRow] {
	cell := func(r parameterRow) any {
		part := value(r)
		return table.OrAbsent(100*part, !math.IsNaN(part))
	}
	return table.Col(key, head, cell).Texted(table.PercentError)
}

// estimateCols returns the columns of a parameter. One that the data do not identify is NaN in the
// fit and absent here.
func estimateCols(key, head string, dim quantity.Dimension,
	of func(parameterRow) quantity.Interval, rank int) []table.Field[parameterRow] {
	all := table.SpreadOf(key, head, dim, of)
	all.Text = all.Text.Ranked(rank)
	return all.Fields()
}

// texts describe the data of the joint fits, and how well they predict. Ranks come first, because
// accuracy beyond them depends on them most (docs/accuracy.md).
func (f *Collectives) texts() (all []string) {
	for _, c := range f.Fits {
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
		all = append(all, text)
	}
	return all
}
