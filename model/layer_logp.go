package model

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// LogP is the cost of short messages of a fixed size [logp]; HP-LAM §4.2:
//
//	T = o_s + L + o_r        RTT = 2T        rate = 1/g
//
// Where, all in µs and ≥ 0: o_s = SendOverhead and o_r = ReceiveOverhead, the
// times for which a message occupies the processors; L = Latency, its time in the
// network; g = GapTime, the least interval between messages.
//
// The size of the message does not enter: it is whatever a short message holds.
type LogP struct {
	Latency         quantity.Micros // L
	SendOverhead    quantity.Micros // o_s
	ReceiveOverhead quantity.Micros // o_r
	GapTime         quantity.Micros // g
}

// OneWay is o_s + L + o_r.
func (l *LogP) OneWay(quantity.Bytes) quantity.Micros {
	return l.SendOverhead + l.Latency + l.ReceiveOverhead
}

// Gap is max(g, o_s, o_r): a processor cannot send faster than it can prepare.
func (l *LogP) Gap(quantity.Bytes) quantity.Micros {
	return max(l.GapTime, l.SendOverhead, l.ReceiveOverhead)
}

// Overheads are o_s and o_r.
func (l *LogP) Overheads(quantity.Bytes) (send, receive quantity.Micros) {
	return l.SendOverhead, l.ReceiveOverhead
}

// InFlight is ⌈L/g⌉, the number of messages that can be in the network from one
// processor to another [logp]. L = 5.3 µs at g = 8.7 µs allows one.
// It is 0 if g is zero: no bound.
func (l *LogP) InFlight() int {
	if l.GapTime == 0 {
		return 0
	}
	return int(math.Ceil(float64(l.Latency / l.GapTime)))
}

// LogGP adds a time per byte for long messages to [LogP] [loggp]:
//
//	T(n)  = o_s + (n−1)G + L + o_r
//	g'(n) = max(g, o_s, o_r) + (n−1)G
//
// Where: G = GapPerByte in µs per byte, ≥ 0, the inverse of the bandwidth for
// long messages; the rest as in LogP.
type LogGP struct {
	LogP
	GapPerByte quantity.MicrosPerByte // G
}

// OneWay is o_s + (n−1)G + L + o_r.
func (l *LogGP) OneWay(n quantity.Bytes) quantity.Micros {
	return l.LogP.OneWay(n) + l.GapPerByte.Times(n-1)
}

// Gap is max(g, o_s, o_r) + (n−1)G.
func (l *LogGP) Gap(n quantity.Bytes) quantity.Micros {
	return l.LogP.Gap(n) + l.GapPerByte.Times(n-1)
}

// Resources are those of LogGP with G = 0.
func (l *LogP) Resources() Resources { return (&LogGP{LogP: *l}).Resources() }

// Resources are the processors and the interfaces of both nodes. A processor neither prepares
// the next message nor takes one while bytes go through the interface: it sends a message each
// g + (n−1)G or o_s + (n−1)G, whichever is longer, and receives likewise. The bytes follow each other through the network: while they leave one interface
// they enter the other, so (n−1)G is in the delay of one of them only.
func (l *LogGP) Resources() Resources {
	bytes := Cost{Beta: -l.GapPerByte.Times(1), Tau: l.GapPerByte} // (n−1)G
	busy := bytes.Plus(Cost{Beta: l.GapTime})
	return Route{
		Send: Cost{Beta: l.SendOverhead},
		Hops: []Hop{
			{Resource: "interface-out", Delay: Cost{Beta: l.Latency}, Busy: busy, Hold: bytes},
			{Resource: "interface-in", Side: AtReceiver, Delay: bytes, Busy: busy, Exclusive: true},
		},
		Receive: Cost{Beta: l.ReceiveOverhead},
	}
}
