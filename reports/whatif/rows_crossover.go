package whatif

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the crossings. The range within 5 % stands beside each,
// since curves that cross at a small angle cross at a size of no importance.
func (c *Crossover) Rows() table.Rows {
	spread := table.SpreadOf("", "", quantity.DimSize,
		func(o Overtaking) quantity.Interval { return o.Interval })
	spread.Low.Head, spread.High.Head = "95 % from", "to"
	rows := table.TableOf(c.Overtakings,
		table.Col("faster_below", "faster below", func(o Overtaking) any {
			return o.Below
		}),
		table.Col("faster_beyond", "faster above", func(o Overtaking) any {
			return o.Beyond
		}),
		table.Col("size_bytes", "size", func(o Overtaking) any { return o.Size }),
		table.Col("close_from_bytes", "within 5 % from", func(o Overtaking) any {
			return quantity.Bytes(o.Near.Low)
		}).Ranked(1),
		table.Col("close_to_bytes", "to", func(o Overtaking) any {
			return quantity.Bytes(o.Near.High)
		}).Ranked(1),
		spread.Low, spread.High,
		table.Col("probability", "probability",
			func(o Overtaking) any { return o.Probability }).Texted(probabilityText),
	)
	rows.Verdict, rows.Notes = table.Say("%s", c.Sentences()[0]), c.Notes
	if len(c.Overtakings) == 0 {
		rows.Notes = rows.Notes[1:] // the first is the verdict
	}
	return rows
}

// Figure returns nil: plot draws the curves that cross.
func (c *Crossover) Figure() (table.Picture, error) { return nil, nil }

// probabilityText prints a probability in percent. Rounding must not turn a likely result into a
// certain one, so only exactly 0 and 1 are "0.0 %" and "100.0 %".
func probabilityText(p any) string {
	switch v := p.(float64); {
	case v > 0.999 && v < 1:
		return "> 99.9 %"
	case v < 0.001 && v > 0:
		return "< 0.1 %"
	default:
		return fmt.Sprintf("%.1f %%", 100*v)
	}
}
