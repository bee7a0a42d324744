package page

import (
	"context"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Bounds of timelines.
const (
	maxBoxes = 20_000 // as predict.Timeline has it

	maxMessage quantity.Bytes = 64 << 20
)

// pipeline answers with three timelines, the packets of the slider first. While a
// slider moves, only this one changes.
func (x *Explorer) pipeline(r pipelineRequest) (pipeline, error) {
	d, n, err := x.pipelined(r)
	if err != nil {
		return pipeline{}, err
	}
	pipe, ok := model.At(d.Layer.Model, n).(*model.Pipeline)
	if !ok {
		return pipeline{},
			fmt.Errorf("%s sends %s without a pipeline, so there are no packets; its model is %s; "+
				"packets need a layer with stages, and the fixed cost and the rate of each, as "+
				"clip has", d.Layer.Ref(), n, d.Layer.Kind)
	}
	p := pipeline{Size: number(n),
		Now: timeline(d, n, pipe, model.EqualPlan(n, pipe.PacketSize(n)))}
	if r.Plain {
		return p, nil
	}
	best, _ := pipe.BestPacket(n)
	equal := timeline(d, n, pipe, model.EqualPlan(n, best))
	plan, _ := pipe.BestPlan(n)
	unequal := timeline(d, n, pipe, plan)
	packet := packets(d, n, pipe, best)
	rows, err := cutRows(d, n)
	if err != nil {
		return p, err
	}
	shown, err := tableOf(rows, nil)
	p.Best, p.Plan, p.Packet, p.Cuts = &equal, &unequal, &packet, &shown
	return p, err
}

// cutRows returns the ways to cut a message. Their table names every packet, so there must not be
// too many packets.
func cutRows(d platforms.Design, n quantity.Bytes) (table.Rows, error) {
	q := message.CutQuestion{On: []platforms.Design{d}, Sizes: []quantity.Bytes{n}}
	cuts, err := q.Ask(context.Background())
	if err != nil {
		return table.Rows{}, err
	}
	for _, c := range cuts.Cuts {
		if c.Plan.Packets() > maxBoxes {
			return table.Rows{},
				fmt.Errorf("%s makes %d packets; at most %d are listed, so choose a smaller size",
					n, c.Plan.Packets(), maxBoxes)
		}
	}
	return cuts.Rows(), nil
}

// pipelined reads the request of a pipeline. The packet of the request replaces that
// of the design, as `plot --packet` does.
func (x *Explorer) pipelined(r pipelineRequest) (platforms.Design, quantity.Bytes, error) {
	d, err := x.messages(r.design)
	if err != nil {
		return d, 0, err
	}
	n, err := size(r.Size)
	if err == nil && n > maxMessage {
		err = fmt.Errorf("a message of %s; at most %s here", n, maxMessage)
	}
	if err != nil {
		return d, 0, err
	}
	if d, err = d.Recut(r.Packet); err != nil {
		err = fmt.Errorf("packet %w", err)
	}
	return d, n, err
}

// timeline draws a message in these packets by the pipeline's recurrence. The message engine, which
// `halfpeak plot` asks, gives the same up to rounding, and would be a tenth of the page.
func timeline(d platforms.Design, n quantity.Bytes, pipe *model.Pipeline, plan model.Plan,
) packetTimeline {
	oneWay := pipe.OneWayAs(plan)
	a := packetTimeline{
		Title:  fmt.Sprintf("%s: %s in packets of %s", d.Layer.Ref(), n, plan.Largest()),
		Stages: list.Map(pipe.Stages, func(s model.Stage) string { return s.Name }), Boxes: []box{},
		Packet: number(plan.Largest()), Packets: plan.Packets(), OneWay: number(oneWay),
		Text: oneWay.String(),
	}
	// The page shows the time without a picture.
	if plan.Packets()*len(pipe.Stages) > maxBoxes {
		return a
	}
	for _, b := range message.Planned(d.Layer, n, pipe, plan).Boxes {
		a.Boxes = append(a.Boxes, box{b.Stage, b.Packet, number(b.Start), number(b.End)})
	}
	return a
}

// packets draws the one-way time of a message against the size of its packets, and
// marks the best. The curve has 16 sizes for each doubling from 64 bytes on. The best
// size is added, so that the mark lies on the line.
func packets(d platforms.Design, n quantity.Bytes, pipe *model.Pipeline,
	best quantity.Bytes) table.Figure {
	s := table.Series{Name: d.Layer.Ref(), Kind: table.Line}
	add := func(size quantity.Bytes) {
		s.X, s.Y = append(s.X, float64(size)), append(s.Y, float64(pipe.OneWayIn(n, size)))
	}
	last := quantity.Bytes(0)
	for k := 0; last < n; k++ { // 16 for each doubling
		size := quantity.Bytes(math.Round(float64(min(64, n)) * math.Exp2(float64(k)/16)))
		// Rounding makes neighbours equal at small sizes.
		if size = min(size, n); size > last {
			if last < best && best < size {
				add(best)
			}
			add(size)
			last = size
		}
	}
	t := pipe.OneWayIn(n, best)
	return table.Figure{
		Title:  fmt.Sprintf("%s: %s in equal packets", d.Layer.Ref(), n),
		X:      table.Axis{Label: "packet size"},
		Y:      table.Axis{Label: "one-way time", Dim: quantity.DimTime},
		Series: []table.Series{s},
		Marks: []table.Mark{{Kind: table.AtPoint, X: float64(best), Y: float64(t),
			Label: fmt.Sprintf("best %s: %s", best, t), Series: s.Name}},
	}
}
