package model

import "github.com/halfpeak/halfpeak/model/quantity"

// Fragmented cuts a message into pieces of at most MTU bytes, each a message of
// the layer below: HP-LAM's 4-KiB pages, Myrinet packets of 8,132 bytes. With
// K = ⌈n/MTU⌉ pieces, q bytes in the last,
//
//	T(n) = max( (K−1)·g_w + T_below(q), (K−2)·g_w + T_below(MTU) )
//	g_w  = max( g_below(MTU), RTT_below/W )
//
// since a short last piece does not overtake the one before it. Where each piece
// is one packet of a pipeline, and no window holds them, T is the exact time of
// these packets, in which the last one may have to wait in a stage.
//
// Where: g_w is the interval between pieces in µs; W = Window, the number of
// pieces that may be without a credit returned. A window that does not cover the
// round trip limits the rate to W·MTU/RTT: 8 pieces of 4 KiB at a round trip of
// 400 µs give at most 81.92 MB/s.
type Fragmented struct {
	Below  Layer
	MTU    quantity.Bytes // ≥ 1
	Window int            // ≥ 1; 0: no window
}

// interval is g_w.
func (s *Fragmented) interval() quantity.Micros {
	gap := s.Below.Gap(s.MTU)
	if s.Window > 0 {
		gap = max(gap, (s.Below.OneWay(s.MTU)+s.Below.OneWay(1))/quantity.Micros(s.Window)) // a credit comes back as a short message
	}
	return gap
}

// pieces returns the number of pieces before the last, and the size of the last.
func (s *Fragmented) pieces(n quantity.Bytes) (before, last quantity.Bytes) {
	before = quantity.Bytes(packets(n, s.MTU)) - 1
	return before, min(max(n-before*s.MTU, 1), s.MTU) // beyond 2⁵³ bytes the difference is noise
}

// A planner is a [Pipeline].
type planner interface {
	Packetizer
	OneWayAs(Plan) quantity.Micros
}

// OneWay is T(n).
func (s *Fragmented) OneWay(n quantity.Bytes) quantity.Micros {
	before, last := s.pieces(n)
	if before == 0 {
		return s.Below.OneWay(last)
	}
	if p, ok := s.Below.(planner); ok && s.Window == 0 && n <= quantity.MaxBytes && p.PacketSize(s.MTU) == s.MTU && p.PacketSize(last) == last {
		return p.OneWayAs(Plan{{int(before), s.MTU}, {1, last}})
	}
	interval := s.interval()
	return max(quantity.Micros(before)*interval+s.Below.OneWay(last), quantity.Micros(before-1)*interval+s.Below.OneWay(s.MTU))
}

// Gap is (K−1)·g_w + g_below(q).
func (s *Fragmented) Gap(n quantity.Bytes) quantity.Micros {
	before, last := s.pieces(n)
	return quantity.Micros(before)*s.interval() + s.Below.Gap(last)
}

// Overheads are those of all pieces.
func (s *Fragmented) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	before, last := s.pieces(n)
	send, receive = s.Below.Overheads(s.MTU)
	lastSend, lastReceive := s.Below.Overheads(last)
	return quantity.Micros(before)*send + lastSend, quantity.Micros(before)*receive + lastReceive
}

// PacketSize is the MTU, or n if that is less.
func (s *Fragmented) PacketSize(n quantity.Bytes) quantity.Bytes { return min(n, s.MTU) }

// Resources are those below, for each piece.
func (s *Fragmented) Resources() Resources { return Pieces{s.MTU, s.Window, s.Below.Resources()} }

var fragmentedKind = kindOf[Fragmented](Kind{
	Name: "fragmented", Formerly: []string{"segmented"},
	Cost:  "pieces of at most mtu bytes, each a message of the layer below",
	Parts: []Part{{Key: "below", At: func(l Layer) *Layer { return &l.(*Fragmented).Below }}},
	Fields: []Field{
		{Key: "mtu", Measure: Size, Phrase: "size of the pieces", At: func(l Layer) any { return &l.(*Fragmented).MTU }},
		{Key: "window", Measure: Count, Optional: true, Phrase: "pieces without a credit returned", At: func(l Layer) any { return &l.(*Fragmented).Window }},
	},
	Asks: 4,
})

// Kind is the row of the registry.
func (*Fragmented) Kind() *Kind { return fragmentedKind }
