package message

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/reports/table"
)

// switchRows returns the tables of switches for people.
func switchRows(c []Cut) table.Rows {
	rows := table.TableOf(c,
		table.Col("", "platform", func(c Cut) any { return c.Platform }).Ranked(3),
		table.Col("", "layer", func(c Cut) any { return c.Layer }).Ranked(1),
		table.Col("", "table", func(c Cut) any { return c.Method }),
		table.Col("", "messages", func(c Cut) any { return "up to " + c.Size.String() }),
		table.Col("", "packet", func(c Cut) any {
			return fmt.Sprintf("%.0f B", float64(c.Plan.Largest()))
		}),
		table.Col("", "one way", func(c Cut) any { return c.OneWay }),
	)
	// The table of single sizes has the best packets too.
	rows.RowRank = func(int) int { return 2 }
	rows.Add(remark.SwitchTables())
	return rows
}
