package whatif

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// sensitivityRows lists by how many percent each quantity changes for a percent of each parameter,
// and what it becomes with the parameter 10 % smaller and larger.
func sensitivityRows(d whatif.Design, quantities []whatif.Quantity, sizes []quantity.Bytes,
	units quantity.UnitChoice) (reports.Rows, error) {
	// Rows go by size, then quantity, then importance: the question mostly is what
	// matters at one size.
	type row struct {
		whatif.Sensitivity
		of   whatif.Quantity
		size quantity.Bytes
		now  float64
	}
	var all []row
	for _, n := range sizes {
		for _, q := range quantities {
			now, err := d.ValueOf(q.At(n))
			if err != nil {
				return reports.Rows{}, err
			}
			found, err := d.Sensitivities(q.At(n), now, tornadoPart)
			if err != nil {
				return reports.Rows{}, err
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
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(row) any { return d.Platform.Name }),
		reports.Col("layer", "", func(row) any { return layerName(d) }),
		reports.Col("size_bytes", reports.HeadIf(whatif.Sized(quantities), "size"),
			func(s row) any { return s.size }).Ranked(1),
		reports.Col("quantity", "quantity", func(s row) any { return s.of.Name }).Ranked(4),
		reports.Col("parameter", "parameter", func(s row) any { return s.Param.Path }),
		reports.Col("", "current",
			func(s row) any { return s.Param.Value.String() }).Ranked(2),
		reports.Col("value", "", func(s row) any {
			return s.Param.Value.Num * parameter(s).Scale
		}),
		reports.Col("unit", "", func(s row) any { return parameter(s).Unit }),
		reports.Col("percent_per_percent", "change per percent",
			func(s row) any {
				return s.PerPercent
			}).Texted(reports.PercentText("%+.2f %%")),
		reports.Col("", "10 % smaller",
			func(s row) any { return text(s, s.Less) }).Ranked(3),
		reports.Col("", "10 % larger",
			func(s row) any { return text(s, s.More) }).Ranked(3),
		reports.Col("quantity_now", "", func(s row) any { return s.now * asked(s).Scale }),
		reports.Col("quantity_smaller", "", func(s row) any {
			return s.Less * asked(s).Scale
		}),
		reports.Col("quantity_larger", "", func(s row) any {
			return s.More * asked(s).Scale
		}),
		reports.Col("quantity_unit", "", func(s row) any { return asked(s).Unit }),
	)
	// A small screen has what matters.
	rows.RowRank = func(i int) int {
		if math.Abs(all[i].PerPercent) < 0.005 { // printed as 0.00 %
			return 1
		}
		return 0
	}
	rows.Doubts = whatif.NotesOf(quantities)
	if len(all) > 0 {
		last := all[len(all)-1]
		ofLast := slices.DeleteFunc(slices.Clone(all), func(s row) bool { return s.of != last.of })
		most := slices.MaxFunc(ofLast, func(a, b row) int {
			return cmp.Compare(math.Abs(a.PerPercent), math.Abs(b.PerPercent))
		})
		rows.Verdict = reports.Say("%s depends most on %s: %s for 1 %% more of it", most.of,
			most.Param.Path, reports.PercentText("%+.2f %%")(most.PerPercent))
	}
	return rows, nil
}

// tornadoPart is the relative change of each parameter in a tornado.
const tornadoPart = 0.1

// tornado draws what a quantity becomes with each parameter 10 % smaller and larger,
// the widest bar first. Parameters that change it by less than 0.01 % would be bars
// without a width, and are only counted.
func tornado(d whatif.Design, q whatif.Quantity) (reports.Tornado, error) {
	now, err := d.ValueOf(q)
	if err != nil {
		return reports.Tornado{}, err
	}
	all, err := d.Sensitivities(q, now, tornadoPart)
	t := reports.Tornado{
		Title: d.Subject() + ": " + axis(q).Label,
		X:     reports.Axis{Label: q.Kind.Title, Dim: q.Kind.Dim}, Base: now,
		BaseLabel: q.Value(now).String(), Less: "10 % smaller",
		More: "10 % larger",
	}
	width := func(s whatif.Sensitivity) float64 {
		w := 0.0
		for _, v := range []float64{s.Less, s.More} {
			if !math.IsNaN(v) {
				w = max(w, math.Abs(v-now))
			}
		}
		return w
	}
	slices.SortStableFunc(all, func(a, b whatif.Sensitivity) int {
		return cmp.Compare(width(b), width(a))
	})
	for _, s := range all {
		if width(s) > 1e-4*now {
			t.Bars = append(t.Bars, reports.TornadoBar{Less: s.Less, More: s.More,
				Name: s.Param.Short() + " " + s.Param.Value.String()})
		}
	}
	if still := len(all) - len(t.Bars); still > 0 {
		t.Notes = append(t.Notes,
			fmt.Sprintf("Parameters that change it by less than 0.01 %%: %d.", still))
	}
	return t, err
}
