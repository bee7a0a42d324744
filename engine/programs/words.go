package programs

import (
	"math"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// must is for the first reply to a request, which cannot fail if its form is right.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// pack puts a time into words, unpack takes it out.
func pack(t quantity.Micros) []uint32 {
	b := math.Float64bits(float64(t))
	return []uint32{uint32(b), uint32(b >> 32)}
}

func unpack(words []uint32) quantity.Micros {
	return quantity.Micros(math.Float64frombits(uint64(words[0]) | uint64(words[1])<<32))
}

func per(ep *engine.Endpoint, start quantity.Micros, count int) quantity.Micros {
	return (ep.Now() - start) / quantity.Micros(count)
}
