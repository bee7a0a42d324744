package fits

import (
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows shows tables of one size as they were measured.
func (s *Sizes) Rows() table.Rows {
	col := table.Col[Summary]
	rows := table.TableOf(s.Tables,
		col("file", "file", func(s Summary) any { return s.File.Name }).Ranked(2),
		col("title", "table", func(s Summary) any { return s.Table.Name() }).Ranked(1),
		col("kind", "kind", func(s Summary) any { return s.Table.Kind.String() }),
		col("size_bytes", "size", func(s Summary) any { return s.Size }),
		col("count", "n", func(s Summary) any { return s.Count }),
		col("min_us", "min", func(s Summary) any { return s.Min }),
		col("median_us", "median",
			func(s Summary) any { return table.OrAbsent(s.Typical(), s.Typical() > 0) }),
		col("mean_us", "mean", func(s Summary) any { return s.Mean }),
		col("max_us", "largest", func(s Summary) any { return s.Max }),
	)
	rows.Add(remark.OneSizeEach())
	return rows
}
