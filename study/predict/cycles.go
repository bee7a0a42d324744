package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// InCycles adds a column in cycles of the host's processor for each column of times. The first
// column of the table has the names of the designs' platforms. It is an error if no platform file
// states the clock.
func InCycles(rows reports.Rows, designs []whatif.Design) (reports.Rows, error) {
	clocks := map[string]float64{} // MHz, 0 where not known
	var names []string
	known := false
	for _, d := range designs {
		clocks[d.Platform.Name] = d.Platform.Clock
		known = known || d.Platform.Clock > 0
		if !slices.Contains(names, d.Platform.Name) {
			names = append(names, d.Platform.Name)
		}
	}
	if !known {
		slices.Sort(names)
		return rows, usage.Fields(fmt.Errorf("%s does not give its host's clock; add a line such as clock = \"266MHz\" to the platform's file", strings.Join(names, " or ")), "cycles")
	}
	var times []int
	for j, column := range rows.Columns {
		if key, isTime := strings.CutSuffix(column.Key, "_us"); isTime {
			times = append(times, j)
			head := column.Head
			if head != "" {
				head += " (cycles)"
			}
			rows.Columns = append(rows.Columns, reports.Column{Key: key + "_cycles", Head: head, Rank: 2,
				Text: func(v any) string { return fmt.Sprintf("%.0f", v) }})
		}
	}
	for i, row := range rows.Data {
		clock := clocks[row[0].(string)]
		for _, j := range times {
			t, ok := row[j].(quantity.Micros)
			row = append(row, reports.OrAbsent(float64(t)*clock, ok && clock > 0))
		}
		rows.Data[i] = row
	}
	return rows, nil
}
