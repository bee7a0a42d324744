package model

import (
	"errors"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Envelope uses for each size the branch with the minimum one-way time, the first of several: a
// switch with its thresholds where costs cross. UpTo of the branches is ignored. There is at least
// one branch.
type Envelope struct {
	Branches []Branch
}

// fastest returns the index of the branch for n bytes.
func (e *Envelope) fastest(n quantity.Bytes) int {
	best, least := 0, e.Branches[0].Layer.OneWay(n)
	for i := 1; i < len(e.Branches); i++ {
		if t := e.Branches[i].Layer.OneWay(n); t < least {
			best, least = i, t
		}
	}
	return best
}

func (e *Envelope) branch(n quantity.Bytes) *Branch { return &e.Branches[e.fastest(n)] }

// Select returns the name and the layer of the fastest branch for n bytes.
func (e *Envelope) Select(n quantity.Bytes) (string, Layer) {
	b := e.branch(n)
	return b.Name, b.Layer
}

// OneWay returns the minimum of the branches' one-way times in µs.
func (e *Envelope) OneWay(n quantity.Bytes) quantity.Micros { return e.branch(n).Layer.OneWay(n) }

// Gap returns the gap in µs of the branch with the minimum one-way time.
func (e *Envelope) Gap(n quantity.Bytes) quantity.Micros { return e.branch(n).Layer.Gap(n) }

// Overheads returns the overheads in µs of the branch with the minimum one-way time.
func (e *Envelope) Overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	return e.branch(n).Layer.Overheads(n)
}

// Resources returns a [Choice] of the resources of the branch with the minimum one-way time.
func (e *Envelope) Resources() Resources {
	return Choice{Branches: ways(e.Branches), Least: true, fastest: e.fastest}
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

func (e *Envelope) freeze(n quantity.Bytes) { e.Branches = []Branch{*e.branch(n)} }
