package whatif

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A SensitivityQuestion asks how much quantities depend on each parameter.
type SensitivityQuestion struct{ Case }

// Sensitivities say how much quantities depend on each parameter: by size, then by quantity, then
// the most important first. The question mostly is what matters at one size.
type Sensitivities struct {
	Case
	Of         []SensitivityOf
	notes      []remark.Note
	noInterval string // what is known of the error of values without an interval
}

// A SensitivityOf is one of a quantity that has a size.
type SensitivityOf struct {
	Sensitivity
	Quantity Quantity
	Size     quantity.Bytes // also of a quantity that needs none
	// Now is the quantity as it is, with the interval of its next measurement where that is known.
	Now quantity.Interval
}

// tornadoPart is the relative change of each parameter in a tornado, and in the table.
const tornadoPart = 0.1

func (q SensitivityQuestion) Ask(context.Context) (*Sensitivities, error) {
	s := &Sensitivities{Case: q.Case}
	s.Sizes, s.Quantities = q.sizesOr(OneSize), q.quantitiesOr("one_way")
	s.notes = NotesOf(s.Quantities)
	var values []quantity.Interval
	for _, n := range s.Sizes {
		for _, of := range s.Quantities {
			now, err := q.After.predicted(of.At(n))
			if err != nil {
				return nil, err
			}
			found, err := q.After.sensitivities(of.At(n), now.Value, tornadoPart)
			if err != nil {
				return nil, err
			}
			values = append(values, now)
			for _, one := range found {
				s.Of = append(s.Of, SensitivityOf{one, of.At(n), n, now})
			}
		}
	}
	s.noInterval = q.After.noInterval(s.Quantities, values...)
	return s, nil
}

// A Sensitivity says how much a quantity depends on a parameter.
type Sensitivity struct {
	Param platforms.Param
	// PerPercent is the change of the quantity in percent for each percent of the parameter, from 1
	// % less to 1 % more: −1 for a divisor. Sizes and other whole numbers change by at least one.
	// NaN where no other value is possible.
	PerPercent float64
	// Less and More are the quantity with the parameter smaller and larger by the part asked for;
	// NaN where such a value is impossible.
	Less, More float64
}

// sensitivities returns the sensitivity of the quantity, whose value is now, to each parameter of
// the design that is not computed from other parameters, the most important first. Less and
// More are at the parameter times 1−part and 1+part. Parameters of 0 have no percent
// of change; computed ones would count a change twice.
func (d Design) sensitivities(q Quantity, now, part float64) ([]Sensitivity, error) {
	var free []platforms.Param
	for _, p := range d.Uses() {
		if p.Value.Num != 0 && !d.Platform.Computed(p.Path) {
			free = append(free, p)
		}
	}
	all := make([]Sensitivity, len(free))
	// Each value may be a simulation, so all processors try parameters.
	err := parallel.Each(context.Background(), len(free), 0, func(_ context.Context, i int) error {
		p := free[i]
		prog, _ := d.Compile(p)
		at := func(part float64) (change, value float64) {
			v := p.Value.Num * (1 + part)
			// One percent of a small number of bytes rounds to nothing.
			if p.Counted() {
				if v = math.Round(v); v == p.Value.Num {
					v += math.Copysign(1, part)
				}
			}
			if !prog.Set(v) {
				return math.NaN(), math.NaN()
			}
			return v/p.Value.Num - 1, q.In(prog.Costs())
		}
		s := Sensitivity{Param: p}
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
		_, s.Less = at(-part)
		_, s.More = at(+part)
		all[i] = s
		return nil
	})
	slices.SortStableFunc(all, func(a, b Sensitivity) int {
		return cmp.Compare(weight(b), weight(a))
	})
	return all, err
}

// A Limit is what a quantity depends on most.
type Limit struct {
	Sensitivity
	Resource string // that the parameter is of, such as "the port of level node"
}

// limiting returns what a quantity, whose value is now, depends on most: the parameter of a cost,
// or the number of lanes or ports; false if there is none.
func (d Design) limiting(q Quantity, now float64) (l Limit, ok bool) {
	all, err := d.sensitivities(q, now, 0.01)
	if err != nil {
		return l, false
	}
	for _, s := range all {
		of := s.Param
		shared := of.Table == "level" && slices.Contains([]string{"lanes", "ports"}, of.Key)
		if !(math.Abs(s.PerPercent) > 0.01) || !of.Measure.Cost() && !shared {
			continue
		}
		for _, level := range d.Platform.Levels {
			for _, key := range []string{"port", "shared", "link", "local", "global", "layer"} {
				if of.Table == "layer" && slices.Contains(level.Layers[key], of.Owner) {
					return Limit{s, "the " + key + " of level " + level.Name}, true
				}
			}
		}
		return Limit{s, of.Table + " " + of.Owner}, true
	}
	return l, false
}

// weight orders sensitivities; unknown ones come last. It is rounded, so that
// parameters of equal effect stay in the order of the file and do not change places
// by rounding errors.
func weight(s Sensitivity) float64 {
	if math.IsNaN(s.PerPercent) {
		return -1
	}
	return math.Round(math.Abs(s.PerPercent)*1e9) / 1e9 // equal ones stay in the order of the file
}
