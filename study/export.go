package study

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/export"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// Exported writes what messages cost in a design for another program, named as in
// [export.Targets], to be right from the smallest of the sizes to the largest. Ranks, at least 2, is
// how many the machine has.
func Exported(d whatif.Design, target string, sizes []quantity.Bytes, ranks int) (export.File, error) {
	t, err := export.Find(target)
	if err != nil {
		return export.File{}, err
	}
	if ranks < 2 || ranks > mostExported {
		return export.File{}, fmt.Errorf("%d ranks; give 2 to %d", ranks, mostExported)
	}
	m := export.Machine{Name: d.Layer.Ref(), Levels: []export.Level{{Name: "all", Units: ranks, Layer: d.Layer.Model}}}
	return t.Write(m, export.Sizes{Low: slices.Min(sizes), High: slices.Max(sizes)})
}

// mostExported is more ranks than any machine has.
const mostExported = 1 << 24

// ExportTargets is the table of the formats that there are.
func ExportTargets() reports.Rows {
	return tableOf(export.Targets,
		col("format", "format", func(t export.Target) any { return t.Name }),
		col("writes", "writes", func(t export.Target) any { return t.Help }),
		col("for", "for", func(t export.Target) any { return t.Version }).ranked(1),
		col("verified", "verified", func(t export.Target) any { return t.Checked }).ranked(2),
	)
}
