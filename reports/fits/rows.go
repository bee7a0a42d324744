package fits

import (
	"slices"

	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the result, with its notes. What is missing comes before doubts about
// what is there.
func (a *Answer) Rows() table.Rows {
	rows := a.Result.Rows()
	rows.Notes = slices.Concat(a.LeftOut, rows.Notes, a.Notes, a.next)
	if a.verdict != "" {
		rows.Verdict = table.Say("%s", a.verdict)
	}
	return rows
}
