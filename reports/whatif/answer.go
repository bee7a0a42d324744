package whatif

import (
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An Answer is the cost of a message of one size in a design.
type Costs struct {
	Size        quantity.Bytes
	OneWay, Gap quantity.Micros
	Bandwidth   quantity.MBps
	BestPacket  quantity.Bytes // the best equal packets of the pipeline in use; 0: no pipeline
	// the stage or parameter that owns most of the gap; see [Design.Shares]
	Bottleneck string
}

// At returns the costs of a message of n bytes, n ≥ 1. The bottleneck is the owner of
// most of the gap, not of the one-way time: it limits a stream of messages, while
// every stage delays a single one.
func (d Design) At(n quantity.Bytes) (Costs, error) {
	l := d.Layer.Model
	a := Costs{Size: n, OneWay: l.OneWay(n), Gap: l.Gap(n), Bandwidth: model.Bandwidth(l, n),
		BestPacket: model.BestPacket(l, n)}
	owners, err := d.Owners(n)
	most := quantity.Micros(0)
	for _, o := range owners {
		if o.Gap > most {
			a.Bottleneck, most = o.Owner, o.Gap
		}
	}
	return a, err
}
