package collectives

import (
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// latencyBound returns the minimum time of a call by any algorithm on a machine without levels,
// since a message has to reach every rank. It has the least costs of any size up to the bytes of
// all ranks, since a measured time may fall where messages grow. The bounds let a reader of the CSV
// see how far the best known algorithm is from any possible one.
//
// known has the bounds of the same least costs on as many ranks: most sizes have the same, and a
// bound of many ranks takes a millisecond.
func latencyBound(m simulate.Machine, ranks int, bytes uint64,
	known map[model.LogP]quantity.Micros) quantity.Micros {
	one := m.Cost(0, 1)
	least := model.LogP{
		Latency:      one.Latency + one.Serialization,
		SendOverhead: one.Send, ReceiveOverhead: one.Receive,
		GapTime: min(one.Gap, one.ReceiveGap),
	}
	all := min(float64(ranks)*float64(bytes), float64(maxSize))
	for _, n := range append(messageSizes(uint64(all)), bytes) {
		c := m.Cost(0, n)
		least.Latency = min(least.Latency, c.Latency+c.Serialization)
		least.SendOverhead = min(least.SendOverhead, c.Send)
		least.ReceiveOverhead = min(least.ReceiveOverhead, c.Receive)
		least.GapTime = min(least.GapTime, c.Gap, c.ReceiveGap)
	}
	bound, is := known[least]
	if !is {
		bound = collective.LatencyBound(least, ranks)
		known[least] = bound
	}
	return bound
}

// messageSizes returns the sizes at which bounds look for the least cost: powers of two, and the
// largest.
func messageSizes(largest uint64) (sizes []uint64) {
	for n := uint64(1); n < largest; n *= 2 {
		sizes = append(sizes, n)
	}
	return append(sizes, largest)
}

// bandwidthBound returns the minimum time of a call for its bytes, likewise. They are sent in
// messages of any size; all but the last message occupy an interface for their gap.
func bandwidthBound(m simulate.Machine, name string, ranks int, size uint64) quantity.Micros {
	bytes := bandwidthBytes(name, ranks, size)
	if bytes == 0 {
		return 0
	}
	sizes := messageSizes(bytes)
	// The bytes before the last message at the cheapest rate that any size of message has: no
	// algorithm is faster.
	perByte := quantity.Micros(math.Inf(1))
	for _, n := range sizes {
		cost := m.Cost(0, n)
		perByte = min(perByte, min(cost.Gap, cost.ReceiveGap)/quantity.Micros(n))
	}
	bandwidth := quantity.Micros(math.Inf(1))
	for _, last := range sizes {
		before := perByte * quantity.Micros(bytes-last)
		bandwidth = min(bandwidth, before+m.Cost(0, last).Serialization)
	}
	return bandwidth
}

// bandwidthBytes returns a lower bound, over all algorithms, of the bytes that some member sends or
// receives in a collective (Chan and others 2007, table 1). bytes is that of a call: the whole
// message, or a block.
func bandwidthBytes(collective string, p int, bytes uint64) uint64 {
	rest := uint64(p - 1) // the other members
	switch collective {
	case "barrier":
		return 0
	case "bcast", "reduce", "scan":
		return min(rest, 1) * bytes
	case "allreduce":
		return 2 * rest * bytes / uint64(p)
	}
	// gather, scatter, allgather, alltoall and reduce-scatter: a block of each other member
	return rest * bytes
}
