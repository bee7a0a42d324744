// Package machine describes parallel machines by levels: cores in a cache, caches in a socket,
// sockets in a node, nodes in a cluster. What a message costs depends on the level at which its two
// ranks meet, and ranks of one unit share what the unit has.
package machine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Machine is a tree of equal units, of which the cores are the leaves. A core is the place of one
// rank; where nothing is known about what is inside a node, a core stands for the whole node.
type Machine struct {
	Levels []Level // from inside out, at least one; the unit of the last is the whole machine
}

// A Level is one kind of unit.
type Level struct {
	Name  string // "cache", "socket", "node", "cluster"
	Arity int    // units of the level inside it, or cores of the innermost, that make one; ≥ 1

	// Layer is what a message costs between two ranks that share a unit of this level, and none of
	// a level inside it.
	Layer model.Layer
	// Gap, Send and Receive, if not nil, are layers whose OneWay is the gap from one message of
	// a sender to its next, and the time for which a message occupies the sending and the receiving
	// processor: in place of those of Layer, which for a linear one are the whole time and nothing.
	Gap, Send, Receive model.Layer

	// Shared and Port, if not nil, are layers whose OneWay is the time for which a message occupies
	// what the ranks of a unit share: Shared what carries messages between two ranks inside, at
	// whatever level they meet, as a memory or bus; Port what carries those that leave the unit, and
	// another like it those that enter, as a NIC.
	Shared, Port model.Layer
	// Lanes and Ports say the same by how many transfers go at full speed at once: each occupies what
	// is shared for its [Cost.Gap] over that number. They are ≥ 1, not necessarily whole, or 0:
	// any number. A level has Shared or Lanes, Port or Ports.
	Lanes, Ports float64

	// Packet, if above 0, is the largest message that what ranks share carries first come, first
	// served. The bytes of larger ones have max-min fair shares of it, and of the NICs of both ranks.
	Packet quantity.Bytes

	// Eager, if above 0, is the largest message that is sent at once. A larger one waits until
	// its receive is posted; the hand-shake is in the layer's times, as it is in measured ones.
	Eager quantity.Bytes
}

// MaxCores bounds the cores of a machine.
const MaxCores = 1 << 30

// Check returns the key of the level that makes the machine impossible, and the reason; nil if it
// is possible. The keys are those of a platform file.
func (m Machine) Check() (level int, key string, err error) {
	cores := 1
	for i, l := range m.Levels {
		switch {
		case l.Layer == nil:
			return i, "layer", fmt.Errorf("is missing")
		case l.Arity < 1:
			return i, "arity", errors.New("must be at least 1")
		case l.Arity > MaxCores/cores:
			return i, "arity", fmt.Errorf("makes more than 2^30 cores")
		case l.Lanes != 0 && !(l.Lanes >= 1 && l.Lanes <= MaxCores):
			return i, "lanes", fmt.Errorf("must be at least 1, since a single transfer runs at full speed; omit it if nothing is shared")
		case l.Ports != 0 && !(l.Ports >= 1 && l.Ports <= MaxCores):
			return i, "ports", fmt.Errorf("must be at least 1, since a single transfer runs at full speed; omit it if nothing is shared")
		case l.Lanes != 0 && l.Shared != nil:
			return i, "lanes", fmt.Errorf("says the same as shared; leave one of them out")
		case l.Ports != 0 && l.Port != nil:
			return i, "ports", fmt.Errorf("says the same as port; leave one of them out")
		case l.Ports != 0 && i == len(m.Levels)-1:
			return i, "ports", fmt.Errorf("is for what leaves a unit, and this is the whole machine; lanes is for what is inside")
		case l.Port != nil && i == len(m.Levels)-1:
			return i, "port", fmt.Errorf("is for what leaves a unit, and this is the whole machine; shared is for what is inside")
		}
		cores *= l.Arity
	}
	return 0, "", nil
}

// Cores is how many cores the machine has.
func (m Machine) Cores() int {
	cores := 1
	for _, l := range m.Levels {
		cores *= l.Arity
	}
	return cores
}

// Sizes are the numbers of cores in one unit of each level.
func (m Machine) Sizes() []int {
	sizes := make([]int, len(m.Levels))
	cores := 1
	for i, l := range m.Levels {
		cores *= l.Arity
		sizes[i] = cores
	}
	return sizes
}

// A Cost is what a message of a size takes at a level, in µs. Alone, it takes Send + Latency +
// Serialization + Receive.
type Cost struct {
	Send, Receive quantity.Micros // of the processors
	// Latency and Serialization are the rest of the one-way time: what a message of one byte takes too,
	// and what it does not.
	Latency, Serialization quantity.Micros
	Gap                    quantity.Micros // from the beginning of a message to that of the sender's next
	ReceiveGap             quantity.Micros // from that of a message which the receiver takes in to the next
	Rendezvous             bool            // the message waits for its receive; the hand-shake is in the times
}

// Cost is that of a message of n ≥ 1 bytes at the level.
func (l Level) Cost(n quantity.Bytes) Cost {
	c := Cost{Rendezvous: l.Eager > 0 && n > l.Eager}
	c.Gap, c.ReceiveGap = interfaces(l.Layer, n)
	if l.Gap != nil {
		c.Gap = l.Gap.OneWay(n)
		c.ReceiveGap = c.Gap
	}
	c.Send, c.Receive = l.overheads(n)
	way := l.Layer.OneWay(n) - c.Send - c.Receive
	send, receive := l.overheads(1)
	c.Latency = min(max(l.Layer.OneWay(1)-send-receive, 0), way)
	c.Serialization = way - c.Latency
	return c
}

// interfaces are the longest times for which a message occupies what is no processor: on the way
// out of the sender, and on the way in at the receiver. Where the layer does not say what the
// receiver has, it is taken to have what the sender has. The gap of a layer is no measure of
// either: it also has the processors in it, and that of one receiver does not hold back a sender
// who sends to several.
func interfaces(l model.Layer, n quantity.Bytes) (out, in quantity.Micros) {
	in = -1
	for _, load := range model.Loads(l.Resources(), n) {
		switch {
		case load.Resource == model.Processor:
		case load.Side == model.AtReceiver:
			in = max(in, load.Busy)
		default:
			out = max(out, load.Busy)
		}
	}
	if in < 0 {
		in = out
	}
	return out, in
}

// An Occupancy is what one message takes of something that ranks share, in µs: Each is how much
// later it lets all others go, 0 if nothing is shared; Alone is how long the message itself is at
// it. With two lanes, Each is half of Alone.
type Occupancy struct{ Each, Alone quantity.Micros }

// Occupies returns what a message of n ≥ 1 bytes takes of what carries those inside a unit of the
// level, and of each of its ports. gap is [Cost.Gap] at the level where its ranks meet.
func (l Level) Occupies(n quantity.Bytes, gap quantity.Micros) (inside, port Occupancy) {
	occupancy := func(layer model.Layer, number float64) Occupancy {
		switch {
		case layer != nil:
			t := layer.OneWay(n)
			return Occupancy{t, t}
		case number > 0:
			return Occupancy{gap / quantity.Micros(number), gap}
		}
		return Occupancy{}
	}
	return occupancy(l.Shared, l.Lanes), occupancy(l.Port, l.Ports)
}

// Shares reports whether ranks share anything that carries messages.
func (m Machine) Shares() bool {
	for _, l := range m.Levels {
		if l.Shared != nil || l.Port != nil || l.Lanes > 0 || l.Ports > 0 {
			return true
		}
	}
	return false
}

// overheads are those of the layer, or what the level says in their place.
func (l Level) overheads(n quantity.Bytes) (send, receive quantity.Micros) {
	send, receive = l.Layer.Overheads(n)
	if l.Send != nil {
		send = l.Send.OneWay(n)
	}
	if l.Receive != nil {
		receive = l.Receive.OneWay(n)
	}
	return send, receive
}

// String is what the machine consists of, from the outside in: "2 node × 2 socket × 64 core".
func (m Machine) String() string {
	var parts []string
	for i := len(m.Levels) - 1; i >= 0; i-- {
		inner := ByCore
		if i > 0 {
			inner = m.Levels[i-1].Name
		}
		parts = append(parts, fmt.Sprintf("%d %s", m.Levels[i].Arity, inner))
	}
	return strings.Join(parts, " × ")
}
