package fits

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows tabulates changes by range of sizes.
func (f *Comparison) Rows() table.Rows {
	several := len(f.Before.Curves) > 1
	col := table.Col[Change]
	ratio := table.SpreadOf("time_ratio", "after / before", quantity.DimNone,
		func(c Change) quantity.Interval { return c.Ratio })
	tested := func(c Change) bool { return !math.IsInf(c.Unseen.High, 1) }
	rows := table.TableOf(f.Changes,
		col("", "table", func(c Change) any { return c.Call }).If(several),
		col("file", "", func(c Change) any { return c.Before }),
		col("other", "", func(c Change) any { return c.After }),
		col("from_bytes", "from", func(c Change) any { return c.From }),
		col("to_bytes", "to", func(c Change) any { return c.To }),
		col("points", "sizes", func(c Change) any { return c.Sizes }).Ranked(1),
		ratio.Text, ratio.Value, ratio.Low, ratio.High,
		col("unseen_percent", "runs differ by", func(c Change) any {
			return table.OrAbsent(100*(c.Unseen.High-1), tested(c))
		}).Texted(func(percent any) string { return factor(1 + percent.(float64)/100) }),
		col("changed", "changed", func(c Change) any {
			switch {
			case !tested(c):
				return table.OrAbsent("", false)
			case c.Unclear || !c.Real && c.Lone > 0:
				return "unclear"
			case !c.Real:
				return "no change"
			case c.Ratio.Value > 1:
				return "slower"
			}
			return "faster"
		}),
	)
	rows.Verdict = table.Say("%s", f.verdict)
	rows.Add(remark.AfterBefore())
	return rows
}
