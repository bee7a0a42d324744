package whatif

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// A sensitivity says how much a quantity depends on a parameter.
type sensitivity struct {
	Param platforms.Param
	// PerPercent is the change of the quantity in percent for each percent of the parameter, from 1
	// % less to 1 % more: −1 for a divisor. Sizes and other whole numbers change by at least one.
	// NaN where no other value is possible.
	PerPercent float64
	// Low and High are the quantity with the parameter smaller and larger by the part asked for;
	// NaN where such a value is impossible.
	Low, High float64
}

// sensitivities returns the sensitivity of the quantity, whose value is now, to each parameter of
// the design that is not computed from other parameters, the most important first. Low and
// High are at the parameter times 1−part and 1+part. Parameters of 0 have no percent
// of change; computed ones would count a change twice.
func (d Design) sensitivities(q Quantity, now, part float64) ([]sensitivity, error) {
	var free []platforms.Param
	for _, p := range d.Uses() {
		if p.Value.Num != 0 && !d.Platform.Computed(p.Path) {
			free = append(free, p)
		}
	}
	all := make([]sensitivity, len(free))
	// Each value may be a simulation, so all processors try parameters.
	err := parallel.Each(context.Background(), len(free), 0, func(_ context.Context, i int) error {
		p := free[i]
		prog, _ := d.Compile(p)
		at := func(part float64) (change, value float64) {
			v := p.Value.Num * (1 + part)
			if p.Whole() {
				// One percent of a small number of bytes rounds to nothing.
				if v = math.Round(v); v == p.Value.Num {
					v += math.Copysign(1, part)
				}
			}
			if !prog.Set(v) {
				return math.NaN(), math.NaN()
			}
			return v/p.Value.Num - 1, q.in(prog.Costs())
		}
		s := sensitivity{Param: p}
		// A central difference has no error from a bend of the quantity. At the limit of what is
		// possible, as fewer lanes than one, one side alone has a value.
		less, low := at(-0.01)
		more, high := at(+0.01)
		if math.IsNaN(low) {
			less, low = 0, now
		} else if math.IsNaN(high) {
			more, high = 0, now
		}
		s.PerPercent = (high - low) / now / (more - less)
		_, s.Low = at(-part)
		_, s.High = at(+part)
		all[i] = s
		return nil
	})
	slices.SortStableFunc(all, func(a, b sensitivity) int {
		return cmp.Compare(weight(b), weight(a))
	})
	return all, err
}

// weight orders sensitivities; unknown ones come last. It is rounded, so that
// parameters of equal effect stay in the order of the file and do not change places
// by rounding errors.
func weight(s sensitivity) float64 {
	if math.IsNaN(s.PerPercent) {
		return -1
	}
	return math.Round(math.Abs(s.PerPercent)*1e9) / 1e9 // equal ones stay in the order of the file
}

// sensitivityRows lists by how many percent each quantity changes for a percent of each parameter,
// and what it becomes with the parameter 10 % smaller and larger.
func sensitivityRows(d Design, quantities []Quantity, sizes []quantity.Bytes,
	units quantity.UnitChoice) (reports.Rows, error) {
	// Rows go by size, then quantity, then importance: the question mostly is what
	// matters at one size.
	type row struct {
		sensitivity
		of   Quantity
		size quantity.Bytes
		now  float64
	}
	var all []row
	for _, n := range sizes {
		for _, q := range quantities {
			now, err := d.valueOf(q.at(n))
			if err != nil {
				return reports.Rows{}, err
			}
			found, err := d.sensitivities(q.at(n), now, tornadoPart)
			if err != nil {
				return reports.Rows{}, err
			}
			for _, s := range found {
				all = append(all, row{s, q.at(n), n, now})
			}
		}
	}
	text := func(s row, v float64) any {
		if math.IsNaN(v) {
			return nil
		}
		return units.Print(s.of.value(v))
	}
	parameter := func(s row) quantity.Column { return s.Param.Value.Dim.Column() }
	asked := func(s row) quantity.Column { return s.of.dim().Column() }
	rows := reports.TableOf(all,
		reports.Col("platform", "", func(row) any { return d.Platform.Name }),
		reports.Col("layer", "", func(row) any { return d.layerName() }),
		reports.Col("size_bytes", reports.HeadIf(sized(quantities), "size"),
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
			func(s row) any { return text(s, s.Low) }).Ranked(3),
		reports.Col("", "10 % larger",
			func(s row) any { return text(s, s.High) }).Ranked(3),
		reports.Col("quantity_now", "", func(s row) any { return s.now * asked(s).Scale }),
		reports.Col("quantity_smaller", "", func(s row) any {
			return s.Low * asked(s).Scale
		}),
		reports.Col("quantity_larger", "", func(s row) any {
			return s.High * asked(s).Scale
		}),
		reports.Col("quantity_unit", "", func(s row) any { return asked(s).Unit }),
	)
	rows.Notes = notesOf(quantities)
	return rows, nil
}

// tornadoPart is the relative change of each parameter in a tornado.
const tornadoPart = 0.1

// tornado draws what a quantity becomes with each parameter 10 % smaller and larger,
// the widest bar first. Parameters that change it by less than 0.01 % would be bars
// without a width, and are only counted.
func tornado(d Design, q Quantity) (reports.Tornado, error) {
	now, err := d.valueOf(q)
	if err != nil {
		return reports.Tornado{}, err
	}
	all, err := d.sensitivities(q, now, tornadoPart)
	t := reports.Tornado{
		Title: d.subject() + ": " + q.axis().Label,
		X:     reports.Axis{Label: q.of.Title, Dim: q.dim()}, Base: now,
		BaseLabel: q.value(now).String(), Less: "parameter 10 % smaller",
		More: "parameter 10 % larger",
	}
	width := func(s sensitivity) float64 {
		w := 0.0
		for _, v := range []float64{s.Low, s.High} {
			if !math.IsNaN(v) {
				w = max(w, math.Abs(v-now))
			}
		}
		return w
	}
	slices.SortStableFunc(all, func(a, b sensitivity) int {
		return cmp.Compare(width(b), width(a))
	})
	for _, s := range all {
		if width(s) > 1e-4*now {
			t.Bars = append(t.Bars,
				reports.TornadoBar{Name: s.Param.Short() + " " + s.Param.Value.String(), Low: s.Low,
					High: s.High})
		}
	}
	if still := len(all) - len(t.Bars); still > 0 {
		t.Notes = append(t.Notes,
			fmt.Sprintf("Parameters that change it by less than 0.01 %%: %d.", still))
	}
	return t, err
}
