package model

import (
	"errors"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Envelope takes for each size the branch with the least one-way time, the first
// of several: a switch whose threshold is where the costs cross. UpTo of the
// branches has no meaning. There is at least one branch.
type Envelope struct {
	Branches []Branch
}

// fastest is the index of the branch for n bytes.
func (e *Envelope) fastest(n quantity.Bytes) int {
	best, least := 0, e.Branches[0].Layer.OneWay(n)
	for i := 1; i < len(e.Branches); i++ {
		if t := e.Branches[i].Layer.OneWay(n); t < least {
			best, least = i, t
		}
	}
	return best
}

func (e *Envelope) at(n quantity.Bytes) *Branch { return &e.Branches[e.fastest(n)] }

// Select returns the branch with the least time for n bytes.
func (e *Envelope) Select(n quantity.Bytes) (string, Layer) {
	b := e.at(n)
	return b.Name, b.Layer
}

// OneWay is the least of the branches'.
func (e *Envelope) OneWay(n quantity.Bytes) quantity.Micros { return e.at(n).Layer.OneWay(n) }

// Gap is that of the branch with the least one-way time.
func (e *Envelope) Gap(n quantity.Bytes) quantity.Micros { return e.at(n).Layer.Gap(n) }

// Overheads are those of the branch with the least one-way time.
func (e *Envelope) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	return e.at(n).Layer.Overheads(n)
}

// Resources are those of the branch with the least one-way time.
func (e *Envelope) Resources() Resources {
	return Choice{Branches: ways(e.Branches), Least: true, Fastest: e.fastest}
}

var envelopeKind = kindOf[Envelope](Kind{
	Name: "envelope", Cost: "the least of the branches'",
	Branches: func(l Layer) *[]Branch { return &l.(*Envelope).Branches },
	Check: func(l Layer) (string, error) {
		if len(l.(*Envelope).Branches) < 2 {
			return "", errors.New(`an envelope has at least two branches, as in branches = [{ layer = "pio" }, { layer = "dma" }]`)
		}
		return "", nil
	},
	Asks: 2,
})

// Kind is the row of the registry.
func (*Envelope) Kind() *Kind { return envelopeKind }

func (e *Envelope) freeze(n quantity.Bytes) { e.Branches = []Branch{*e.at(n)} }
