package platforms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

func micros(t quantity.Micros) quantity.Value {
	return quantity.Value{Num: float64(t), Dim: quantity.DimTime}
}

func size(n quantity.Bytes) quantity.Value {
	return quantity.Value{Num: float64(n), Dim: quantity.DimSize}
}

func rate(r quantity.MBps) quantity.Value {
	return quantity.Value{Num: float64(r), Dim: quantity.DimRate}
}

// predictions are the functions of a formula that ask a layer's model. Each
// takes as many sizes as sizes says.
var predictions = map[string]struct {
	sizes int
	of    func(l model.Layer, n []quantity.Bytes) (quantity.Value, error)
}{
	"one_way":    {1, plain(func(l model.Layer, n quantity.Bytes) quantity.Value { return micros(l.OneWay(n)) })},
	"rtt":        {1, plain(func(l model.Layer, n quantity.Bytes) quantity.Value { return micros(model.RTT(l, n)) })},
	"gap":        {1, plain(func(l model.Layer, n quantity.Bytes) quantity.Value { return micros(l.Gap(n)) })},
	"bandwidth":  {1, plain(func(l model.Layer, n quantity.Bytes) quantity.Value { return rate(model.Bandwidth(l, n)) })},
	"throughput": {1, plain(func(l model.Layer, n quantity.Bytes) quantity.Value { return rate(model.Throughput(l, n)) })},
	"packet":     {1, plain(func(l model.Layer, n quantity.Bytes) quantity.Value { return size(model.PacketSize(l, n)) })},
	"send_overhead": {1, plain(func(l model.Layer, n quantity.Bytes) quantity.Value {
		send, _ := l.Overheads(n)
		return micros(send)
	})},
	"receive_overhead": {1, plain(func(l model.Layer, n quantity.Bytes) quantity.Value {
		_, receive := l.Overheads(n)
		return micros(receive)
	})},
	"r_inf": {0, plain(func(l model.Layer, _ quantity.Bytes) quantity.Value { return rate(model.Asymptote(l)) })},
	"n_half": {0, func(l model.Layer, _ []quantity.Bytes) (quantity.Value, error) {
		n, ok := model.HalfPeak(l)
		if !ok {
			return quantity.Value{}, fmt.Errorf("n_half: no cost is per byte, so there is no half of the peak")
		}
		return size(n), nil
	}},
	"threshold": {0, func(l model.Layer, _ []quantity.Bytes) (quantity.Value, error) {
		n, ok := model.Threshold(l)
		if !ok {
			return quantity.Value{}, fmt.Errorf("threshold: the layer is one for all sizes; it must be a switch or an envelope")
		}
		return size(n), nil
	}},
	"paper_packet": {1, pipeline(func(l *model.Pipeline, n []quantity.Bytes) quantity.Value { return size(l.PaperPacket(n[0])) })},
	"paper_bound":  {2, pipeline(func(l *model.Pipeline, n []quantity.Bytes) quantity.Value { return micros(l.PaperBound(n[0], n[1])) })},
	"one_way_in":   {2, pipeline(func(l *model.Pipeline, n []quantity.Bytes) quantity.Value { return micros(l.OneWayIn(n[0], n[1])) })},
	"best_packet": {1, pipeline(func(l *model.Pipeline, n []quantity.Bytes) quantity.Value {
		p, _ := l.BestPacket(n[0])
		return size(p)
	})},
}

func plain(f func(model.Layer, quantity.Bytes) quantity.Value) func(model.Layer, []quantity.Bytes) (quantity.Value, error) {
	return func(l model.Layer, n []quantity.Bytes) (quantity.Value, error) {
		return f(l, append(n, 1)[0]), nil
	}
}

func pipeline(f func(*model.Pipeline, []quantity.Bytes) quantity.Value) func(model.Layer, []quantity.Bytes) (quantity.Value, error) {
	return func(l model.Layer, n []quantity.Bytes) (quantity.Value, error) {
		p, ok := model.At(l, n[0]).(*model.Pipeline)
		if !ok || len(p.Stages) < model.PaperStages {
			return quantity.Value{}, fmt.Errorf("the layer has no pipeline of %d stages at %s", model.PaperStages, n[0])
		}
		return f(p, n), nil
	}
}

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
			return b.stageParam(text(0), text(1))
		case name == "roof" && len(args) == 1:
			if i := slices.IndexFunc(roofs, func(r Roof) bool { return r.Name == text(0) }); i >= 0 {
				return rate(roofs[i].Rate), nil
			}
			return quantity.Value{}, fmt.Errorf("no roof %q", text(0))
		case name == "phase":
			return l.phase(b.p.Clock, args)
		}
		if p, ok := predictions[name]; ok {
			return l.predict(name, p.sizes, args, b, p.of)
		}
		return quantity.Value{}, fmt.Errorf("no parameter, constant or function %q%s", name, nearest.Hint(name, b.names(l)))
	}
}

// stageParam is the parameter of a stage, beta or tau.
func (b *builder) stageParam(stage, key string) (quantity.Value, error) {
	path := "stage." + stage + "." + key
	if i, ok := b.slotAt[path]; ok {
		return b.slots[i].Value, nil
	}
	return quantity.Value{}, fmt.Errorf("no parameter %s", path)
}

// predict asks the model of this layer, or of the one that a leading text names:
// "pio" of the same platform, "hp-lam/gam" of another.
func (l Layer) predict(name string, sizes int, args []any, b *builder, of func(model.Layer, []quantity.Bytes) (quantity.Value, error)) (quantity.Value, error) {
	m := l.Model
	if len(args) > 0 {
		if ref, ok := args[0].(string); ok {
			args = args[1:]
			other, err := b.p.Layer(ref)
			if err != nil {
				if _, other, err = Find(ref); err != nil {
					return quantity.Value{}, err
				}
			}
			m = other.Model
		}
	}
	if len(args) != sizes {
		return quantity.Value{}, fmt.Errorf("%s takes %d sizes, not %d", name, sizes, len(args))
	}
	var n []quantity.Bytes
	for _, a := range args {
		v, ok := a.(quantity.Value)
		if !ok {
			return quantity.Value{}, fmt.Errorf("%s takes sizes, not %q", name, a)
		}
		bytes, err := v.Bytes()
		if err == nil && bytes < 1 {
			err = fmt.Errorf("a message has at least 1 byte")
		}
		if err != nil {
			return quantity.Value{}, fmt.Errorf("%s: %w", name, err)
		}
		n = append(n, bytes)
	}
	return of(m, n)
}

// phase is the time of a phase of an application on this layer, after its times on two
// others: phase(0.88s, "sun-lam-ss20", 0.95s, "sun-lam-ultra1"), see model.FitPhase.
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
	return micros(p.Time(clock, l.Model)), nil
}

// names are those that the formulas of a layer know.
func (b *builder) names(l Layer) []string {
	var names []string
	for _, p := range l.Params {
		names = append(names, strings.TrimPrefix(p.Path, "layer."+l.Name+"."))
	}
	for name := range b.constants {
		names = append(names, name)
	}
	for name := range predictions {
		names = append(names, name)
	}
	slices.Sort(names)
	return append(names, "stage", "roof", "phase", "clock")
}
