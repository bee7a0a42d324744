package predict

import (
	"strings"

	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// PlatformRows lists the layers of platforms.
func PlatformRows(all []platforms.Platform) reports.Rows {
	type entry struct {
		p platforms.Platform
		l platforms.Layer
	}
	var entries []entry
	for _, p := range all {
		for _, l := range p.Layers {
			entries = append(entries, entry{p, l})
		}
	}
	isDefault := func(e entry) bool { return e.l.Name == e.p.Default }
	rows := reports.TableOf(entries,
		reports.Col("platform", "platform", func(e entry) any { return e.p.Name }),
		reports.Col("layer", "", func(e entry) any { return e.l.Name }),
		reports.Col("default", "", func(e entry) any { return isDefault(e) }),
		reports.Col("", "layer", func(e entry) any {
			if isDefault(e) && len(e.p.Layers) > 1 {
				return e.l.Name + " *"
			}
			return e.l.Name
		}),
		reports.Col("model", "model", func(e entry) any { return e.l.Kind }).Ranked(2),
		reports.Col("paper", "paper", func(e entry) any { return e.p.Paper }).Ranked(1),
		reports.Col("title", "title", func(e entry) any {
			if isDefault(e) {
				return strings.TrimSuffix(e.p.Title+": "+e.l.Title, ": ")
			}
			return e.l.Title
		}).Ranked(3),
	)
	rows.Notes = []string{"* marks the default layer, which the name of the platform alone selects."}
	return rows
}
