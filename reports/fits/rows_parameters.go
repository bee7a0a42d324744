package fits

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows has the unit in a column, because the rows of LogGP have two: times,
// and times per byte. Numbers for programs are in that unit.
func (f *Parameters) Rows() table.Rows {
	all := f.All
	scaled := func(v float64, p Parameter) any { return v * p.Dim.Column().Scale }
	unit := func(p Parameter) any { return p.Dim.Column().Input() }
	ranged := slices.ContainsFunc(all, func(p Parameter) bool { return p.To > 0 })
	col := table.Col[Parameter]
	rows := table.TableOf(all,
		col("file", "table", func(p Parameter) any { return p.Table }).Ranked(2),
		col("model", "model", func(p Parameter) any { return p.Model }).Ranked(1),
		col("from_bytes", "from", func(p Parameter) any { return p.From }).If(ranged),
		col("to_bytes", "to", func(p Parameter) any { return p.To }).If(ranged),
		col("parameter", "parameter", func(p Parameter) any { return p.Name }),
		col("", "value (95 %)", func(p Parameter) any {
			switch {
			case p.unknown() && math.IsInf(p.High, 1):
				return "unknown"
			case p.unknown():
				return fmt.Sprintf("at most %v", table.Shown(p.Dim, quantity.Alone(p.High)))
			}
			return table.Interval{Dim: p.Dim, Interval: p.Interval}
		}),
		col("value", "", func(p Parameter) any {
			return table.OrAbsent(scaled(p.Value, p), !p.unknown())
		}),
		col("low", "", func(p Parameter) any { return scaled(p.Low, p) }),
		col("high", "", func(p Parameter) any { return scaled(p.High, p) }),
		col("unit", "", unit),
	)
	known := slices.DeleteFunc(slices.Clone(all), Parameter.unknown)
	ranges := table.Groups(known, func(p Parameter) string { return fmt.Sprint(p.Table, p.From) })
	rows.Verdict = table.Listed("; ", ranges, func(of []Parameter) table.Sentence {
		text := table.Listed(", ", of, func(p Parameter) table.Sentence {
			return table.Say("%s %v", p.Name, table.Shown(p.Dim, quantity.Alone(p.Value)))
		})
		if ranged {
			return table.Say("%v to %v: %v", of[0].From, of[0].To, text)
		}
		return text
	})
	return rows
}
