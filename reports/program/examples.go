package program

import (
	"strings"

	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/reports/table"
)

// ExampleRows lists the programs that the binary carries.
func ExampleRows() table.Rows {
	rows := table.TableOf(program.Examples(),
		table.Col("program", "program", func(e program.Example) any { return e.Name }),
		table.Col("help", "what it does", func(e program.Example) any {
			first, _, _ := strings.Cut(e.Help, ". ")
			return strings.TrimSuffix(first, ".")
		}))
	rows.Add(remark.ByName())
	return rows
}
