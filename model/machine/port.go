package machine

import (
	"math"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Port is what messages out of a unit share, and another one like it what messages into it share:
// nothing if it is empty, one layer, or several, its rails, such as the NICs of a node of GPUs. The
// OneWay of a layer is the time in µs that a message occupies it.
type Port []model.Layer

// OneWay returns the time in µs that a message of n ≥ 1 bytes occupies the port, whichever rail it
// takes: the rails together carry the sum of their rates. The port must not be empty.
func (p Port) OneWay(n quantity.Bytes) quantity.Micros {
	if len(p) == 1 {
		return p[0].OneWay(n)
	}
	rate := 0.0 // messages per µs
	for _, rail := range p {
		rate += 1 / float64(rail.OneWay(n))
	}
	return quantity.Micros(1 / rate)
}

// fastest returns the least time in µs that a message of n bytes occupies one of the rails.
func (p Port) fastest(n quantity.Bytes) quantity.Micros {
	least := quantity.Micros(math.Inf(1))
	for _, rail := range p {
		least = min(least, rail.OneWay(n))
	}
	return least
}
