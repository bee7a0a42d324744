package main

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// runTimeline is the timeline of a message that the engine sends through a pipeline.
func runTimeline(p platforms.Platform, l platforms.Layer, n quantity.Bytes, pipe *model.Pipeline, title string) (reports.Timeline, error) {
	t := reports.Timeline{Title: title}
	if title == "" {
		t.Title = fmt.Sprintf("%s: %s in packets of %s", l.Ref(), n, pipe.PacketSize(n))
	}
	type place struct {
		node     int
		resource string
	}
	nodes := map[string]int{"sender": 0, "receiver": 1, "network": -1}
	stages := map[place]int{}
	for i, s := range pipe.Stages {
		t.Stages = append(t.Stages, s.Name)
		where := p.Places[s.Name]
		at := place{nodes[where.At], where.Resource}
		if s.Host != model.NoHost {
			at.resource = "processor"
		}
		if before, shared := stages[at]; shared {
			return t, fmt.Errorf("%s: the stages %s and %s share a resource, so that the engine's events are not of one of them", l.Ref(), pipe.Stages[before].Name, s.Name)
		}
		stages[at] = i
	}
	l.Protocol = platforms.Protocol{Interrupt: -1} // the way of the data alone
	s, err := virtual.Of(p, l)
	if err != nil {
		return t, err
	}
	var recorded virtual.Trace
	_, err = virtual.Run(s, virtual.Config{Nodes: 2, Trace: &recorded}, func(ep *engine.Endpoint) error {
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

// signature draws the LogP signatures that the engine runs, as HP-LAM's figure 4.1: a line for each Δ.
func signature(refs []string, o plotOptions) (reports.Picture, error) {
	f := reports.Figure{
		Title: o.title,
		X:     reports.Axis{Label: "messages", Scale: reports.Log},
		Y:     reports.Axis{Label: "average interval (µs)"},
		Notes: []string{"Requests issued by a simulated node, a computation of Δ after each."},
	}
	for _, ref := range refs {
		p, l, err := o.layers.find(ref)
		if err != nil {
			return nil, err
		}
		s, err := virtual.Of(p, l)
		if err != nil {
			return nil, err
		}
		v := validation{l: l, system: s}
		bursts, _, err := v.bursts()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Ref(), err)
		}
		lines := map[quantity.Micros]int{}
		for _, b := range bursts {
			i, known := lines[b.Delta]
			if !known {
				i = len(f.Series)
				lines[b.Delta] = i
				f.Series = append(f.Series, reports.Series{Name: fmt.Sprintf("%s: Δ = %v", l.Ref(), b.Delta), Kind: reports.Line})
			}
			f.Series[i].X, f.Series[i].Y = append(f.Series[i].X, float64(b.Messages)), append(f.Series[i].Y, float64(b.Interval))
		}
	}
	return f, nil
}
