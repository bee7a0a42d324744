//go:build !js

package predict

import (
	"github.com/halfpeak/halfpeak/internal/export"
	"github.com/halfpeak/halfpeak/internal/reports"
)

// ExportTargets returns the table of the formats. "verified" says how each was
// checked, since a file that another program misreads looks right here.
func ExportTargets() reports.Rows {
	return reports.TableOf(export.Targets,
		reports.Col("format", "format", func(t export.Target) any { return t.Name }),
		reports.Col("writes", "writes", func(t export.Target) any { return t.Help }),
		reports.Col("for", "for", func(t export.Target) any { return t.Version }).Ranked(1),
		reports.Col("verified", "verified", func(t export.Target) any {
			return t.Checked
		}).Ranked(2),
	)
}
