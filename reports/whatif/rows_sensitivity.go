package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// sensitivityRows lists by how many percent each quantity changes for a percent of each parameter,
// and what it becomes with the parameter 10 % smaller and larger.
func sensitivityRows(d Design, quantities []Quantity, sizes []quantity.Bytes,
	units quantity.UnitChoice) (table.Rows, error) {
	// Rows go by size, then quantity, then importance: the question mostly is what
	// matters at one size.
	type row struct {
		Sensitivity
		of   Quantity
		size quantity.Bytes
		now  float64
	}
	var all []row
	for _, n := range sizes {
		for _, q := range quantities {
			now, err := d.ValueOf(q.At(n))
			if err != nil {
				return table.Rows{}, err
			}
			found, err := d.Sensitivities(q.At(n), now, tornadoPart)
			if err != nil {
				return table.Rows{}, err
			}
			for _, s := range found {
				all = append(all, row{s, q.At(n), n, now})
			}
		}
	}
	text := func(s row, v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return units.Print(s.of.Value(v))
	}
	parameter := func(s row) quantity.Column { return s.Param.Value.Dim.Column() }
	asked := func(s row) quantity.Column { return s.of.Kind.Dim.Column() }
	rows := table.TableOf(all,
		table.Col("platform", "", func(row) any { return d.Platform.Name }),
		table.Col("layer", "", func(row) any { return layerName(d) }),
		table.Col("size_bytes", table.HeadIf(Sized(quantities), "size"),
			func(s row) any { return s.size }).Ranked(1),
		table.Col("quantity", "quantity", func(s row) any { return s.of.Name }).Ranked(4),
		table.Col("parameter", "parameter", func(s row) any { return s.Param.Path }),
		table.Col("", "current",
			func(s row) any { return s.Param.Value.String() }).Ranked(2),
		table.Col("value", "", func(s row) any {
			return s.Param.Value.Num * parameter(s).Scale
		}),
		table.Col("unit", "", func(s row) any { return parameter(s).Unit }),
		table.Col("percent_per_percent", "change per percent",
			func(s row) any {
				return s.PerPercent
			}).Texted(table.PercentText("%+.2f %%")),
		table.Col("", "10 % smaller",
			func(s row) any { return text(s, s.Less) }).Ranked(3),
		table.Col("", "10 % larger",
			func(s row) any { return text(s, s.More) }).Ranked(3),
		table.Col("quantity_now", "", func(s row) any { return s.now * asked(s).Scale }),
		table.Col("quantity_smaller", "", func(s row) any {
			return s.Less * asked(s).Scale
		}),
		table.Col("quantity_larger", "", func(s row) any {
			return s.More * asked(s).Scale
		}),
		table.Col("quantity_unit", "", func(s row) any { return asked(s).Unit }),
	)
	// A small screen has what matters.
	rows.RowRank = func(i int) int {
		if math.Abs(all[i].PerPercent) < 0.005 { // printed as 0.00 %
			return 1
		}
		return 0
	}
	rows.Doubts = NotesOf(quantities)
	if len(all) > 0 {
		last := all[len(all)-1]
		ofLast := slices.DeleteFunc(slices.Clone(all), func(s row) bool { return s.of != last.of })
		most := slices.MaxFunc(ofLast, func(a, b row) int {
			return cmp.Compare(math.Abs(a.PerPercent), math.Abs(b.PerPercent))
		})
		rows.Verdict = table.Say("%s depends most on %s: %s for 1 %% more of it", most.of,
			most.Param.Path, table.PercentText("%+.2f %%")(most.PerPercent))
	}
	return rows, nil
}

// tornadoPart is the relative change of each parameter in a tornado.
const tornadoPart = 0.1

// tornado draws what a quantity becomes with each parameter 10 % smaller and larger,
// the widest bar first. Parameters that change it by less than 0.01 % would be bars
// without a width, and are only counted.
func tornado(d Design, q Quantity) (table.Tornado, error) {
	now, err := d.ValueOf(q)
	if err != nil {
		return table.Tornado{}, err
	}
	all, err := d.Sensitivities(q, now, tornadoPart)
	t := table.Tornado{
		Title: d.Subject() + ": " + axis(q).Label,
		X:     table.Axis{Label: q.Kind.Title, Dim: q.Kind.Dim}, Base: now,
		BaseLabel: q.Value(now).String(), Less: "10 % smaller",
		More: "10 % larger",
	}
	width := func(s Sensitivity) float64 {
		w := 0.0
		for _, v := range []float64{s.Less, s.More} {
			if !math.IsNaN(v) {
				w = max(w, math.Abs(v-now))
			}
		}
		return w
	}
	slices.SortStableFunc(all, func(a, b Sensitivity) int {
		return cmp.Compare(width(b), width(a))
	})
	for _, s := range all {
		if width(s) > 1e-4*now {
			t.Bars = append(t.Bars, table.TornadoBar{Less: s.Less, More: s.More,
				Name: s.Param.Short() + " " + s.Param.Value.String()})
		}
	}
	if still := len(all) - len(t.Bars); still > 0 {
		t.Notes = append(t.Notes,
			fmt.Sprintf("Parameters that change it by less than 0.01 %%: %d.", still))
	}
	return t, err
}
