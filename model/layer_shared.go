package model

import "github.com/halfpeak/halfpeak/model/quantity"

// shared is one resource at which several senders take turns: a bus, a hub, the processor of a
// common receiver.
//
//	T(n) = β + nτ        g(n) = s·(β + nτ)
//
// Where: β = Beta and τ = Tau, the time that a message occupies the resource, in µs and µs per
// byte, both ≥ 0; s = Senders ≥ 1, all equally fast. T is the time of a message that finds the
// resource free. In a steady stream each sender gets one turn in g(n), while the resource serves a
// message every β + nτ. [FanIn] computes the same for any layer's resources.
//
// Overheads are zero, since the share of the processors is unknown.
type shared struct {
	Beta    quantity.Micros
	Tau     quantity.MicrosPerByte
	Senders int
}

// OneWay returns β + nτ.
func (l *shared) OneWay(n quantity.Bytes) quantity.Micros { return l.Beta + l.Tau.Times(n) }

// Gap returns s·(β + nτ).
func (l *shared) Gap(n quantity.Bytes) quantity.Micros {
	return quantity.Micros(l.Senders) * l.OneWay(n)
}

// Overheads returns zeros, since the overheads are unknown.
func (l *shared) Overheads(quantity.Bytes) (send, receive quantity.Micros) { return 0, 0 }

// Resources returns one resource for each sender, which is occupied until the other senders have
// had their turn.
func (l *shared) resources() Resources {
	s := quantity.Micros(l.Senders)
	turn := PacketCost{Beta: l.Beta, Tau: l.Tau}
	round := PacketCost{Beta: s * l.Beta, Tau: quantity.MicrosPerByte(s) * l.Tau}
	return Route{Hops: []Hop{{Resource: "path", Delay: turn, Busy: round}}}
}

var sharedKind = &Kind{
	Name: "shared", zero: &shared{},
	Cost: "β + nτ; the gap is as many times that as there are senders",
	Fields: []Field{
		{
			Key: "beta", Measure: Time, Symbol: "β", Phrase: "fixed occupancy by a message",
			At: func(l Layer) any { return &l.(*shared).Beta },
		},
		{
			Key: "tau", Measure: PerByte, Symbol: "τ", Phrase: "occupancy per byte",
			At: func(l Layer) any { return &l.(*shared).Tau },
		},
		{
			Key: "senders", Measure: Count, Phrase: "senders that take turns",
			At: func(l Layer) any { return &l.(*shared).Senders },
		},
	},
}

func (*shared) kind() *Kind { return sharedKind }
