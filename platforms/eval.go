package platforms

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Eval computes a formula of the layer's parameters and the platform's constants; the model's
// predictions are functions (see FORMAT.md). The name n is the given size; n = 0 leaves it
// undefined. Known are additional names with their values. The result must be finite.
func (l Layer) Eval(text string, n quantity.Bytes, known ...Known) (quantity.Value, error) {
	v, err := formula.Eval(text, func(name string, args []any) (quantity.Value, error) {
		for _, k := range known {
			if k.Name == name && args == nil {
				return k.Value, nil
			}
		}
		// args is nil for a name, but not for a call: n is the size, n() an error.
		if name == "n" && args == nil && n > 0 {
			return quantity.Value{Num: float64(n), Dim: quantity.DimSize}, nil
		}
		return l.resolve(name, args)
	})
	// r_inf() is infinite without a cost per byte, and a difference of two such is NaN: neither can
	// be compared with a printed number.
	if err == nil && (math.IsNaN(v.Num) || math.IsInf(v.Num, 0)) {
		err = fmt.Errorf("%q: %s must be finite", text, v.Dim)
	}
	return v, err
}

// A Known is a name in a formula, with its value.
type Known struct {
	Name  string
	Value quantity.Value
}

// resolve returns the value of a name in a formula: a parameter of the layer, its platform's
// constants, clock and roofs, or a prediction.
func (l Layer) resolve(name string, args []any) (quantity.Value, error) {
	p := l.scope
	if args == nil {
		if q := p.composition.find("layer." + l.Name + "." + name); q != nil && q.Word == "" {
			return q.Value, nil
		}
		if q := p.composition.find("constant." + name); q != nil {
			return q.Value, nil
		}
		if name == "clock" && p.Clock > 0 {
			return quantity.Value{Num: p.Clock, Dim: quantity.DimClock}, nil
		}
	}
	switch {
	case name == "stage" && len(args) == 2:
		i, err := p.composition.stageParam(args)
		if err != nil {
			return quantity.Value{}, err
		}
		return p.composition.params[i].Value, nil
	case name == "roof" && len(args) == 1:
		roof, _ := args[0].(string)
		i := slices.IndexFunc(p.Roofs, func(r Roof) bool { return r.Name == roof })
		if i < 0 {
			return quantity.Value{}, fmt.Errorf("no roof %q", roof)
		}
		return quantity.Value{Num: float64(p.Roofs[i].Rate), Dim: quantity.DimRate}, nil
	case name == "phase":
		return l.phase(args)
	}
	if q, ok := model.FindQuantity(name); ok {
		return l.predict(q, args)
	}
	return quantity.Value{}, fmt.Errorf("no parameter, constant or function %q%s",
		name, usage.Hint(name, l.names()))
}

// predict evaluates a quantity of this layer, or of the one that a leading text names: "pio" of the
// same platform, "hp-lam/gam" of another.
func (l Layer) predict(q *model.Quantity, args []any) (v quantity.Value, err error) {
	m := l.Model
	if len(args) > 0 {
		if ref, ok := args[0].(string); ok {
			args = args[1:]
			other, err := l.scope.Layer(ref)
			if err != nil {
				// A layer of this platform hides a platform of the same name.
				if _, other, err = find(ref); err != nil {
					return v, err
				}
			}
			m = other.Model
		}
	}
	if len(args) != q.Sizes {
		return v, fmt.Errorf("%s takes %d sizes, not %d", q.Name, q.Sizes, len(args))
	}
	// Quantities without a size, such as r_inf(), do not read them.
	sizes := [2]quantity.Bytes{1, 1}
	for i, a := range args {
		given, ok := a.(quantity.Value)
		if !ok {
			return v, fmt.Errorf("%s takes sizes, not %q", q.Name, a)
		}
		err := given.Check(quantity.DimSize)
		if err == nil && given.Num < 1 {
			err = fmt.Errorf("a message has at least 1 byte")
		}
		if err != nil {
			return v, fmt.Errorf("%s: %w", q.Name, err)
		}
		sizes[i] = quantity.Bytes(given.Num)
	}
	v = quantity.Value{Num: q.Of(m, sizes[0], sizes[1]), Dim: q.Dim}
	// Check has the reason why a model has no such quantity, as a line has no best packet.
	if err = q.Check(m, sizes[0]); err != nil {
		err = fmt.Errorf("%s: %w", q.Name, err)
	}
	return v, err
}

// phase returns the time of a phase of an application on this layer, from its times on two other
// layers: phase(0.88s, "sun-lam-ss20", 0.95s, "sun-lam-ultra1"), see [FitPhase].
func (l Layer) phase(args []any) (quantity.Value, error) {
	if len(args) != 4 {
		return quantity.Value{}, fmt.Errorf("phase takes a time and a layer, twice")
	}
	// Computation is counted in cycles, so times on two platforms compare only by their clocks.
	if l.scope.Clock == 0 {
		return quantity.Value{}, fmt.Errorf("phase: platform %s has no clock", l.Platform)
	}
	var on [2]PhaseOn
	for i := range on {
		v, isTime := args[2*i].(quantity.Value)
		ref, isRef := args[2*i+1].(string)
		if !isTime || !isRef {
			return quantity.Value{}, fmt.Errorf("phase takes a time and a layer, twice")
		}
		if err := v.Check(quantity.DimTime); err != nil {
			return quantity.Value{}, fmt.Errorf("phase: %w", err)
		}
		p, other, err := find(ref)
		if err != nil {
			return quantity.Value{}, fmt.Errorf("phase: %w", err)
		}
		if p.Clock == 0 {
			return quantity.Value{}, fmt.Errorf("phase: platform %s has no clock", p.Name)
		}
		on[i] = PhaseOn{Clock: p.Clock, Layer: other.Model, Time: quantity.Micros(v.Num)}
	}
	p, err := FitPhase(on[0], on[1])
	if err != nil {
		return quantity.Value{}, fmt.Errorf("phase: %w", err)
	}
	return quantity.Value{Num: float64(p.Time(l.scope.Clock, l.Model)), Dim: quantity.DimTime}, nil
}

// names returns all names that a formula about the layer may use, to hint at after a wrong one.
func (l Layer) names() []string {
	var names []string
	for _, q := range l.scope.Params {
		own, of := strings.CutPrefix(q.Path, "layer."+l.Name+".")
		if own, constant := strings.CutPrefix(own, "constant."); constant || of && q.Word == "" {
			names = append(names, own)
		}
	}
	for i := range model.Quantities {
		names = append(names, model.Quantities[i].Name)
	}
	slices.Sort(names)
	return append(names, "stage", "roof", "phase", "clock")
}
