//go:build !js

package message

import (
	"github.com/halfpeak/halfpeak/internal/export"
	"github.com/halfpeak/halfpeak/reports/table"
)

// ExportTargets returns the table of the formats. "verified" says how each was
// checked, since a file that another program misreads looks right here.
func ExportTargets() table.Rows {
	return table.TableOf(export.Targets,
		table.Col("format", "format", func(t export.Target) any { return t.Name }),
		table.Col("writes", "writes", func(t export.Target) any { return t.Help }),
		table.Col("for", "for", func(t export.Target) any { return t.Version }).Ranked(1),
		table.Col("verified", "verified", func(t export.Target) any {
			return t.Checked
		}).Ranked(2),
	)
}
