package model

import "github.com/halfpeak/halfpeak/model/quantity"

// Series adds the cost of another layer to the layer below: a protocol on top of a transfer, or a
// copy after it. In a platform file the other layer may be β and τ, which are a [Linear] cost.
//
//	T(n) = T_below(n) + T_added(n)
//
// Overheads add up as well. What is added occupies the network as the transfer below does: whether
// it overlaps with the transfer of another message is unknown, and without overlap the prediction
// is on the safe side. Processors work at the same time as the network.
type Series struct{ Below, Added Layer }

// OneWay returns T(n).
func (s *Series) OneWay(n quantity.Bytes) quantity.Micros {
	return s.Below.OneWay(n) + s.Added.OneWay(n)
}

// Gap returns the time of the busiest resource of a message (see [Loads]):
//
//	max( o_s, o_r, max_i busy_i + g_added(n) )
//
// Where: o_s, o_r = [Series.Overheads]; busy_i = how long the message below occupies hop i. The
// sum of both gaps would be more where a processor sets the pace below: beside its work, the
// network has time left for what is added. The engine runs it so.
//
// If a window of credits holds back the pieces below, the sum is taken. It is an upper bound: how
// much of the added time the waits for credits hide is not known.
func (s *Series) Gap(n quantity.Bytes) quantity.Micros {
	r := s.resources()
	if WindowOf(r, n) > 0 {
		return s.Below.Gap(n) + s.Added.Gap(n)
	}
	return FanIn(r, 1, n)
}

// Overheads returns the sums of both layers' overheads.
func (s *Series) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	send, receive = s.Below.Overheads(n)
	moreSend, moreReceive := s.Added.Overheads(n)
	return send + moreSend, receive + moreReceive
}

// PacketSize returns the packet size in bytes of the layer below.
func (s *Series) PacketSize(n quantity.Bytes) quantity.Bytes { return PacketSize(s.Below, n) }

// resources returns the resources of both layers.
func (s *Series) resources() Resources { return Sum{s.Below.resources(), s.Added.resources()} }

var seriesKind = &Kind{
	Name: "series", zero: &Series{Added: &Linear{}},
	Cost: "that of the layer below and of the layer added, or β + nτ more",
	Parts: []Part{
		{Key: "below", At: func(l Layer) *Layer { return &l.(*Series).Below }},
		{Key: "added", Optional: true, At: func(l Layer) *Layer { return &l.(*Series).Added }},
	},
	Fields: []Field{
		{
			Key: "beta", Measure: Time, Optional: true, Symbol: "β",
			Phrase: "cost added to a message",
			At:     func(l Layer) any { return &ownCost(l).Beta },
		},
		{
			Key: "tau", Measure: PerByte, Optional: true, Symbol: "τ",
			Phrase: "time added per byte",
			At:     func(l Layer) any { return &ownCost(l).Tau },
		},
	},
	Given: func(has func(string) bool) (key, wrong string) {
		added, beta, tau := has("added"), has("beta"), has("tau")
		switch {
		case added && (beta || tau):
			return "added", "a series adds a layer or its own beta and tau; leave one out"
		case !added && !beta && !tau:
			return "", `nothing added; write added = "NAME", or beta and tau`
		case !added && !tau:
			return "", "no tau; it is needed, as text with a unit"
		case !added && !beta:
			return "", "no beta; it is needed, as text with a unit"
		}
		return "", ""
	},
}

// ownCost returns the linear layer that a series adds or, if it adds another kind, a linear layer
// without effect. A Field must return a pointer for every layer of its kind, and beta and tau are
// fields of a series that adds a named layer too.
func ownCost(l Layer) *Linear {
	own, found := l.(*Series).Added.(*Linear)
	if !found {
		return new(Linear)
	}
	return own
}

func (*Series) kind() *Kind { return seriesKind }
