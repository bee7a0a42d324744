package message

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A CutQuestion asks for the ways to cut messages into packets. If ctx ends, the cuts before it
// come with its error. It is an error if a layer sends no message of the sizes through a pipeline.
type CutQuestion struct {
	On       []platforms.Design // each is one layer
	Sizes    []quantity.Bytes   // at least 1 each; those without a pipeline are left out
	Cycles   bool               // times in cycles of the hosts' processors too
	Pictured bool               // of the one layer
}

// Cuttings are the ways to cut messages.
type Cuttings struct {
	// Cuts follow, for each layer and size, the steps of an argument: what the paper's equation 10
	// gives (paper), the best equal packets (equal), the best of any size (unequal), which are a
	// limit unless stages are measured, the same in whole bytes (unequal-whole), which a system
	// could send, and at last no cutting at all (single), which shows what packets are good for. A
	// layer whose packets are a setting of a real system also has the best setting (round) and the
	// packets of the file (default).
	Cuts []Cut
	// Switches are, for each pipeline, two tables of packet sizes from the smallest to the largest
	// of the sizes: CLIP's (§4.2.2.2), which takes the packets of equation 10 and gives each the
	// range of message sizes in which its bound of equation 8 is least, and ours, of the best equal
	// packets by the exact recurrence. The candidates are the packets for the given sizes. A row
	// serves messages up to Size; its OneWay is the exact time of that size, so that both compare.
	// A layer with fewer than two of the sizes in its pipeline has none, and a pipeline of fewer
	// than three stages no table of CLIP's.
	Switches []Cut
	clocks
	curves     *packetCurves // nil: not asked for
	noInterval string        // what is known of the error of the times
}

func (q CutQuestion) Ask(ctx context.Context) (*Cuttings, error) {
	if err := check(q.Sizes, q.On); err != nil {
		return nil, err
	}
	all := &Cuttings{}
	for _, d := range q.On {
		found := false
		for _, n := range q.Sizes {
			if err := ctx.Err(); err != nil {
				return all, err
			}
			if pipe, ok := model.At(d.Layer.Model, n).(*model.Pipeline); ok {
				all.Cuts = append(all.Cuts, cutsOf(d, pipe, n)...)
				found = true
			}
		}
		if !found {
			return nil, fmt.Errorf("%s sends no message of these sizes through a pipeline, "+
				"so there is no packet to choose; its model is %s", d.Layer.Ref(), d.Layer.Kind)
		}
	}
	all.noInterval = study.NoInterval(q.On[len(q.On)-1])
	var err error
	if q.Pictured {
		if all.curves, err = packetCurvesOf(all.Cuts, q.On); err != nil {
			return nil, err
		}
	}
	all.Switches = switchesOf(q.Sizes, q.On)
	if all.clocks, err = clocksOf(q.On, q.Cycles); err != nil {
		return nil, err
	}
	return all, ctx.Err()
}

// cutsOf returns the ways to cut a message of n bytes in the pipeline of a design.
func cutsOf(d platforms.Design, pipe *model.Pipeline, n quantity.Bytes) (all []Cut) {
	add := func(method string, plan model.Plan) {
		cut := Cut{d.Platform.Name, d.Layer.Name, n, method, "", plan, pipe.OneWayAs(plan),
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
	return all
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
