package collectives

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A network is a change of the links between nodes: the factors of the time of a step between nodes
// and of that of a byte.
type network struct{ step, byte float64 }

// networkLayer is the layer that stands for the network of measured collectives.
const networkLayer = "network"

// onChangedNetwork returns the design with a network, and the calls on it: their times are the
// measured ones, changed with the network.
func (b Basis) onChangedNetwork(ctx context.Context) (
	d platforms.Design, calls []study.Call, err error) {
	d = b.design
	p, err := b.Plan(ctx, b.Calls)
	if err != nil {
		return d, nil, err
	}
	m := p.source.(*measured)
	if d, err = withNetwork(d, m.used[0].Result); err != nil {
		return d, nil, err
	}
	t, err := p.Times(ctx)
	if err != nil {
		return d, nil, err
	}
	for here := range places(t.Times) {
		for len(here) > 0 {
			end := 1
			if b.Algorithm == "best" {
				end = len(here)
			}
			call, err := m.onNetwork(here[:end], d.Costs())
			if err != nil {
				return d, nil, err
			}
			calls, here = append(calls, call), here[end:]
		}
	}
	notes := append(t.Notes, remark.OnNetwork())
	for i := range calls {
		calls[i].Notes = notes
	}
	return d, calls, nil
}

// withNetwork returns the design with a layer of the steps and bytes between nodes, as the heaviest
// form has them over all calls on several nodes. Only their changes count.
func withNetwork(d platforms.Design, r *fitted.Result) (platforms.Design, error) {
	heaviest := fitted.Parameters{}
	for _, p := range r.Parameters() {
		if p.Nodes == 2 && p.Weight > heaviest.Weight {
			heaviest = p
		}
	}
	if heaviest.Weight == 0 {
		return d, fmt.Errorf("%s: no call on several nodes was measured: measure 2 and 4 nodes, "+
			"with the ranks of each node", d.Asked())
	}
	finite := func(v float64) float64 {
		if math.IsNaN(v) {
			return 0
		}
		return v
	}
	step := quantity.Micros(finite(float64(heaviest.Between.Value)))
	byByte := quantity.MicrosPerByte(finite(float64(heaviest.Beta.Value)))
	p := d.Platform
	p.Layers = append(slices.Clip(p.Layers), platforms.Layer{
		Name:   networkLayer,
		Model:  &model.Linear{Beta: step, Tau: byByte},
		Source: "a step and a byte of " + heaviest.Algorithm + " on several nodes",
	})
	p, err := p.Complete()
	if err != nil {
		return d, err
	}
	d.Platform = p
	d.Layer, err = p.Layer(networkLayer)
	return d, err
}

// onNetwork returns a call by one of several algorithms: as the network is, the one of the least
// expected time, see [compare]. was are the costs of the network as it was measured.
func (m *measured) onNetwork(here []Timing, was platforms.Costs) (call study.Call, err error) {
	call = m.callOf(here[0].Cell, "")
	changes := func(c platforms.Costs, by func(network) network) (
		all []quantity.Interval, fastest int, err error) {
		network := by(networkOf(was, c))
		least := 0.0
		for i, t := range here {
			v, err := m.changed(t, network)
			if err != nil {
				return nil, 0, err
			}
			expected := float64(t.expected) * v.Value / t.likely.Value
			if all = append(all, v); i == 0 || expected < least {
				fastest, least = i, expected
			}
		}
		return all, fastest, nil
	}
	same := func(n network) network { return n }
	call.Within = func(c platforms.Costs, v float64) quantity.Interval {
		all, fastest, err := changes(c, same)
		if err != nil {
			return quantity.Alone(quantity.Micros(v))
		}
		return all[fastest]
	}
	// The error of the measurement is that of both times, unless they are of two algorithms.
	call.Ratio = func(c platforms.Costs, v float64) quantity.Interval {
		before, first, err := changes(was, same)
		all, fastest, failed := changes(c, same)
		if err != nil || failed != nil || fastest != first {
			return quantity.Alone(quantity.Unknown)
		}
		now, then := before[first], all[fastest]
		return quantity.Interval{Value: v / now.Value, Low: then.Low / now.Low,
			High: then.High / now.High}
	}
	// A part is what would go with it: nearly all of the steps, or of the bytes, between nodes.
	const gone = 1e-6
	call.Run = func(c platforms.Costs, parts bool) (f study.Finished, err error) {
		all, fastest, err := changes(c, same)
		if err != nil {
			return f, err
		}
		f.Time = quantity.Micros(all[fastest].Value)
		if !parts {
			return f, nil
		}
		rest := all[fastest].Value
		for _, part := range []struct {
			owner   string
			without func(network) network
		}{
			{"steps between nodes",
				func(n network) network { n.step *= gone; return n }},
			{"bytes between nodes",
				func(n network) network { n.byte *= gone; return n }},
		} {
			without, _, err := changes(c, part.without)
			if err != nil {
				return f, err
			}
			saved := all[fastest].Value - without[fastest].Value
			rest -= saved
			f.Parts = append(f.Parts,
				study.Share{Owner: part.owner, OneWay: quantity.Micros(saved)})
		}
		f.Parts = append(f.Parts, study.Share{Owner: "inside nodes, and the base",
			OneWay: quantity.Micros(max(0, rest))})
		return f, nil
	}
	_, err = call.Run(was, false)
	return call, err
}

// networkOf returns the change from one network to another.
func networkOf(was, is platforms.Costs) network {
	const large = 1 << 40
	ratio := func(a, b quantity.Micros) float64 {
		if a > 0 {
			return float64(b / a)
		}
		return 1 // not identifiable, so that no call depends on it
	}
	step := func(c platforms.Costs) quantity.Micros { return c.Layer.OneWay(0) }
	bytes := func(c platforms.Costs) quantity.Micros { return c.Layer.OneWay(large) - step(c) }
	return network{ratio(step(was), step(is)), ratio(bytes(was), bytes(is))}
}

// changed returns the time of a call on a changed network, with its 95 % interval.
func (m *measured) changed(t Timing, by network) (quantity.Interval, error) {
	of := m.tables[t.Name][m.compared()]
	if by == (network{1, 1}) {
		return t.Answer(), nil
	}
	at := fitted.Placement{Ranks: t.Ranks, PerNode: m.PerNode}
	if at.PerNode == 0 {
		at = of.PlacementOf(t.Ranks)
	}
	return of.Changed(t.Answer(), at, m.block(t.Ranks, t.Size()), by.step, by.byte)
}
