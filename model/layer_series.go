package model

import "github.com/halfpeak/halfpeak/model/quantity"

// Series adds the cost of a layer to the one below: a protocol on top of a
// transfer, a copy behind it.
//
//	T(n) = T_below(n) + T_added(n)
//
// Gaps and overheads add up too: nothing is known of an overlap. A Series that
// adds a zero [Linear] costs what the layer below does.
type Series struct {
	Below, Added Layer
}

// OneWay is the sum of both.
func (s *Series) OneWay(n quantity.Bytes) quantity.Micros {
	return s.Below.OneWay(n) + s.Added.OneWay(n)
}

// Gap is the sum of both.
func (s *Series) Gap(n quantity.Bytes) quantity.Micros { return s.Below.Gap(n) + s.Added.Gap(n) }

// Overheads are the sums of both.
func (s *Series) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	send, receive = s.Below.Overheads(n)
	moreSend, moreReceive := s.Added.Overheads(n)
	return send + moreSend, receive + moreReceive
}

// PacketSize is that of the layer below.
func (s *Series) PacketSize(n quantity.Bytes) quantity.Bytes { return PacketSize(s.Below, n) }

// Resources are those of both.
func (s *Series) Resources() Resources {
	return Sum{Below: s.Below.Resources(), Added: s.Added.Resources()}
}
