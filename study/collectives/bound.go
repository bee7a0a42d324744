package collectives

import (
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// bounds returns the least times of a call on a machine without levels, by any algorithm: for its
// latency, and for its bytes in messages of any size, of which all but the last occupy an interface
// for their gap.
func bounds(m simulate.Machine, name string, ranks int, c collective.Call) (latency, bandwidth quantity.Micros) {
	one := m.Cost(0, 1)
	latency = quantity.Micros(collective.LatencyBound(collective.LogP{
		L: float64(one.Latency + one.Serialization), Send: float64(one.Send), Receive: float64(one.Receive), G: float64(min(one.Gap, one.ReceiveGap)),
	}, ranks))
	bytes := collective.BandwidthBytes(name, ranks, c.Bytes)
	if bytes == 0 {
		return latency, 0
	}
	var sizes []uint64
	for n := uint64(1); n < bytes; n *= 2 {
		sizes = append(sizes, n)
	}
	sizes = append(sizes, bytes)
	perByte := quantity.Micros(math.Inf(1))
	for _, n := range sizes {
		cost := m.Cost(0, n)
		perByte = min(perByte, min(cost.Gap, cost.ReceiveGap)/quantity.Micros(n))
	}
	bandwidth = quantity.Micros(math.Inf(1))
	for _, last := range sizes {
		bandwidth = min(bandwidth, perByte*quantity.Micros(bytes-last)+m.Cost(0, last).Serialization)
	}
	return latency, bandwidth
}
