package message

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// inCycles adds a column in cycles of the host's processor for each column of times: µs times MHz.
// Papers of the nineties give overheads in cycles, which is how processors of different speed are
// compared. The first column of the table has the names of platforms. Rows of one without a clock
// are empty. Nil clocks add nothing.
func inCycles(rows table.Rows, clocks clocks) table.Rows {
	if clocks == nil {
		return rows
	}
	var times []int
	for j, column := range rows.Columns {
		// The key says the unit, so that a column of times is known without its values.
		if key, isTime := strings.CutSuffix(column.Key, "_us"); isTime {
			times = append(times, j)
			head := column.Head
			if head != "" {
				head += " (cycles)"
			}
			rows.Columns = append(rows.Columns, table.Column{
				// A fraction of a cycle is no time, so people see none.
				Key: key + "_cycles", Head: head, Rank: 2,
				Text: func(v any) string { return fmt.Sprintf("%.0f", v) },
			})
		}
	}
	for i, row := range rows.Data {
		// The first column is the platform, so each row is counted by its own clock.
		clock := clocks[row[0].(string)]
		for _, j := range times {
			t, ok := row[j].(quantity.Micros)
			row = append(row, table.OrAbsent(float64(t)*clock, ok && clock > 0))
		}
		rows.Data[i] = row
	}
	return rows
}
