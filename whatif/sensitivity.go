package whatif

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/platforms"
)

// A Sensitivity says how much a quantity depends on a parameter.
type Sensitivity struct {
	Param platforms.Param
	// PerPercent is the change of the quantity in percent for each percent of the parameter, from 1
	// % less to 1 % more: −1 for a divisor. Sizes and other whole numbers change by at least one.
	PerPercent float64
	// Low and High are the quantity with the parameter smaller and larger by the part asked for;
	// NaN where such a value is impossible.
	Low, High float64
}

// Sensitivities are those of the quantity to each parameter of the layer that is not computed from
// others, the most important first. Low and High are at the parameter times 1−part and 1+part.
func (d Design) Sensitivities(q Quantity, part float64) ([]Sensitivity, error) {
	if err := d.has(q); err != nil {
		return nil, err
	}
	uses, err := d.Platform.Uses(d.Layer.Name)
	if err != nil {
		return nil, err
	}
	now := q.Of(d.Layer.Model)
	var all []Sensitivity
	for _, p := range uses {
		if p.Value.Num == 0 || d.Platform.Computed(p.Path) {
			continue
		}
		prog, err := d.Platform.Compile(d.Layer.Name, p.Path)
		if err != nil {
			return nil, err
		}
		at := func(part float64) (change, value float64) {
			v := p.Value.Num * (1 + part)
			if p.Whole() {
				if v = math.Round(v); v == p.Value.Num {
					v += math.Copysign(1, part)
				}
			}
			if !prog.Set(v) {
				return math.NaN(), math.NaN()
			}
			return v/p.Value.Num - 1, q.Of(prog.Layer())
		}
		s := Sensitivity{Param: p}
		less, low := at(-0.01)
		more, high := at(+0.01)
		s.PerPercent = (high - low) / now / (more - less)
		_, s.Low = at(-part)
		_, s.High = at(+part)
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b Sensitivity) int {
		switch x, y := weight(a), weight(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return all, nil
}

// weight orders sensitivities; unknown ones come last.
func weight(s Sensitivity) float64 {
	if math.IsNaN(s.PerPercent) {
		return -1
	}
	return math.Round(math.Abs(s.PerPercent)*1e9) / 1e9 // equal ones stay in the order of the file
}
