package study

import (
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
	Platform, Layer               string
	Size                          quantity.Bytes
	SendOverhead, ReceiveOverhead quantity.Micros // both 0: the model does not say
	OneWay, RTT, Gap              quantity.Micros
	Bandwidth                     quantity.MBps
	Asymptote                     quantity.MBps  // r∞
	Half                          quantity.Bytes // n½; 0: there is none
	BestPacket                    quantity.Bytes // the best equal packets; 0: no pipeline
	Roof                          platforms.Roof // the lowest; without a name: the file states none
	RoofShare                     float64        // r∞ over the roof
}

// Compare puts layers side by side, each with messages of each of the sizes, at least 1 byte.
func Compare(sizes []quantity.Bytes, designs ...whatif.Design) Comparison {
	var all Comparison
	for _, d := range designs {
		for _, n := range sizes {
			all = append(all, compared(d, n))
		}
	}
	return all
}

func compared(d whatif.Design, n quantity.Bytes) Compared {
	m := d.Layer.Model
	c := Compared{
		Platform: d.Platform.Name, Layer: d.Layer.Name, Size: n, OneWay: m.OneWay(n), RTT: model.RTT(m, n), Gap: m.Gap(n),
		Bandwidth: model.Bandwidth(m, n), Asymptote: model.Asymptote(m), BestPacket: bestPacket(m, n),
	}
	c.SendOverhead, c.ReceiveOverhead = m.Overheads(n)
	if half, ok := model.HalfPeak(m); ok {
		c.Half = half
	}
	c.Roof, c.RoofShare, _ = d.Layer.LowestRoof()
	return c
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
	return tableOf(c,
		col("platform", "platform", func(c Compared) any { return c.Platform }),
		col("layer", "layer", func(c Compared) any { return c.Layer }).ranked(2),
		col("size_bytes", "size", func(c Compared) any { return c.Size }),
		col("send_overhead_us", "o_s", func(c Compared) any { return orAbsent(c.SendOverhead, overheads(c)) }).ranked(4),
		col("receive_overhead_us", "o_r", func(c Compared) any { return orAbsent(c.ReceiveOverhead, overheads(c)) }).ranked(4),
		col("one_way_us", "one way", func(c Compared) any { return c.OneWay }),
		col("rtt_us", "RTT", func(c Compared) any { return c.RTT }).ranked(3),
		col("gap_us", "gap", func(c Compared) any { return c.Gap }).ranked(1),
		col("bandwidth_mb_s", "bandwidth", func(c Compared) any { return c.Bandwidth }).ranked(1),
		col("r_inf_mb_s", "r∞", func(c Compared) any { return c.Asymptote }),
		col("n_half_bytes", "n½", func(c Compared) any { return orAbsent(c.Half, c.Half > 0) }),
		col("best_packet_bytes", "best packet", func(c Compared) any { return orAbsent(c.BestPacket, c.BestPacket > 0) }).ranked(5),
		col("roof", "roof", func(c Compared) any { return orNil(c.Roof.Name) }).ranked(6),
		col("roof_mb_s", "", func(c Compared) any { return orAbsent(c.Roof.Rate, roofed(c)) }),
		col("percent_of_roof", "of roof", func(c Compared) any { return orAbsent(100*c.RoofShare, roofed(c)) }).texted(reports.PercentShare).ranked(6),
	)
}
