package predict

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/platforms/export"
	"github.com/halfpeak/halfpeak/reports"
)

// Exported writes the message costs of a design for another program, a name in [export.Targets].
// They are accurate from the smallest of the sizes to the largest. ranks is the number of ranks on
// a platform without levels, and 0 means 2; on a platform with levels it must be 0.
func Exported(d platforms.Design, target string, sizes []quantity.Bytes, ranks int) (export.File, error) {
	t, err := export.Find(target)
	if err != nil {
		return export.File{}, err
	}
	to := export.Machine{Name: d.Name()}
	m := d.Machine()
	for _, l := range m.Levels {
		layer := l.Layer
		if l.Gap != nil || l.Send != nil || l.Receive != nil {
			layer = levelCost{layer, l}
		}
		to.Levels = append(to.Levels, export.Level{Name: l.Name, Units: l.Arity, Layer: layer})
	}
	to.Shares = m.Shares()
	switch {
	case len(m.Levels) > 0 && ranks != 0:
		return export.File{}, usage.Fields(fmt.Errorf("%s has %d ranks; omit their number", d.Name(), to.Ranks()), "ranks")
	case len(m.Levels) == 0:
		if ranks == 0 {
			ranks = 2
		}
		if ranks < 2 || ranks > mostExported {
			return export.File{}, usage.Error{Err: fmt.Errorf("%d ranks; give 2 to %d", ranks, mostExported)}
		}
		to.Levels = []export.Level{{Name: "all", Units: ranks, Layer: d.Layer.Model}}
	}
	return t.Write(to, export.Sizes{Low: slices.Min(sizes), High: slices.Max(sizes)})
}

// A levelCost is a level's layer, with the gaps and overheads that the level has in place of the
// layer's.
type levelCost struct {
	model.Layer
	level machine.Level
}

func (c levelCost) Gap(n quantity.Bytes) quantity.Micros { return c.level.Cost(n).Gap }

func (c levelCost) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	cost := c.level.Cost(n)
	return cost.Send, cost.Receive
}

// mostExported is the maximum number of ranks, more than any machine has.
const mostExported = 1 << 24

// ExportTargets returns the table of the formats.
func ExportTargets() reports.Rows {
	return reports.TableOf(export.Targets,
		reports.Col("format", "format", func(t export.Target) any { return t.Name }),
		reports.Col("writes", "writes", func(t export.Target) any { return t.Help }),
		reports.Col("for", "for", func(t export.Target) any { return t.Version }).Ranked(1),
		reports.Col("verified", "verified", func(t export.Target) any { return t.Checked }).Ranked(2),
	)
}
