package whatif

import (
	"cmp"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows lists by how many percent each quantity changes for a percent of each parameter,
// and what it becomes with the parameter 10 % smaller and larger.
func (s *Sensitivities) Rows() table.Rows {
	type row = SensitivityOf
	d := s.After
	text := func(r row, v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return s.Units.Print(r.Quantity.Value(v))
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
		table.Col("quantity_now", "", func(r row) any { return r.Now * asked(r).Scale }),
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
	rows.Doubts = s.doubts
	if len(s.Of) > 0 {
		last := s.Of[len(s.Of)-1]
		ofLast := slices.DeleteFunc(slices.Clone(s.Of), func(r row) bool {
			return r.Quantity != last.Quantity
		})
		most := slices.MaxFunc(ofLast, func(a, b row) int {
			return cmp.Compare(math.Abs(a.PerPercent), math.Abs(b.PerPercent))
		})
		rows.Verdict = table.Say("%s depends most on %s: %s for 1 %% more of it", most.Quantity,
			most.Param.Path, table.PercentText("%+.2f %%")(most.PerPercent))
	}
	return rows
}
