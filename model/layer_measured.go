package model

import (
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// measured has measured costs: its one-way times are those of a curve, which its lines explain. If
// the lines' parameters change, the times change in proportion:
//
//	T(n) = T_curve(n) · T_lines(n) / T_fitted(n)
//
// unless a moved threshold gives the size to another branch. The curve shows nothing of that
// protocol there, so T(n) = T_lines(n).
//
// If messages do not overlap on the lines, the gap is the one-way time; other gaps, overheads, r∞
// and n½ are those of the lines. Platform files do not name this kind: a layer that contains the
// measurements of its fit has it.
type measured struct {
	Lines  Layer // with the present parameters
	Fitted Layer // with the parameters that were fitted to the curve
	Curve  func(n quantity.Bytes) quantity.Micros
}

// Measured returns the layer whose one-way times are those of a curve, in proportion to the change
// of its lines since they were fitted to it, see [measured].
func Measured(lines, fitted Layer, curve func(n quantity.Bytes) quantity.Micros) Layer {
	return &measured{Lines: lines, Fitted: fitted, Curve: curve}
}

// WithLines returns a measured layer with other lines, and for any other layer the lines.
func WithLines(l, lines Layer) Layer {
	m, ok := l.(*measured)
	if !ok {
		return lines
	}
	return Measured(lines, m.Fitted, m.Curve)
}

// LinesOf returns the lines of a measured layer, and any other layer unchanged.
func LinesOf(l Layer) Layer {
	if m, ok := l.(*measured); ok {
		return m.Lines
	}
	return l
}

// OneWay returns the curve's time in µs, changed as the lines are.
func (m *measured) OneWay(n quantity.Bytes) quantity.Micros {
	now, then := m.Lines.OneWay(n), m.Fitted.OneWay(n)
	if now == then { // also 0/0; and an unchanged layer prints the curve to the last digit
		return m.Curve(n)
	}
	if Regime(m.Lines, n) != Regime(m.Fitted, n) {
		return now
	}
	if then == 0 { // no proportion to a time of zero, so what the lines gained is added
		return m.Curve(n) + now
	}
	return m.Curve(n) * (now / then)
}

// Gap returns the one-way time if that is the gap of the lines, and else the lines' gap, in µs.
func (m *measured) Gap(n quantity.Bytes) quantity.Micros {
	if gap := m.Lines.Gap(n); gap != m.Lines.OneWay(n) {
		return gap
	}
	return m.OneWay(n)
}

// Overheads returns the lines' overheads in µs.
func (m *measured) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	return m.Lines.Overheads(n)
}

// resources returns one path if the lines have one path for each size. Otherwise it returns the
// lines' resources, with the delays of the hops in proportion to the curve; packets go by the lines
// alone.
func (m *measured) resources() Resources {
	lines := m.Lines.resources()
	if onePath(lines) {
		oneWay := m.OneWay
		return oneHop(PacketCost{Measured: &oneWay})
	}
	return m.delayed(lines)
}

// delayed returns the resources with delays that add up to the time of the curve.
func (m *measured) delayed(r Resources) Resources {
	switch r := r.(type) {
	case Route:
		if r.Packets != nil {
			return r
		}
		r.Hops = slices.Clone(r.Hops)
		for i, hop := range r.Hops {
			delay := func(n quantity.Bytes) quantity.Micros {
				processors := r.Send.of(n) + r.Receive.of(n)
				lines := m.Lines.OneWay(n) - processors
				if lines <= 0 {
					return hop.Delay.of(n)
				}
				return hop.Delay.of(n) * max(m.OneWay(n)-processors, 0) / lines
			}
			r.Hops[i].Delay = PacketCost{Measured: &delay}
		}
		return r
	case Choice:
		r.Branches = slices.Clone(r.Branches)
		for i := range r.Branches {
			r.Branches[i].Resources = m.delayed(r.Branches[i].Resources)
		}
		return r
	}
	return r
}

// onePath reports whether a message occupies a single resource for its one-way time.
func onePath(r Resources) bool {
	switch r := r.(type) {
	case Route:
		if len(r.Hops) != 1 || r.Packets != nil {
			return false
		}
		noProcessors := r.Send == PacketCost{} && r.Receive == PacketCost{}
		return noProcessors && r.Hops[0] == oneHop(r.Hops[0].Busy).Hops[0]
	case Choice:
		for _, w := range r.Branches {
			if !onePath(w.Resources) {
				return false
			}
		}
		return true
	}
	return false
}

// selected returns the selection of the lines.
func (m *measured) selected(n quantity.Bytes) (string, Layer) {
	if s, ok := m.Lines.(selector); ok {
		return s.selected(n)
	}
	return "", m.Lines
}

var measuredKind = &Kind{
	Name: "measured", Cost: "the measured cost", zero: &measured{},
	Parts: []Part{{Key: "lines", At: func(l Layer) *Layer { return &l.(*measured).Lines }}},
}

// Kind returns a row that is not in the registry.
func (*measured) kind() *Kind { return measuredKind }
