//go:build !js

package curves

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// maxBoxes bounds a timeline: with more, single packets are too small to see. 20,000
// are some 4,000 packets in five stages, less than a pixel each.
const maxBoxes = 20000

// Timeline draws a message of n bytes through the layer's pipeline, as the message
// engine sends it. The engine is asked, and not the recurrence of the pipeline, so that
// the picture shows what the engine does. It is an error if the layer sends n bytes
// without a pipeline, if the pipeline has too many boxes to be seen, and if two
// stages share a resource.
func Timeline(d platforms.Design, n quantity.Bytes) (table.Timeline, error) {
	l := d.Layer
	pipe, ok := model.At(l.Model, n).(*model.Pipeline)
	if !ok {
		return table.Timeline{}, fmt.Errorf("%s sends %s without a pipeline, "+
			"so there is no timeline; its model is %s", l.Ref(), n, l.Kind)
	}
	size := pipe.PacketSize(n)
	t := table.Timeline{Title: fmt.Sprintf("%s: %s in packets of %s", l.Ref(), n, size)}
	if boxes := model.EqualPlan(n, size).Packets() * len(pipe.Stages); boxes > maxBoxes {
		return t, usage.Fields(fmt.Errorf("%s in packets of %s makes a timeline of %d boxes; "+
			"choose larger packets or a smaller message", n, size, boxes), "packet", "size")
	}
	type place struct {
		node     int
		resource string
	}
	// The engine's numbers: node 0 sends to node 1, and -1 is the network between them.
	nodes := map[model.Side]int{model.AtSender: 0, model.AtReceiver: 1, model.AtNetwork: -1}
	// The engine records which resource was busy, not for which stage. A resource of
	// one stage identifies it.
	stages := map[place]int{}
	for i, s := range pipe.Stages {
		t.Stages = append(t.Stages, s.Name)
		where := d.Platform.Places[s.Name]
		at := place{nodes[where.Side()], where.Resource}
		if s.Host != model.NoHost {
			// Stages of one processor share it, whatever their names.
			at.resource = "processor"
		}
		if before, shared := stages[at]; shared {
			return t, fmt.Errorf("%s: the stages %s and %s share a resource, "+
				"so that the engine's events cannot be assigned to one of them",
				l.Ref(), pipe.Stages[before].Name, s.Name)
		}
		stages[at] = i
	}
	// l is a copy: the caller's layer keeps its protocol.
	l.Protocol = platforms.Protocol{Interrupt: -1} // the way of the data alone
	s := virtual.Of(d.Platform, l)
	var recorded virtual.Trace
	config := virtual.Config{Nodes: 2, Trace: &recorded}
	_, err := virtual.Run(s, config, func(ep *engine.Endpoint) error {
		// Both nodes register the handler in the same order, so that its number is
		// the same.
		take := ep.Handle(func(*engine.Message) {})
		if ep.Node() > 0 {
			return nil
		}
		return ep.Send(1, take, make([]byte, int(n)))
	})
	for _, span := range recorded.Spans {
		if i, known := stages[place{span.Node, span.Resource}]; known {
			t.Boxes = append(t.Boxes, table.TimelineBox{
				// People count packets from 1.
				Stage: i, Packet: int(span.Packet) + 1,
				Start: float64(span.Start), End: float64(span.End),
			})
		}
	}
	// The engine records in its own order; a reader follows a packet.
	slices.SortStableFunc(t.Boxes, func(a, b table.TimelineBox) int {
		return cmp.Or(cmp.Compare(a.Packet, b.Packet), cmp.Compare(a.Stage, b.Stage))
	})
	return t, err
}
