package model

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// LogP is the cost of short messages of a fixed size [logp]; HP-LAM §4.2:
//
//	T = o_s + L + o_r        RTT = max(2T, g)        rate = 1/max(g, o_s, o_r)
//
// Where, all in µs and ≥ 0: o_s = SendOverhead and o_r = ReceiveOverhead, the times that a
// message occupies the processors; L = Latency, its time in the network; g = GapTime, the minimum
// time between messages.
//
// The cost is that of a short message of the fixed size, whatever n is.
type LogP struct {
	Latency         quantity.Micros // L
	SendOverhead    quantity.Micros // o_s
	ReceiveOverhead quantity.Micros // o_r
	GapTime         quantity.Micros // g
	// Processors is P, 0 if unknown. It is a parameter of the model, but no cost of a message
	// depends on it.
	Processors int
}

// OneWay returns o_s + L + o_r.
func (l *LogP) OneWay(quantity.Bytes) quantity.Micros {
	return l.SendOverhead + l.Latency + l.ReceiveOverhead
}

// Gap returns max(g, o_s, o_r): a processor cannot send faster than it can prepare messages.
func (l *LogP) Gap(quantity.Bytes) quantity.Micros {
	return max(l.GapTime, l.SendOverhead, l.ReceiveOverhead)
}

// Capacity returns ⌈L/g⌉, the number of messages that can be in transit from a processor, or to
// one, at any time (Culler and others, LogP, 1993, section 3); 0 if there is no limit, since g or L
// is 0. A message is in transit for L. Another one to the same processor stalls its sender.
func (l *LogP) Capacity() int {
	if !(l.GapTime > 0) || !(l.Latency > 0) {
		return 0
	}
	// A quotient that is whole but for rounding is whole, and 2^30 messages are no limit.
	return int(math.Ceil(min(float64(l.Latency/l.GapTime)*(1-1e-12), 1<<30)))
}

// Overheads returns o_s and o_r.
func (l *LogP) Overheads(quantity.Bytes) (send, receive quantity.Micros) {
	return l.SendOverhead, l.ReceiveOverhead
}

// LogGP adds a time per byte for long messages to [LogP] [loggp]:
//
//	T(n)   = o_s + (n−1)G + L + o_r
//	g_s(n) = max(o_s, g + (n−1)G)        from a send to the sender's next
//	g_r(n) = max(o_r, g + (n−1)G)        from a message to the receiver's next
//
// Where: G = GapPerByte in µs per byte, ≥ 0, the inverse of the bandwidth for long messages; the
// rest as in LogP. The bytes of a message stream while the processor prepares the next one, so
// overhead and bytes overlap.
type LogGP struct {
	LogP
	GapPerByte quantity.MicrosPerByte // G
}

// OneWay returns o_s + (n−1)G + L + o_r.
func (l *LogGP) OneWay(n quantity.Bytes) quantity.Micros {
	return l.LogP.OneWay(n) + l.GapPerByte.Times(n-1)
}

// Gap returns max(o_s, o_r, g + (n−1)G), the longer of g_s and g_r.
func (l *LogGP) Gap(n quantity.Bytes) quantity.Micros {
	return max(l.SendOverhead, l.ReceiveOverhead, l.GapTime+l.GapPerByte.Times(n-1))
}

// resources returns the resources of LogGP with G = 0.
func (l *LogP) resources() Resources { return (&LogGP{LogP: *l}).resources() }

// resources returns the processors and the interfaces of both nodes. A message occupies an
// interface for g + (n−1)G, while the processor works on the next one. While its bytes leave one
// interface they enter the other, so only one interface has (n−1)G in its delay.
func (l *LogGP) resources() Resources {
	// (n−1)G: the first byte is part of L and g, as in Alexandrov et al. (1995).
	bytes := PacketCost{Beta: -l.GapPerByte.Times(1), Tau: l.GapPerByte}
	busy := bytes.plus(PacketCost{Beta: l.GapTime})
	return Route{
		Send: PacketCost{Beta: l.SendOverhead},
		Hops: []Hop{
			{Resource: "interface-out", Delay: PacketCost{Beta: l.Latency}, Busy: busy},
			{Resource: "interface-in", Side: AtReceiver, Delay: bytes, Busy: busy},
		},
		Receive: PacketCost{Beta: l.ReceiveOverhead},
	}
}

// logPFields returns the parameters of LogP in a layer that contains one.
func logPFields(at func(Layer) *LogP) []Field {
	return []Field{
		{
			Key: "o_s", Measure: Time, Symbol: "o_s", Phrase: "time of the sending processor",
			At: func(l Layer) any { return &at(l).SendOverhead },
		},
		{
			Key: "o_r", Measure: Time, Symbol: "o_r", Phrase: "time of the receiving processor",
			At: func(l Layer) any { return &at(l).ReceiveOverhead },
		},
		{
			Key: "L", Measure: Time, Symbol: "L", Phrase: "time in the network",
			At: func(l Layer) any { return &at(l).Latency },
		},
		{
			Key: "g", Measure: Time, Symbol: "g", Phrase: "gap between messages",
			At: func(l Layer) any { return &at(l).GapTime },
		},
		{
			Key: "P", Measure: Count, Optional: true, Symbol: "P", Phrase: "number of processors",
			At: func(l Layer) any { return &at(l).Processors },
		},
	}
}

// logPAliases are the keys of papers that give one overhead o for both processors.
var logPAliases = map[string][]string{"o": {"o_s", "o_r"}}

var logPKind = &Kind{
	Name: "logp", Cost: "o_s + L + o_r, whatever n", zero: &LogP{},
	Fields:  logPFields(func(l Layer) *LogP { return l.(*LogP) }),
	Aliases: logPAliases,
}

var gapPerByteField = Field{
	Key: "G", Measure: PerByte, Symbol: "G", Phrase: "gap per byte",
	At: func(l Layer) any { return &l.(*LogGP).GapPerByte },
}

var logGPKind = &Kind{
	Name: "loggp", Cost: "o_s + (n−1)G + L + o_r", zero: &LogGP{},
	Fields:  append(logPFields(func(l Layer) *LogP { return &l.(*LogGP).LogP }), gapPerByteField),
	Aliases: logPAliases,
}

func (*LogP) kind() *Kind { return logPKind }

func (*LogGP) kind() *Kind { return logGPKind }
