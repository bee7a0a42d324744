package model

import "github.com/halfpeak/halfpeak/model/quantity"

// Series adds a cost to the layer below: a protocol on top of a transfer, or a copy after it. The
// added cost is a layer, or β and τ.
//
//	T(n) = T_below(n) + T_added(n) + β + nτ
//
// Gaps and overheads add up as well, since an overlap is unknown. A Series without an added cost
// has the costs of the layer below.
type Series struct {
	Below, Added Layer // Added may be nil

	Beta quantity.Micros        // β, ≥ 0
	Tau  quantity.MicrosPerByte // τ, ≥ 0
}

// OneWay returns T(n).
func (s *Series) OneWay(n quantity.Bytes) quantity.Micros {
	t := s.Below.OneWay(n)
	if s.Added != nil {
		t += s.Added.OneWay(n)
	}
	return t + (s.Beta + s.Tau.Times(n))
}

// Gap returns the sum of the gaps.
func (s *Series) Gap(n quantity.Bytes) quantity.Micros {
	t := s.Below.Gap(n)
	if s.Added != nil {
		t += s.Added.Gap(n)
	}
	return t + (s.Beta + s.Tau.Times(n))
}

// Overheads returns the sums of both layers' overheads.
func (s *Series) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	send, receive = s.Below.Overheads(n)
	if s.Added != nil {
		moreSend, moreReceive := s.Added.Overheads(n)
		send, receive = send+moreSend, receive+moreReceive
	}
	return send, receive
}

// PacketSize returns the packet size in bytes of the layer below.
func (s *Series) PacketSize(n quantity.Bytes) quantity.Bytes { return PacketSize(s.Below, n) }

// Resources returns the resources of both layers.
func (s *Series) Resources() Resources {
	r := s.Below.Resources()
	if s.Added != nil {
		r = Sum{Below: r, Added: s.Added.Resources()}
	}
	if s.Beta > 0 || s.Tau > 0 || s.Added == nil {
		r = Sum{Below: r, Added: (&Linear{s.Beta, s.Tau}).Resources()}
	}
	return r
}

var seriesKind = kindOf[Series](Kind{
	Name: "series", Cost: "that of the layer below and of the layer added, or β + nτ more",
	Parts: []Part{
		{Key: "below", At: func(l Layer) *Layer { return &l.(*Series).Below }},
		{Key: "added", Optional: true, At: func(l Layer) *Layer { return &l.(*Series).Added }},
	},
	Fields: []Field{
		{Key: "beta", Measure: Time, Optional: true, Symbol: "β", Phrase: "cost added to a message", At: func(l Layer) any { return &l.(*Series).Beta }},
		{Key: "tau", Measure: PerByte, Optional: true, Symbol: "τ", Phrase: "time added per byte", At: func(l Layer) any { return &l.(*Series).Tau }},
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
	Asks: 1,
})

func (*Series) Kind() *Kind { return seriesKind }
