package model

import "github.com/halfpeak/halfpeak/model/quantity"

// Switch takes the branch that a message's size selects: PIO up to 256 bytes,
// then DMA; eager, then rendezvous.
type Switch struct {
	// Branches are in order of rising UpTo; the last takes all sizes above
	// those before it, whatever its own UpTo. There is at least one.
	Branches []Branch
}

// A Branch of a [Switch] is a layer with the largest size that it serves.
type Branch struct {
	Name  string
	UpTo  quantity.Bytes // the boundary belongs to this branch
	Layer Layer
}

// at returns the branch for n bytes.
func (s *Switch) at(n quantity.Bytes) *Branch {
	last := len(s.Branches) - 1
	for i := range s.Branches[:last] {
		if n <= s.Branches[i].UpTo {
			return &s.Branches[i]
		}
	}
	return &s.Branches[last]
}

// Select returns the branch for n bytes.
func (s *Switch) Select(n quantity.Bytes) (string, Layer) {
	b := s.at(n)
	return b.Name, b.Layer
}

// OneWay is that of the branch for n.
func (s *Switch) OneWay(n quantity.Bytes) quantity.Micros { return s.at(n).Layer.OneWay(n) }

// Gap is that of the branch for n.
func (s *Switch) Gap(n quantity.Bytes) quantity.Micros { return s.at(n).Layer.Gap(n) }

// Overheads are those of the branch for n.
func (s *Switch) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	return s.at(n).Layer.Overheads(n)
}

// Resources are those of the branch for n.
func (s *Switch) Resources() Resources { return Choice{Branches: ways(s.Branches)} }

func ways(branches []Branch) []Way {
	all := make([]Way, len(branches))
	for i, b := range branches {
		all[i] = Way{b.UpTo, b.Layer.Resources()}
	}
	return all
}
