package message

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// listed is the largest number of packets that planBytes lists.
const listed = 1_000_000

// planBytes lists the size of each packet, for programs. Runs of equal packets are
// written out, so that a reader needs no notation of ours. It is absent above listed: the lists of
// petabytes would take gigabytes.
func (c Cut) planBytes() any {
	plan := c.Plan
	if plan.Packets() > listed {
		return nil
	}
	sizes := make([]float64, 0, plan.Packets())
	for _, r := range plan {
		for range r.Count {
			sizes = append(sizes, float64(r.Size))
		}
	}
	return sizes
}

// Text returns the plan of the cut in words; see [PlanText].
func (c Cut) Text() string { return PlanText(c.Plan) }

// PlanText returns the plan in words, such as "3×1024 512", in bytes. Neighbouring
// runs of one size are joined: a plan may keep them apart.
func PlanText(plan model.Plan) string {
	var words []string
	for i := 0; i < len(plan); {
		count, size := 0, plan[i].Size
		for ; i < len(plan) && plan[i].Size == size; i++ {
			count += plan[i].Count
		}
		word := fmt.Sprintf("%.0f", float64(size))
		if count > 1 {
			word = fmt.Sprintf("%d×%s", count, word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Planned draws a message in these packets by the pipeline's recurrence, C[i][k] =
// max(C[i−1][k], C[i][k−1]) + β_i + p_k τ_i. Unequal packets are drawn by it, since
// the engine cuts a message into equal ones.
func Planned(
	l platforms.Layer, n quantity.Bytes, pipe *model.Pipeline, plan model.Plan,
) table.Timeline {
	return table.Timeline{
		Title:  fmt.Sprintf("%s: %s in packets of %s", l.Ref(), n, plan.Largest()),
		Stages: list.Map(pipe.Stages, func(s model.Stage) string { return s.Name }),
		Boxes: list.Map(pipe.Schedule(plan), func(s model.Slot) table.TimelineBox {
			return table.TimelineBox{
				Stage: s.Stage, Packet: s.Packet + 1,
				Start: float64(s.Start), End: float64(s.End),
			}
		}),
	}
}
