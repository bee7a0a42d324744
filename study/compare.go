package study

import (
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// A Comparison is layers side by side, in the order in which they were given.
type Comparison []Compared

// Compared is what a message of one size costs in a layer, and the layer's figures of merit.
type Compared struct {
	Predicted
	SendOverhead, ReceiveOverhead quantity.Micros // both 0: the model does not say
	Asymptote                     quantity.MBps   // r∞
	Half                          quantity.Bytes  // n½; 0: there is none
	BestPacket                    quantity.Bytes  // the best equal packets; 0: no pipeline
	Roof                          platforms.Roof  // the lowest; without a name: the file states none
	RoofShare                     float64         // r∞ over the roof
}

// Compare puts layers side by side, each with messages of each of the sizes, at least 1 byte.
func Compare(sizes []quantity.Bytes, designs ...whatif.Design) (Comparison, error) {
	var all Comparison
	for _, d := range designs {
		costs, err := nextCosts(d, sizes...)
		if err != nil {
			return nil, err
		}
		m := d.Layer.Model
		for _, p := range costs {
			c := Compared{Predicted: p, Asymptote: model.Asymptote(m), BestPacket: bestPacket(m, p.Size)}
			c.SendOverhead, c.ReceiveOverhead = m.Overheads(p.Size)
			if half, ok := model.HalfPeak(m); ok {
				c.Half = half
			}
			c.Roof, c.RoofShare, _ = d.Layer.LowestRoof()
			all = append(all, c)
		}
	}
	return all, nil
}

// bestPacket is the best equal packet of a message of n bytes, or 0 where no pipeline sends it.
func bestPacket(m model.Layer, n quantity.Bytes) quantity.Bytes {
	if pipe, ok := model.At(m, n).(*model.Pipeline); ok {
		size, _ := pipe.BestPacket(n)
		return size
	}
	return 0
}

// orAbsent is nothing for what a model does not know.
func orAbsent[T ~float64](v T, known bool) any {
	if !known {
		return nil
	}
	return v
}

// Rows returns the table of the layers.
func (c Comparison) Rows() reports.Rows {
	overheads := func(c Compared) bool { return c.SendOverhead+c.ReceiveOverhead > 0 }
	roofed := func(c Compared) bool { return c.Roof.Name != "" }
	predicted := func(c Compared) Predicted { return c.Predicted }
	oneWay := func(c Compared) any { return c.OneWay }
	bandwidth := func(c Compared) any { return c.Bandwidth }
	times, rates := []field[Compared]{col("one_way_us", "one way", oneWay)}, []field[Compared]{col("bandwidth_mb_s", "bandwidth", bandwidth).ranked(1)}
	var more []field[Compared]
	fitted := slices.ContainsFunc(c, func(c Compared) bool { return c.Next != nil })
	if fitted {
		times = nextFields("one_way", "one way", predicted, oneWay)
		rates = append(nextFields("bandwidth", "bandwidth", predicted, bandwidth), col("beyond", "beyond", func(c Compared) any {
			if c.Next == nil {
				return nil
			}
			return c.Next.Beyond
		}))
		more = []field[Compared]{col("model_us", "", func(c Compared) any { return c.Model })}
	}
	rows := tableOf(c, slices.Concat([]field[Compared]{
		col("platform", "platform", func(c Compared) any { return c.Platform }),
		col("layer", "layer", func(c Compared) any { return c.Layer }).ranked(2),
		col("size_bytes", "size", func(c Compared) any { return c.Size }),
		col("send_overhead_us", "o_s", func(c Compared) any { return orAbsent(c.SendOverhead, overheads(c)) }).ranked(4),
		col("receive_overhead_us", "o_r", func(c Compared) any { return orAbsent(c.ReceiveOverhead, overheads(c)) }).ranked(4),
	}, times, []field[Compared]{
		col("rtt_us", "RTT", func(c Compared) any { return c.RTT }).ranked(3),
		col("gap_us", "gap", func(c Compared) any { return c.Gap }).ranked(1),
	}, rates, []field[Compared]{
		col("r_inf_mb_s", "r∞", func(c Compared) any { return c.Asymptote }),
		col("n_half_bytes", "n½", func(c Compared) any { return orAbsent(c.Half, c.Half > 0) }),
		col("best_packet_bytes", "best packet", func(c Compared) any { return orAbsent(c.BestPacket, c.BestPacket > 0) }).ranked(5),
		col("roof", "roof", func(c Compared) any { return orNil(c.Roof.Name) }).ranked(6),
		col("roof_mb_s", "", func(c Compared) any { return orAbsent(c.Roof.Rate, roofed(c)) }),
		col("percent_of_roof", "of roof", func(c Compared) any { return orAbsent(100*c.RoofShare, roofed(c)) }).texted(reports.PercentShare).ranked(6),
	}, more)...)
	if fitted {
		rows.Notes = []string{nextNote}
	}
	return rows
}
