package predict

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/platforms/export"
	"github.com/halfpeak/halfpeak/reports"
)

// Exported writes the message costs of a design for another program, a name in [export.Targets].
// They are accurate from the smallest of the sizes to the largest. ranks is the number of ranks on
// a platform without levels, and 0 means 2; on a platform with levels it must be 0.
func Exported(
	d platforms.Design, target string, sizes []quantity.Bytes, ranks int,
) (export.File, error) {
	t, err := export.Find(target)
	if err != nil {
		return export.File{}, err
	}
	to := export.Machine{Name: d.Name(), Machine: d.Machine()}
	switch {
	case len(to.Levels) > 0 && ranks != 0:
		// The levels say how many ranks there are: one for each core.
		return export.File{}, usage.Fields(fmt.Errorf("%s has %d ranks; omit their number",
			d.Name(), to.Cores()), "ranks")
	case len(to.Levels) == 0:
		if ranks == 0 {
			ranks = 2
		}
		if ranks < 2 || ranks > mostExported {
			err := fmt.Errorf("%d ranks; give 2 to %d", ranks, mostExported)
			return export.File{}, usage.Error{Err: err}
		}
		// A layer alone is a machine of one level: each pair of ranks is equally far apart.
		to.Levels = []machine.Level{{Name: "all", Arity: ranks, Layer: d.Layer.Model}}
	}
	return t.Write(to, export.Sizes{Low: slices.Min(sizes), High: slices.Max(sizes)})
}

// mostExported is the maximum number of ranks, more than any machine has.
const mostExported = 1 << 24

// ExportTargets returns the table of the formats.
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
