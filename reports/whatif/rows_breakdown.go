package whatif

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows lists the parts of each cost.
func (b *Breakdown) Rows() table.Rows {
	if len(b.After.Calls) > 0 {
		return b.callRows()
	}
	return b.messageRows()
}

// messageRows lists the owners of the one-way time and of the gap of messages.
func (b *Breakdown) messageRows() table.Rows {
	type owned struct {
		name        string
		OneWay, Gap quantity.Micros
		size        quantity.Bytes
		oneWay, gap float64 // percent
	}
	gap := b.NoGap == nil
	var all []owned
	for _, p := range b.Parts {
		for _, s := range p.Shares {
			o := owned{s.Owner, s.OneWay, s.Gap, p.Size,
				100 * float64(s.OneWay/p.OneWay), 100 * float64(s.Gap/p.Gap)}
			if s.OneWay != 0 || s.Gap != 0 {
				all = append(all, o)
			}
		}
	}
	d := b.After
	rows := table.TableOf(all,
		table.Col("platform", "", func(owned) any { return d.Platform.Name }),
		table.Col("layer", "", func(owned) any { return d.Layer.Name }),
		table.Col("size_bytes", "size", func(o owned) any { return o.size }),
		table.Col("owner", "component", func(o owned) any { return o.name }),
		table.Col("one_way_us", "of one way", func(o owned) any { return o.OneWay }),
		table.Col("one_way_percent", "share",
			func(o owned) any { return o.oneWay }).Texted(table.PercentShare),
		table.Col("gap_us", "of gap", func(o owned) any { return table.OrAbsent(o.Gap, gap) }),
		table.Col("gap_percent", "share", func(o owned) any {
			return table.OrAbsent(o.gap, gap)
		}).Texted(table.PercentShare),
	)
	rows.Verdict = b.closing()
	if b.cut {
		rows.Add(remark.SlowestStage())
	}
	if b.measured {
		rows.Add(remark.SharesOfLines())
	}
	if !gap {
		rows.Add(remark.NoGap("gap", b.NoGap))
	}
	return rows
}

// callRows lists the parts of the times of calls.
func (b *Breakdown) callRows() table.Rows {
	type part struct {
		Quantity
		name    string
		time    quantity.Micros
		percent float64
	}
	d := b.After
	var all []part
	for _, p := range b.Parts {
		for i, s := range p.Shares {
			if percent := 100 * partOf(p.Shares, p.Quantity, i); percent != 0 {
				all = append(all, part{p.Quantity, s.Owner, s.OneWay, percent})
			}
		}
	}
	rows := table.TableOf(all,
		table.Col("platform", "", func(part) any { return d.Platform.Name }),
		table.Col("layer", "", func(part) any { return layerName(d) }),
		table.Col("quantity", "quantity", func(p part) any { return title(p.Quantity) }).
			Texted(named),
		table.Col("owner", "component", func(p part) any { return p.name }),
		table.Col("time_us", "time", func(p part) any { return p.time }),
		table.Col("time_percent", "share",
			func(p part) any { return p.percent }).Texted(table.PercentShare),
	)
	rows.Add(changeNotes(d)...)
	rows.Add(remark.CriticalPath())
	rows.Add(b.notes...)
	rows.Verdict = b.closing()
	return rows
}

// closing names the largest part of each time.
func (b *Breakdown) closing() table.Sentence {
	closing := table.Closing{Error: b.noInterval}
	var names []string
	var sizes []quantity.Bytes
	for _, p := range b.Parts {
		if len(p.Shares) == 0 {
			continue
		}
		most, sum := p.Shares[0], quantity.Micros(0)
		for _, s := range p.Shares {
			if sum += s.OneWay; s.OneWay > most.OneWay {
				most = s
			}
		}
		if sum == 0 { // of one rank
			continue
		}
		of := any(p.Size)
		if p.Size == 0 {
			of = named(title(p.Quantity))
		} else {
			closing.Subject = "one way"
		}
		closing.Values = append(closing.Values, table.Closed{Of: of,
			Value: table.Shown(quantity.DimTime, p.Now),
			With: fmt.Sprintf(", %s of it %s", table.PercentShare(100*float64(most.OneWay/sum)),
				most.Owner)})
		names, sizes = append(names, most.Owner), append(sizes, p.Size)
	}
	if text := table.Stretches(names, sizes); text != "" && closing.Subject != "" {
		closing.Changes = "most of it " + text
	}
	return closing.Say()
}
