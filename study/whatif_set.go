package study

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// A Contrast is a design before and after parameters changed.
type Contrast struct {
	Before, After   whatif.Design
	Peak, PeakAfter Peak
	Costs           []ContrastedCost
}

// A ContrastedCost is what a message of one size costs before and after.
type ContrastedCost struct {
	Size          quantity.Bytes
	Before, After whatif.Answer
}

// Contrasted compares two designs at sizes of at least 1 byte.
func Contrasted(before, after whatif.Design, sizes []quantity.Bytes) (*Contrast, error) {
	c := &Contrast{Before: before, After: after}
	var err error
	if c.Peak, err = PeakOf(before); err != nil {
		return nil, err
	}
	if c.PeakAfter, err = PeakOf(after); err != nil {
		return nil, err
	}
	for _, n := range sizes {
		a, err := before.At(n)
		if err != nil {
			return nil, err
		}
		b, err := after.At(n)
		if err != nil {
			return nil, err
		}
		c.Costs = append(c.Costs, ContrastedCost{n, a, b})
	}
	return c, nil
}

// Rows returns the table of the costs before and after.
func (c *Contrast) Rows(units quantity.UnitChoice) reports.Rows {
	type cost = ContrastedCost
	percent := func(before, after float64) any { return 100 * (after/before - 1) }
	half := func(p Peak) any { return orAbsent(p.Half, p.Exists && p.Known) }
	top := func(p Peak) any { return orAbsent(p.Asymptote, p.Known) }
	rows := tableOf(c.Costs,
		col("platform", "", func(cost) any { return c.Before.Platform.Name }),
		col("layer", "", func(cost) any { return c.Before.Layer.Name }),
		col("size_bytes", "size", func(r cost) any { return r.Size }),
		col("", "one way", func(r cost) any {
			return reports.Change{Dim: quantity.DimTime, From: float64(r.Before.OneWay), To: float64(r.After.OneWay)}
		}),
		col("one_way_before_us", "", func(r cost) any { return r.Before.OneWay }),
		col("one_way_after_us", "", func(r cost) any { return r.After.OneWay }),
		col("one_way_change_percent", "", func(r cost) any { return percent(float64(r.Before.OneWay), float64(r.After.OneWay)) }),
		col("", "gap", func(r cost) any {
			return reports.Change{Dim: quantity.DimTime, From: float64(r.Before.Gap), To: float64(r.After.Gap)}
		}).ranked(1),
		col("gap_before_us", "", func(r cost) any { return r.Before.Gap }),
		col("gap_after_us", "", func(r cost) any { return r.After.Gap }),
		col("gap_change_percent", "", func(r cost) any { return percent(float64(r.Before.Gap), float64(r.After.Gap)) }),
		col("", "bandwidth", func(r cost) any {
			return reports.Change{Dim: quantity.DimRate, From: float64(r.Before.Bandwidth), To: float64(r.After.Bandwidth)}
		}).ranked(2),
		col("bandwidth_before_mb_s", "", func(r cost) any { return r.Before.Bandwidth }),
		col("bandwidth_after_mb_s", "", func(r cost) any { return r.After.Bandwidth }),
		col("bandwidth_change_percent", "", func(r cost) any { return percent(float64(r.Before.Bandwidth), float64(r.After.Bandwidth)) }),
		col("", "best packet", func(r cost) any {
			if r.Before.BestPacket == 0 {
				return nil
			}
			return reports.Change{Dim: quantity.DimSize, From: float64(r.Before.BestPacket), To: float64(r.After.BestPacket)}
		}).ranked(4),
		col("best_packet_before_bytes", "", func(r cost) any { return orAbsent(r.Before.BestPacket, r.Before.BestPacket > 0) }),
		col("best_packet_after_bytes", "", func(r cost) any { return orAbsent(r.After.BestPacket, r.Before.BestPacket > 0) }),
		col("", "bottleneck", func(r cost) any {
			if r.Before.Bottleneck == r.After.Bottleneck {
				return r.After.Bottleneck
			}
			return r.Before.Bottleneck + " → " + r.After.Bottleneck
		}).ranked(3),
		col("bottleneck_before", "", func(r cost) any { return r.Before.Bottleneck }),
		col("bottleneck_after", "", func(r cost) any { return r.After.Bottleneck }),
		col("n_half_before_bytes", "", func(cost) any { return half(c.Peak) }),
		col("n_half_after_bytes", "", func(cost) any { return half(c.PeakAfter) }),
		col("r_inf_before_mb_s", "", func(cost) any { return top(c.Peak) }),
		col("r_inf_after_mb_s", "", func(cost) any { return top(c.PeakAfter) }),
	)
	rows.Notes = changeNotes(c.After)
	was, is := c.Peak.Text(units), c.PeakAfter.Text(units)
	if was != is {
		is = was + " → " + is
	}
	rows.Notes = append(rows.Notes, c.Before.Layer.Ref()+": "+is)
	return rows
}

// changeNotes are the changes that were made to a design.
func changeNotes(d whatif.Design) []string {
	var notes []string
	for _, c := range d.Changes {
		notes = append(notes, fmt.Sprintf("%s: %s → %s", c.Path, c.From, c.To))
	}
	return notes
}
