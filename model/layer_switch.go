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
	// Least makes it an envelope: UpTo is ignored, and each size uses the branch with the minimum
	// one-way time, the first of several. Its thresholds are where costs cross.
	Least bool
}

// branch returns the index of the branch that serves n bytes.
func (s *Switch) branch(n quantity.Bytes) int {
	if s.Least {
		best, least := 0, s.Branches[0].Layer.OneWay(n)
		for i := 1; i < len(s.Branches); i++ {
			if t := s.Branches[i].Layer.OneWay(n); t < least {
				best, least = i, t
			}
		}
		return best
	}
	last := len(s.Branches) - 1
	for i := range s.Branches[:last] {
		if n <= s.Branches[i].UpTo {
			return i
		}
	}
	return last
}

// selected returns the name and the layer of the branch that serves n bytes.
func (s *Switch) selected(n quantity.Bytes) (string, Layer) {
	b := &s.Branches[s.branch(n)]
	return b.Name, b.Layer
}

// OneWay returns the one-way time in µs of the branch that serves n bytes.
func (s *Switch) OneWay(n quantity.Bytes) quantity.Micros {
	return s.Branches[s.branch(n)].Layer.OneWay(n)
}

// Gap returns the gap in µs of the branch that serves n bytes.
func (s *Switch) Gap(n quantity.Bytes) quantity.Micros {
	return s.Branches[s.branch(n)].Layer.Gap(n)
}

// Overheads returns the overheads in µs of the branch that serves n bytes.
func (s *Switch) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	return s.Branches[s.branch(n)].Layer.Overheads(n)
}

// resources returns a [Choice] of the branches' resources by message size.
func (s *Switch) resources() Resources {
	ways := make([]Way, len(s.Branches))
	for i, b := range s.Branches {
		ways[i] = Way{b.UpTo, b.Layer.resources()}
	}
	return Choice{Branches: ways, Least: s.Least, branch: s.branch}
}

var switchKind = &Kind{
	Name: "switch", zero: &Switch{},
	Cost:     "that of the branch for n; the boundary belongs to the lower one",
	Branches: func(l Layer) *[]Branch { return &l.(*Switch).Branches },
	Bounds:   true,
	Check:    func(l Layer) (string, error) { return l.(*Switch).check() },
}

var envelopeKind = func() *Kind {
	k := *switchKind
	k.Name, k.Cost = "envelope", "the least of the branches'"
	k.Bounds, k.zero = false, &Switch{Least: true}
	return &k
}()

func (s *Switch) check() (key string, err error) {
	switch {
	case len(s.Branches) < 2 && s.Least:
		return "", errors.New("an envelope must have at least two branches, " +
			`as in branches = [{ layer = "pio" }, { layer = "dma" }]`)
	case len(s.Branches) < 2:
		return "", errors.New("a switch must have at least two branches, " +
			`as in branches = [{ layer = "pio", up_to = "256B" }, { layer = "dma" }]`)
	case s.Least:
		return "", nil
	}
	for i := 1; i < len(s.Branches)-1; i++ {
		before := s.Branches[i-1].UpTo
		if s.Branches[i].UpTo <= before {
			key := fmt.Sprintf("branches.%d.up_to", i)
			return key, fmt.Errorf("overlaps the previous branch, which serves up to %s; "+
				"thresholds must rise", before)
		}
	}
	return "", nil
}

func (s *Switch) kind() *Kind {
	if s.Least {
		return envelopeKind
	}
	return switchKind
}

// freeze leaves an envelope the branch that serves n bytes: after a change of costs another one may
// be the cheapest. The branches of a switch depend on sizes alone.
func (s *Switch) freeze(n quantity.Bytes) {
	if s.Least {
		s.Branches = s.Branches[s.branch(n):][:1]
	}
}
