package machine

import (
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Cost is the cost in µs of a message of one size between two ranks. Its one-way time on an idle
// machine is Send + Latency + Serialization + Receive.
type Cost struct {
	Send, Receive quantity.Micros // time on the sending and on the receiving processor
	// Latency is the part of the remaining time that one byte takes too, by the same protocol. It
	// is negative, at least −Send, if sending overlaps with travelling, as in a pipeline.
	Latency       quantity.Micros
	Serialization quantity.Micros // the part of the remaining time that grows with the size
	Gap           quantity.Micros // between the starts of two messages of the sender
	ReceiveGap    quantity.Micros // between the starts of two receives
	// GapBytes and ReceiveGapBytes are the parts of both gaps that grow with the size.
	GapBytes, ReceiveGapBytes quantity.Micros
	Rendezvous                bool // the message waits until its receive is posted
	// Capacity, if above 0, is the number of messages that can be in transit to one rank, each for
	// Latency. The processor of a further message stalls until one has arrived.
	Capacity int
	// Credits, if not nil, is the window that holds back messages from one rank to another.
	Credits *model.Credits
	// Relay and Fresh are what the receiver of a message into memory that it has sent since, and
	// the sender of memory that it has just written, take in addition; at least −Receive and −Send.
	Relay, Fresh quantity.Micros
}

// LinkAt returns the layer whose time a message occupies a link of the level's topology; nil if it
// occupies none.
func (l Level) LinkAt(link int) model.Layer {
	switch class := l.Topology.Class(link); {
	case class == LocalLinks && l.Local != nil:
		return l.Local
	case class == GlobalLinks && l.Global != nil:
		return l.Global
	}
	return l.Link
}

// Defers reports whether an eager message of n bytes leaves only when its receive is posted. A
// message of 0 bytes is one of 1 byte.
func (l Level) Defers(n quantity.Bytes) bool { return l.Deferred > 0 && max(n, 1) >= l.Deferred }

// Cost returns what a message of n ≥ 1 bytes costs at level l.
func (l Level) Cost(n quantity.Bytes) Cost {
	c := Cost{Rendezvous: l.Eager > 0 && n > l.Eager}
	if m, ok := l.Layer.(*model.LogP); ok { // LogGP has no such limit
		c.Capacity = m.Capacity()
	}
	// A message of one byte may take another branch of a switch, whose fixed costs are others.
	same := model.Serving(l.Layer, n)
	c.Gap, c.ReceiveGap = portTimes(l.Layer, n)
	gap, receiveGap := portTimes(same, 1)
	c.Credits = model.CreditsOf(l.Layer, n)
	c.GapBytes, c.ReceiveGapBytes = max(c.Gap-gap, 0), max(c.ReceiveGap-receiveGap, 0)
	c.Send, c.Receive = l.overheads(n)
	network := l.Layer.OneWay(n) - c.Send - c.Receive
	if l.Send != nil || l.Receive != nil {
		// A shorter latency does not shorten the measured overheads, of which it may leave the sum.
		network = max(network, 0)
	}
	first := l
	first.Layer = same
	send, receive := first.overheads(1)
	// The part of one byte is latency. It is at most the whole, so that Serialization cannot be
	// negative where overheads grow faster than the one-way time.
	c.Latency = min(max(same.OneWay(1)-send-receive, 0), network)
	c.Serialization = network - c.Latency
	if l.Relay != nil {
		c.Relay = max(l.Relay.OneWay(n)-l.Layer.OneWay(n), -c.Receive)
	}
	if l.Fresh != nil {
		c.Fresh = max(l.Fresh.OneWay(n)-l.Layer.OneWay(n), -c.Send)
	}
	if !c.Rendezvous {
		c.Send += l.Crowd
		c.Latency += l.Crowd
	}
	return c
}

// portTimes returns the longest times in µs that a message of n bytes occupies a resource other
// than a processor: out at the sender, in at the receiver. If the layer lists no resource of
// the receiver, in equals out. The layer's gap would be wrong for both: it includes the processors,
// and a slow receiver does not delay a sender that sends to several.
func portTimes(l model.Layer, n quantity.Bytes) (out, in quantity.Micros) {
	in = -1
	for _, load := range model.Loads(model.ResourcesOf(l), n) {
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

// An Occupancy is one message's use of a shared resource, in µs. Each is the delay that it adds to
// every other message, 0 if nothing is shared; Alone is the time that the message itself spends
// there. With two lanes, Each is half of Alone. Bytes is the part of Each that the resource needs
// for the bytes after the first. The rest is a gap, which may follow the message.
type Occupancy struct{ Each, Alone, Bytes quantity.Micros }

// Occupies returns how long a message of n ≥ 1 bytes occupies the shared resource inside a unit
// of the level, and each port of the unit. c is [Level.Cost] at the common level of its two ranks:
// a number of lanes or ports counts messages of its gap, of which its bytes take what they take on
// their way, and at most all. A link of R routes carries an R-th of what the port does. A message
// without a channel takes any rail that is free, so it delays others by what it is of all rails.
// One of a channel, numbered from 1, also occupies the rail of its channel.
func (l Level) Occupies(n quantity.Bytes, c Cost, channel int) (inside, port, rail Occupancy) {
	if inside = counted(l.Lanes, 1, c); l.Shared != nil {
		t := l.Shared.OneWay(n)
		inside = Occupancy{t, t, t - l.Shared.OneWay(1)}
	}
	links := float64(max(l.Routes, 1))
	if port = counted(l.Ports, links, c); len(l.Port) > 0 {
		links := quantity.Micros(links)
		each := links * l.Port.OneWay(n)
		port = Occupancy{each, links * l.Port.fastest(n), each - links*l.Port.OneWay(1)}
	}
	if channel > 0 && l.Rails() > 1 {
		rail = l.rail(n, c, channel-1)
	}
	return inside, port, rail
}

// counted returns the occupancy of a resource that carries a number of messages of cost c at full
// speed, or of one of its links.
func counted(number, links float64, c Cost) Occupancy {
	if number == 0 {
		return Occupancy{}
	}
	share := quantity.Micros(links / number)
	each := share * c.Gap
	return Occupancy{each, max(c.Gap, each), share * min(c.Serialization, c.Gap)}
}

// overheads returns the level's Send and Receive times in µs or, where nil, the layer's overheads.
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

// Rails returns the number of rails by which channels leave a unit of the level; 0 without a port.
// A number of Ports that is not whole has as many rails as whole ports.
func (l Level) Rails() int {
	if len(l.Port) > 0 {
		return len(l.Port)
	}
	return int(l.Ports)
}

// rail returns how long a message of n bytes occupies the rail of a channel, numbered from 0;
// channels beyond the rails begin again at the first.
func (l Level) rail(n quantity.Bytes, c Cost, channel int) Occupancy {
	if len(l.Port) == 0 {
		return counted(1, 1, c)
	}
	rail := l.Port[channel%len(l.Port)]
	t := rail.OneWay(n)
	return Occupancy{t, t, t - rail.OneWay(1)}
}
