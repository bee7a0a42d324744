package model

import "github.com/halfpeak/halfpeak/model/quantity"

// Linear is a cost of β per message and τ per byte [hockney]:
//
//	T(n) = β + nτ        CLIP §4.2.2.2, eq. 1
//
// Where: β = Beta, fixed cost per message in µs, ≥ 0; τ = Tau, inverse
// bandwidth in µs per byte, ≥ 0. Hence r∞ = 1/τ and n½ = β/τ.
//
// The model does not divide T between processors and network. So the overheads are zero, and the
// next message starts when this one has arrived.
type Linear struct {
	Beta quantity.Micros
	Tau  quantity.MicrosPerByte
	// GapUnknown marks β and τ of one-way times, which do not show whether messages overlap.
	GapUnknown bool
}

// OneWay returns β + nτ.
func (l *Linear) OneWay(n quantity.Bytes) quantity.Micros { return l.Beta + l.Tau.Times(n) }

// Gap returns β + nτ: messages do not overlap.
func (l *Linear) Gap(n quantity.Bytes) quantity.Micros { return l.OneWay(n) }

// Overheads returns zeros, since the overheads are unknown.
func (l *Linear) Overheads(quantity.Bytes) (send, receive quantity.Micros) { return 0, 0 }

// resources returns one resource, which is occupied for the whole time.
func (l *Linear) resources() Resources { return oneHop(PacketCost{Beta: l.Beta, Tau: l.Tau}) }

var linearKind = &Kind{
	Name: "linear", Cost: "β + nτ", zero: &Linear{},
	GapUnknown: func(l Layer) *bool { return &l.(*Linear).GapUnknown },
	Fields: []Field{
		{
			Key: "beta", Measure: Time, Symbol: "β", Phrase: "fixed cost of a message",
			At: func(l Layer) any { return &l.(*Linear).Beta },
		},
		{
			Key: "tau", Measure: PerByte, Symbol: "τ", Phrase: "time per byte",
			At: func(l Layer) any { return &l.(*Linear).Tau },
		},
	},
}

func (*Linear) kind() *Kind { return linearKind }
