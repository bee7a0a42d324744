package message

import (
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
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

// Compare computes the costs of messages of these sizes, at least 1 byte each, in
// each layer, and its figures of merit. The layers must have times of messages or of
// streams. Rows are in the order given: the user's order is often that of a study.
// Errors are those of [Costs].
func Compare(sizes []quantity.Bytes, designs ...platforms.Design) ([]Compared, error) {
	var all []Compared
	for _, d := range designs {
		costs, err := Costs(sizes, d)
		if err != nil {
			return nil, err
		}
		m := d.Layer.Model
		for _, p := range costs.Costs {
			c := Compared{Predicted: p}
			c.BestPacket = model.BestPacket(m, p.Size)
			c.SendOverhead, c.ReceiveOverhead = m.Overheads(p.Size)
			c.Roof, c.RoofShare, _ = d.Layer.LowestRoof()
			all = append(all, c)
		}
	}
	return all, nil
}
