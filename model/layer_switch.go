package model

import (
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Switch selects a branch by the size of a message: PIO up to 256 bytes, then DMA; eager, then
// rendezvous.
type Switch struct {
	// Branches are in ascending order of UpTo; the last serves all larger sizes, whatever its own
	// UpTo. There is at least one.
	Branches []Branch
}

// A Branch of a [Switch] is a layer with the largest size that it serves.
type Branch struct {
	Name  string
	UpTo  quantity.Bytes // the boundary belongs to this branch
	Layer Layer
}

// branch returns the branch that serves n bytes.
func (s *Switch) branch(n quantity.Bytes) *Branch {
	last := len(s.Branches) - 1
	for i := range s.Branches[:last] {
		if n <= s.Branches[i].UpTo {
			return &s.Branches[i]
		}
	}
	return &s.Branches[last]
}

// Select returns the name and the layer of the branch that serves n bytes.
func (s *Switch) Select(n quantity.Bytes) (string, Layer) {
	b := s.branch(n)
	return b.Name, b.Layer
}

// OneWay returns the one-way time in µs of the branch that serves n bytes.
func (s *Switch) OneWay(n quantity.Bytes) quantity.Micros { return s.branch(n).Layer.OneWay(n) }

// Gap returns the gap in µs of the branch that serves n bytes.
func (s *Switch) Gap(n quantity.Bytes) quantity.Micros { return s.branch(n).Layer.Gap(n) }

// Overheads returns the overheads in µs of the branch that serves n bytes.
func (s *Switch) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	return s.branch(n).Layer.Overheads(n)
}

// Resources returns a [Choice] of the branches' resources by message size.
func (s *Switch) Resources() Resources { return Choice{Branches: ways(s.Branches)} }

func ways(branches []Branch) []Way {
	all := make([]Way, len(branches))
	for i, b := range branches {
		all[i] = Way{b.UpTo, b.Layer.Resources()}
	}
	return all
}

var switchKind = kindOf[Switch](Kind{
	Name: "switch", Cost: "that of the branch for n; the boundary belongs to the lower one",
	Branches: func(l Layer) *[]Branch { return &l.(*Switch).Branches },
	Bounds:   true,
	Check:    func(l Layer) (string, error) { return l.(*Switch).check() },
	Asks:     1,
})

func (s *Switch) check() (key string, err error) {
	if len(s.Branches) < 2 {
		return "", errors.New(`a switch has at least two branches, as in branches = [{ layer = "pio", up_to = "256B" }, { layer = "dma" }]`)
	}
	for i := 1; i < len(s.Branches)-1; i++ {
		if before := s.Branches[i-1].UpTo; s.Branches[i].UpTo <= before {
			return fmt.Sprintf("branches.%d.up_to", i), fmt.Errorf("overlaps the previous branch, which serves up to %s; thresholds must rise", before)
		}
	}
	return "", nil
}

// Kind returns the row of the registry.
func (*Switch) Kind() *Kind { return switchKind }
