package whatif

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows lists by how many percent each quantity changes for a percent of each parameter,
// and what it becomes with the parameter 10 % smaller and larger.
func (s *Sensitivities) Rows() table.Rows {
	type row = SensitivityOf
	d := s.After
	text := func(r row, v float64) any {
		return table.Shown(r.Quantity.Kind.Dim, quantity.Alone(v))
	}
	parameter := func(r row) quantity.Column { return r.Param.Value.Dim.Column() }
	asked := func(r row) quantity.Column { return r.Quantity.Kind.Dim.Column() }
	rows := table.TableOf(s.Of,
		table.Col("platform", "", func(row) any { return d.Platform.Name }),
		table.Col("layer", "", func(row) any { return layerName(d) }),
		table.Col("size_bytes", table.HeadIf(Sized(s.Quantities), "size"),
			func(r row) any { return r.Size }).Ranked(1),
		table.Col("quantity", "quantity", func(r row) any { return r.Quantity.Name }).Ranked(4),
		table.Col("parameter", "parameter", func(r row) any { return r.Param.Path }),
		table.Col("", "current",
			func(r row) any { return r.Param.Value.String() }).Ranked(2),
		table.Col("value", "", func(r row) any {
			return r.Param.Value.Num * parameter(r).Scale
		}),
		table.Col("unit", "", func(r row) any { return parameter(r).Unit }),
		table.Col("percent_per_percent", "change per percent",
			func(r row) any {
				return r.PerPercent
			}).Texted(table.PercentText("%+.2f %%")),
		table.Col("", "10 % smaller",
			func(r row) any { return text(r, r.Less) }).Ranked(3),
		table.Col("", "10 % larger",
			func(r row) any { return text(r, r.More) }).Ranked(3),
		table.Col("quantity_now", "", func(r row) any { return r.Now.Value * asked(r).Scale }),
		table.Col("quantity_smaller", "", func(r row) any {
			return r.Less * asked(r).Scale
		}),
		table.Col("quantity_larger", "", func(r row) any {
			return r.More * asked(r).Scale
		}),
		table.Col("quantity_unit", "", func(r row) any { return asked(r).Unit }),
	)
	// A small screen has what matters.
	rows.RowRank = func(i int) int {
		if math.Abs(s.Of[i].PerPercent) < 0.005 { // printed as 0.00 %
			return 1
		}
		return 0
	}
	rows.Notes, rows.Verdict = s.notes, s.closing()
	return rows
}

// closing says what each quantity depends on most.
func (s *Sensitivities) closing() table.Sentence {
	closing := table.Closing{Error: s.noInterval}
	one := len(s.Quantities) == 1 && Sized(s.Quantities)
	if one {
		closing.Subject = s.Quantities[0].Kind.Title
	}
	percent := table.PercentText("%+.2g %%")
	var names []string
	var sizes []quantity.Bytes
	for _, of := range table.Groups(s.Of, func(r SensitivityOf) Quantity { return r.Quantity }) {
		most := of[0] // the most important parameter comes first
		with := table.Say(", %s with 1 %% more %s", percent(most.PerPercent), most.Param.Short())
		if len(of) > 1 && math.Abs(of[1].PerPercent) >= 0.005 {
			with = table.Say("%v, %s with 1 %% more %s", with, percent(of[1].PerPercent),
				of[1].Param.Short())
		}
		name := any(most.Size)
		if !one {
			name = named(title(most.Quantity))
		}
		closing.Values = append(closing.Values, table.Closed{Of: name,
			Value: table.Shown(most.Quantity.Kind.Dim, most.Now), With: with})
		names, sizes = append(names, most.Param.Short()), append(sizes, most.Size)
	}
	if text := table.Stretches(names, sizes); one && text != "" {
		closing.Changes = "depends most on " + text
	}
	return closing.Say()
}
