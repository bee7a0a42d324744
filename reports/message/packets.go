package message

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Cuts compares the ways to cut messages of these sizes, at least 1 byte each. Rows follow the
// steps of an argument: what the paper's equation 10 gives (paper), the best equal packets (equal),
// the best of any size (unequal), which are a limit unless stages are measured, the same in whole
// bytes (unequal-whole), which a system could send, and at last no cutting at all (single), which
// shows what packets are good for. A layer whose packets are a setting of a real system also has
// the best setting (round) and the packets of the file (default). Sizes that a layer sends without
// a pipeline are left out; it is an error if a layer has no others. If ctx ends, the cuts before it
// come with its error.
//
// Switches are, for each pipeline, two tables of packet sizes from the smallest to the largest of
// the sizes: CLIP's (§4.2.2.2), which takes the packets of equation 10 and gives each the range of
// message sizes in which its bound of equation 8 is least, and ours, of the best equal packets by
// the exact recurrence. The candidates are the packets for the given sizes. A row serves messages
// up to Size; its OneWay is the exact time of that size, so that both compare. A layer with fewer
// than two of the sizes in its pipeline has none, and a pipeline of fewer than three stages no
// table of CLIP's.
func Cuts(ctx context.Context, sizes []quantity.Bytes, designs ...platforms.Design) (
	all, switches []Cut, err error) {
	if err := check(sizes, designs); err != nil {
		return nil, nil, err
	}
	for _, d := range designs {
		found := false
		for _, n := range sizes {
			if err := ctx.Err(); err != nil {
				return all, nil, err
			}
			pipe, ok := model.At(d.Layer.Model, n).(*model.Pipeline)
			if !ok {
				continue
			}
			found = true
			add := func(method string, plan model.Plan) {
				time := pipe.OneWayAs(plan)
				cut := Cut{d.Platform.Name, d.Layer.Name, n, method, "", plan, time,
					pipe.Measured()}
				if method == "default" {
					cut.Setting = d.Layer.Setting
				}
				all = append(all, cut)
			}
			// Equation 10 of CLIP is of the first three stages.
			if len(pipe.Stages) >= model.PaperStages {
				add("paper", model.EqualPlan(n, pipe.PaperPacket(n)))
			}
			size, _ := pipe.BestPacket(n)
			add("equal", model.EqualPlan(n, size))
			// Packets of any real size are the lower bound for those of whole bytes, if no stage is
			// measured.
			ideal, _ := pipe.IdealPlan(n)
			add("unequal", ideal)
			whole, _ := pipe.BestPlan(n)
			add("unequal-whole", whole)
			add("single", model.EqualPlan(n, n))
			if d.Layer.Setting != "" {
				add("round", roundPlan(pipe, n))
				add("default", model.EqualPlan(n, pipe.PacketSize(n)))
			}
		}
		if !found {
			return nil, nil, fmt.Errorf("%s sends no message of these sizes through a pipeline, "+
				"so there is no packet to choose; its model is %s", d.Layer.Ref(), d.Layer.Kind)
		}
	}
	return all, switchesOf(sizes, designs), ctx.Err()
}

// roundPlan returns the fastest equal packets whose size is a power of two or one and a half of it.
// A person sets these, and near its least value the time changes less with the packet than
// predictions err.
func roundPlan(pipe *model.Pipeline, n quantity.Bytes) model.Plan {
	best := model.EqualPlan(n, n)
	for size := quantity.Bytes(2); size <= n; size *= 2 {
		for _, packet := range []quantity.Bytes{size, size + size/2} {
			plan := model.EqualPlan(n, min(packet, n))
			if pipe.OneWayAs(plan) < pipe.OneWayAs(best) {
				best = plan
			}
		}
	}
	return best
}
