package predict

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/virtual"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// maxBoxes bounds a timeline: with more, single packets are too small to see.
const maxBoxes = 20000

// Timeline draws a message of n bytes through the layer's pipeline, as the message engine sends
// it. It is an error if the layer sends n bytes without a pipeline, if the pipeline has too many
// boxes to be seen, and if two stages share a resource.
func Timeline(d whatif.Design, n quantity.Bytes) (reports.Timeline, error) {
	l := d.Layer
	pipe, ok := model.At(l.Model, n).(*model.Pipeline)
	if !ok {
		return reports.Timeline{}, fmt.Errorf("%s sends %s without a pipeline, so there is no timeline; its model is %s", l.Ref(), n, l.Kind)
	}
	size := pipe.PacketSize(n)
	t := reports.Timeline{Title: fmt.Sprintf("%s: %s in packets of %s", l.Ref(), n, size)}
	if boxes := model.EqualPlan(n, size).Packets() * len(pipe.Stages); boxes > maxBoxes {
		return t, usage.Fields(fmt.Errorf("%s in packets of %s makes a timeline of %d boxes; choose larger packets or a smaller message", n, size, boxes), "packet", "size")
	}
	type place struct {
		node     int
		resource string
	}
	nodes := map[model.Side]int{model.AtSender: 0, model.AtReceiver: 1, model.AtNetwork: -1}
	stages := map[place]int{}
	for i, s := range pipe.Stages {
		t.Stages = append(t.Stages, s.Name)
		where := d.Platform.Places[s.Name]
		at := place{nodes[where.Side()], where.Resource}
		if s.Host != model.NoHost {
			at.resource = "processor"
		}
		if before, shared := stages[at]; shared {
			return t, fmt.Errorf("%s: the stages %s and %s share a resource, so that the engine's events cannot be assigned to one of them", l.Ref(), pipe.Stages[before].Name, s.Name)
		}
		stages[at] = i
	}
	l.Protocol = platforms.Protocol{Interrupt: -1} // the way of the data alone
	s := virtual.Of(d.Platform, l)
	var recorded virtual.Trace
	_, err := virtual.Run(s, virtual.Config{Nodes: 2, Trace: &recorded}, func(ep *engine.Endpoint) error {
		take := ep.Handle(func(*engine.Message) {})
		if ep.Node() > 0 {
			return nil
		}
		return ep.Send(1, take, make([]byte, int(n)))
	})
	for _, span := range recorded.Spans {
		if i, known := stages[place{span.Node, span.Resource}]; known {
			t.Boxes = append(t.Boxes, reports.Box{Stage: i, Packet: int(span.Packet) + 1, Start: float64(span.Start), End: float64(span.End)})
		}
	}
	slices.SortStableFunc(t.Boxes, func(a, b reports.Box) int {
		return cmp.Or(cmp.Compare(a.Packet, b.Packet), cmp.Compare(a.Stage, b.Stage))
	})
	return t, err
}

// Planned draws a message in these packets by the pipeline's recurrence.
func Planned(l platforms.Layer, n quantity.Bytes, pipe *model.Pipeline, plan model.Plan) reports.Timeline {
	return reports.Timeline{
		Title:  fmt.Sprintf("%s: %s in packets of %s", l.Ref(), n, plan.Largest()),
		Stages: list.Map(pipe.Stages, func(s model.Stage) string { return s.Name }),
		Boxes: list.Map(pipe.Schedule(plan), func(s model.Slot) reports.Box {
			return reports.Box{Stage: s.Stage, Packet: s.Packet + 1, Start: float64(s.Start), End: float64(s.End)}
		}),
	}
}
