package whatif

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// A Contrast is a design before and after parameters changed.
type Contrast struct {
	Before, After   Design
	Peak, PeakAfter Peak
	Costs           []ContrastedCost
}

// A ContrastedCost is what a message of one size costs before and after.
type ContrastedCost struct {
	Size          quantity.Bytes
	Before, After Answer
}

// Contrasted compares two designs at sizes of at least 1 byte.
func Contrasted(before, after Design, sizes []quantity.Bytes) (*Contrast, error) {
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
	half := func(p Peak) any { return reports.OrAbsent(p.Half, p.Exists && p.Known) }
	top := func(p Peak) any { return reports.OrAbsent(p.Asymptote, p.Known) }
	rows := reports.TableOf(c.Costs,
		reports.Col("platform", "", func(cost) any { return c.Before.Platform.Name }),
		reports.Col("layer", "", func(cost) any { return c.Before.Layer.Name }),
		reports.Col("size_bytes", "size", func(r cost) any { return r.Size }),
		reports.Col("", "one way", func(r cost) any {
			return reports.Change{Dim: quantity.DimTime, From: float64(r.Before.OneWay), To: float64(r.After.OneWay)}
		}),
		reports.Col("one_way_before_us", "", func(r cost) any { return r.Before.OneWay }),
		reports.Col("one_way_after_us", "", func(r cost) any { return r.After.OneWay }),
		reports.Col("one_way_change_percent", "", func(r cost) any { return percent(float64(r.Before.OneWay), float64(r.After.OneWay)) }),
		reports.Col("", "gap", func(r cost) any {
			return reports.Change{Dim: quantity.DimTime, From: float64(r.Before.Gap), To: float64(r.After.Gap)}
		}).Ranked(1),
		reports.Col("gap_before_us", "", func(r cost) any { return r.Before.Gap }),
		reports.Col("gap_after_us", "", func(r cost) any { return r.After.Gap }),
		reports.Col("gap_change_percent", "", func(r cost) any { return percent(float64(r.Before.Gap), float64(r.After.Gap)) }),
		reports.Col("", "bandwidth", func(r cost) any {
			return reports.Change{Dim: quantity.DimRate, From: float64(r.Before.Bandwidth), To: float64(r.After.Bandwidth)}
		}).Ranked(2),
		reports.Col("bandwidth_before_mb_s", "", func(r cost) any { return r.Before.Bandwidth }),
		reports.Col("bandwidth_after_mb_s", "", func(r cost) any { return r.After.Bandwidth }),
		reports.Col("bandwidth_change_percent", "", func(r cost) any { return percent(float64(r.Before.Bandwidth), float64(r.After.Bandwidth)) }),
		reports.Col("", "best packet", func(r cost) any {
			if r.Before.BestPacket == 0 {
				return nil
			}
			return reports.Change{Dim: quantity.DimSize, From: float64(r.Before.BestPacket), To: float64(r.After.BestPacket)}
		}).Ranked(4),
		reports.Col("best_packet_before_bytes", "", func(r cost) any { return reports.OrAbsent(r.Before.BestPacket, r.Before.BestPacket > 0) }),
		reports.Col("best_packet_after_bytes", "", func(r cost) any { return reports.OrAbsent(r.After.BestPacket, r.Before.BestPacket > 0) }),
		reports.Col("", "bottleneck", func(r cost) any {
			if r.Before.Bottleneck == r.After.Bottleneck {
				return r.After.Bottleneck
			}
			return r.Before.Bottleneck + " → " + r.After.Bottleneck
		}).Ranked(3),
		reports.Col("bottleneck_before", "", func(r cost) any { return r.Before.Bottleneck }),
		reports.Col("bottleneck_after", "", func(r cost) any { return r.After.Bottleneck }),
		reports.Col("n_half_before_bytes", "", func(cost) any { return half(c.Peak) }),
		reports.Col("n_half_after_bytes", "", func(cost) any { return half(c.PeakAfter) }),
		reports.Col("r_inf_before_mb_s", "", func(cost) any { return top(c.Peak) }),
		reports.Col("r_inf_after_mb_s", "", func(cost) any { return top(c.PeakAfter) }),
	)
	rows.Notes = changeNotes(c.After)
	was, is := c.Peak.Text(units), c.PeakAfter.Text(units)
	if was != is {
		is = was + " → " + is
	}
	rows.Notes = append(rows.Notes, c.Before.Layer.Ref()+": "+is)
	return rows
}

// ContrastedTimes returns the table of quantities that are times, before and after.
func ContrastedTimes(before, after Design, names []string) (reports.Rows, error) {
	type change struct {
		Quantity
		reports.Change
	}
	var all []change
	for _, name := range names {
		was, err := before.Quantity(name, 1)
		if err != nil {
			return reports.Rows{}, err
		}
		is, err := after.Quantity(name, 1)
		if err != nil {
			return reports.Rows{}, err
		}
		all = append(all, change{is, reports.Change{Dim: is.Dim(), From: was.Of(before.Layer.Model), To: is.Of(after.Layer.Model)}})
	}
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(change) any { return before.Platform.Name }),
		reports.Col("layer", "", func(change) any { return before.Layer.Name }),
		reports.Col("quantity", "quantity", func(c change) any { return c.Title() }),
		reports.Col("", "time", func(c change) any { return c.Change }),
		reports.Col("before_us", "", func(c change) any { return c.From }),
		reports.Col("after_us", "", func(c change) any { return c.To }),
		reports.Col("change_percent", "", func(c change) any { return 100 * (c.To/c.From - 1) }),
	)
	rows.Notes = changeNotes(after)
	return rows, nil
}

// changeNotes are the changes that were made to a design.
func changeNotes(d Design) []string {
	var notes []string
	for _, c := range d.Changes {
		notes = append(notes, fmt.Sprintf("%s: %s → %s", c.Path, c.From, c.To))
	}
	return notes
}
