package platforms

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// layerScope gives formulas the layer's parameters, its platform's constants, clock
// and roofs, and the predictions.
func (b *builder) layerScope(l Layer) quantity.Scope {
	roofs := b.p.Roofs
	return func(name string, args []any) (quantity.Value, error) {
		if args == nil {
			for _, p := range l.Params {
				if p.Path == "layer."+l.Name+"."+name {
					return p.Value, nil
				}
			}
			if i, ok := b.slotAt["constant."+name]; ok {
				return b.slots[i].Value, nil
			}
			if name == "clock" && b.p.Clock > 0 {
				return quantity.Value{Num: b.p.Clock, Dim: quantity.DimClock}, nil
			}
		}
		text := func(i int) string { s, _ := args[i].(string); return s }
		switch {
		case name == "stage" && len(args) == 2:
			i, err := b.stageSlot(args)
			if err != nil {
				return quantity.Value{}, err
			}
			return b.slots[i].Value, nil
		case name == "roof" && len(args) == 1:
			if i := slices.IndexFunc(roofs, func(r Roof) bool { return r.Name == text(0) }); i >= 0 {
				return quantity.Value{Num: float64(roofs[i].Rate), Dim: quantity.DimRate}, nil
			}
			return quantity.Value{}, fmt.Errorf("no roof %q", text(0))
		case name == "phase":
			return l.phase(b.p.Clock, args)
		}
		if q, ok := model.FindQuantity(name); ok {
			return l.predict(q, args, b)
		}
		return quantity.Value{}, fmt.Errorf("no parameter, constant or function %q%s", name, nearest.Hint(name, b.names(l)))
	}
}

// predict evaluates a quantity of this layer, or of the one that a leading text names: "pio" of the
// same platform, "hp-lam/gam" of another.
func (l Layer) predict(q *model.Quantity, args []any, b *builder) (v quantity.Value, err error) {
	m := l.Model
	if len(args) > 0 {
		if ref, ok := args[0].(string); ok {
			args = args[1:]
			other, err := b.p.Layer(ref)
			if err != nil {
				if _, other, err = Find(ref); err != nil {
					return v, err
				}
			}
			m = other.Model
		}
	}
	if len(args) != q.Sizes {
		return v, fmt.Errorf("%s takes %d sizes, not %d", q.Name, q.Sizes, len(args))
	}
	sizes := [2]quantity.Bytes{1, 1}
	for i, a := range args {
		given, ok := a.(quantity.Value)
		if !ok {
			return v, fmt.Errorf("%s takes sizes, not %q", q.Name, a)
		}
		bytes, err := given.Bytes()
		if err == nil && bytes < 1 {
			err = fmt.Errorf("a message has at least 1 byte")
		}
		if err != nil {
			return v, fmt.Errorf("%s: %w", q.Name, err)
		}
		sizes[i] = bytes
	}
	v = quantity.Value{Num: q.Of(m, sizes[0], sizes[1]), Dim: q.Dim}
	if math.IsNaN(v.Num) {
		if err = q.Check(m, sizes[0]); err != nil {
			err = fmt.Errorf("%s: %w", q.Name, err)
		}
	}
	return v, err
}

// phase returns the time of a phase of an application on this layer, from its times on two other
// layers: phase(0.88s, "sun-lam-ss20", 0.95s, "sun-lam-ultra1"), see model.FitPhase.
func (l Layer) phase(clock float64, args []any) (quantity.Value, error) {
	if len(args) != 4 {
		return quantity.Value{}, fmt.Errorf("phase takes a time and a layer, twice")
	}
	if clock == 0 {
		return quantity.Value{}, fmt.Errorf("phase: platform %s has no clock", l.Platform)
	}
	var on [2]model.PhaseTime
	for i := range on {
		v, isTime := args[2*i].(quantity.Value)
		ref, isRef := args[2*i+1].(string)
		if !isTime || !isRef {
			return quantity.Value{}, fmt.Errorf("phase takes a time and a layer, twice")
		}
		t, err := v.Micros()
		if err != nil {
			return quantity.Value{}, fmt.Errorf("phase: %w", err)
		}
		p, other, err := Find(ref)
		if err != nil {
			return quantity.Value{}, fmt.Errorf("phase: %w", err)
		}
		if p.Clock == 0 {
			return quantity.Value{}, fmt.Errorf("phase: platform %s has no clock", p.Name)
		}
		on[i] = model.PhaseTime{Clock: p.Clock, Layer: other.Model, Time: t}
	}
	p, err := model.FitPhase(on[0], on[1])
	if err != nil {
		return quantity.Value{}, fmt.Errorf("phase: %w", err)
	}
	return quantity.Value{Num: float64(p.Time(clock, l.Model)), Dim: quantity.DimTime}, nil
}

func (b *builder) names(l Layer) []string {
	names := list.Map(l.Params, func(p Param) string { return strings.TrimPrefix(p.Path, "layer."+l.Name+".") })
	for name := range b.constants {
		names = append(names, name)
	}
	for i := range model.Quantities {
		names = append(names, model.Quantities[i].Name)
	}
	slices.Sort(names)
	return append(names, "stage", "roof", "phase", "clock")
}
