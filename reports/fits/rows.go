package fits

import (
	"slices"

	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the result, with its notes. What is missing comes before doubts about
// what is there.
func (a *Answer) Rows() table.Rows {
	rows := a.Result.Rows()
	rows.Doubts = slices.Concat(a.LeftOut, rows.Doubts, a.Notes)
	if rows.Next = append(rows.Next, a.next...); a.verdict != "" {
		rows.Verdict = table.Say("%s", a.verdict)
	}
	return rows
}
