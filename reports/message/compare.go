package message

import (
	"context"
	"slices"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Compared is the cost of a message of one size in a layer, with the layer's figures
// of merit. Those do not depend on the size, except BestPacket, and are repeated in
// each row so that a program can read rows one by one.
type Compared struct {
	Predicted
	SendOverhead, ReceiveOverhead quantity.Micros // both 0: the model does not say
	BestPacket                    quantity.Bytes  // the best equal packets; 0: no pipeline
	Roof                          platforms.Roof  // the lowest; without a name: none is stated
	RoofShare                     float64         // r∞ over the roof
}

// A CompareQuestion asks for the costs of messages beside the figures of merit of each layer. The
// layers must have times of messages or of streams.
type CompareQuestion struct {
	On     []platforms.Design // each is one layer
	Sizes  []quantity.Bytes   // of messages, at least 1 each
	Cycles bool               // times in cycles of the hosts' processors too
	Curve  curves.Kind        // of the figure; empty: none
}

// A Comparison has a row for each size of each layer. They are in the order given: the user's order
// is often that of a study.
type Comparison struct {
	Costs []Compared
	notes []remark.Note
	clocks
	picture table.Picture
}

func (q CompareQuestion) Ask(ctx context.Context) (*Comparison, error) {
	found := &Comparison{}
	for _, d := range q.On {
		costs, err := CostQuestion{On: []platforms.Design{d}, Sizes: q.Sizes}.Ask(ctx)
		if err != nil {
			return nil, err
		}
		m := d.Layer.Model
		for _, p := range costs.Costs {
			c := Compared{Predicted: p}
			c.BestPacket = model.BestPacket(m, p.Size)
			c.SendOverhead, c.ReceiveOverhead = m.Overheads(p.Size)
			c.Roof, c.RoofShare, _ = d.Layer.LowestRoof()
			found.Costs = append(found.Costs, c)
		}
	}
	if found.fitted() {
		found.notes = []remark.Note{remark.Described(curves.ForecastNote)}
	}
	var err error
	if found.clocks, err = clocksOf(q.On, q.Cycles); err != nil || q.Curve == "" {
		return found, err
	}
	// The sizes are those of plot: a curve over the sizes of a table would be a few straight lines.
	drawn, err := CurveQuestion{On: q.On, Kind: q.Curve}.Ask(ctx)
	if err != nil {
		return nil, err
	}
	found.picture = drawn.Picture
	return found, nil
}

// fitted reports whether a layer was fitted, so that its times have intervals.
func (c *Comparison) fitted() bool {
	return slices.ContainsFunc(c.Costs, func(c Compared) bool { return c.Next != nil })
}
