package study

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
	rows := tableOf(entries,
		col("platform", "platform", func(e entry) any { return e.p.Name }),
		col("layer", "", func(e entry) any { return e.l.Name }),
		col("default", "", func(e entry) any { return isDefault(e) }),
		col("", "layer", func(e entry) any {
			if isDefault(e) && len(e.p.Layers) > 1 {
				return e.l.Name + " *"
			}
			return e.l.Name
		}),
		col("model", "model", func(e entry) any { return e.l.Kind }).ranked(2),
		col("paper", "paper", func(e entry) any { return e.p.Paper }).ranked(1),
		col("title", "title", func(e entry) any {
			if isDefault(e) {
				return strings.TrimSuffix(e.p.Title+": "+e.l.Title, ": ")
			}
			return e.l.Title
		}).ranked(3),
	)
	rows.Notes = []string{"* is the layer that the name of the platform alone stands for."}
	return rows
}
