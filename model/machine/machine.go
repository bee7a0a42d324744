// Package machine describes parallel machines by levels: cores in a cache, caches in a socket,
// sockets in a node, nodes in a cluster. The cost of a message depends on the innermost level that
// its two ranks have in common. The ranks of a unit share its memory, buses and NICs.
package machine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Machine is a tree of equal units; its leaves are cores, each the place of one rank. If the
// inside of a node is unknown, a core stands for the whole node.
type Machine struct {
	Levels []Level // from inside out, at least one; the unit of the last is the whole machine
}

// A Level is one kind of unit.
type Level struct {
	Name  string // "cache", "socket", "node", "cluster"
	Arity int    // units of the next inner level (innermost level: cores) in one unit; ≥ 1

	// Layer is the cost of a message between two ranks whose innermost common level is this one.
	Layer model.Layer
	// Gap, Send and Receive, if not nil, are layers that replace Layer's gap and overheads. Their
	// OneWay is, in µs, the gap between two messages of a sender, the time on the sending
	// processor, and the time on the receiving processor.
	Gap, Send, Receive model.Layer

	// Relay and Fresh, if not nil, are layers whose OneWay replaces Layer's for messages of memory
	// in another state of the caches: those received into memory that the receiver has sent since,
	// and those sent of memory that the sender has just written.
	Relay, Fresh model.Layer

	// Shared and Port, if not nil, are layers whose OneWay is the time in µs that a message
	// occupies a resource shared by the ranks of a unit. Shared carries all messages between two
	// ranks inside the unit, as a memory or bus does, but for those inside an inner unit with a
	// port. Port carries the messages that leave the
	// unit, and a second one like it those that enter, as a NIC does.
	Shared model.Layer
	Port   Port
	// Lanes and Ports replace Shared and Port by the number of transfers that run at full speed at
	// the same time: each transfer occupies the resource for its [Cost.Gap] divided by that number.
	// They are at least 1 and need not be whole; 0 means no limit.
	Lanes, Ports float64

	// Routes, if above 1, is the number of equal links of a port. As with static routing in fat
	// trees, the number of the receiver's inner unit, modulo Routes, gives the link of a message.
	// Otherwise all messages share the port.
	Routes int

	// Direct, if above 1, is the number of units of the level around it, to each of which a unit
	// has a link of its own, as clusters that are linked in pairs do. Port is then one such link.
	Direct int

	// Topology, if not zero, connects the inner units of the outermost level. The layer is the cost
	// between the closest units; each further link of a route adds Hop to the latency, and a
	// message occupies each link for Link's OneWay, if not nil. If Hops is not nil, its OneWay
	// replaces Hop for messages of that size: a link's latency may rise with the size. A unit has
	// no NIC but its links. In a dragonfly, Local replaces Link for the links between routers of a
	// group, and Global for those between groups, if not nil.
	Topology            Topology
	Hop                 quantity.Micros
	Link, Local, Global model.Layer
	Hops                model.Layer

	// Packet, if above 0, is the largest message that the NICs of ranks carry one after the other,
	// as they do without it. They interleave larger messages, which get max-min fair shares of the
	// NICs of both ranks, as all messages do of what the ranks of a unit share.
	Packet quantity.Bytes

	// Overlap, if above 0, is the smallest message that NICs interleave with messages between the
	// same two ranks too, as networks do that have a connection for each message. Without it these
	// follow each other, a gap apart.
	Overlap quantity.Bytes

	// Reverse, from 0 to 1, is the part of its occupancy that a message also takes from the
	// opposite direction of NICs, ports and links: two large messages in opposite
	// directions take 1 + Reverse times as long as one. It applies to the messages of the level
	// and, with Ports, to those that leave its units, if their own level does not have a larger
	// one. Port has the value of their level alone: a bus may be half duplex where the NIC is not.
	Reverse float64

	// Eager, if above 0, is the eager threshold: a larger message waits until its receive is
	// posted. The layer's times include the handshake, as measured times do.
	Eager quantity.Bytes

	// Deferred, if above 0, is the size of the smallest eager message whose bytes leave when its
	// receive is posted, though its send ends at once: libraries without asynchronous progress
	// transfer such messages within the receive.
	Deferred quantity.Bytes

	// Crowd is the time that the sender and the receiver of an eager message each need in addition
	// among many ranks, since cache lines are cold. See [Machine.Among].
	Crowd quantity.Micros
}

var errShare = errors.New("must be 1 to 2^30, since a single transfer runs at full speed; " +
	"omit it if nothing is shared")

// Check validates the machine. If it is invalid, Check returns the offending level, its key in a
// platform file, and the reason.
func (m Machine) Check() (level int, key string, err error) {
	cores := 1
	for i, l := range m.Levels {
		switch {
		case l.Layer == nil:
			return i, "layer", errors.New("is missing")
		case l.Arity < 1:
			return i, "arity", errors.New("must be at least 1")
		// Divided, since the product may overflow.
		case l.Arity > MaxCores/cores:
			return i, "arity", errors.New("makes more than 2^30 cores")
		}
		cores *= l.Arity
		outermost := i == len(m.Levels)-1
		if !outermost && l.Direct != 0 && l.Direct != m.Levels[i+1].Arity {
			return i, "direct", fmt.Errorf("must be the arity of level %s, %d, whose units have "+
				"links to each other (got %d)", m.Levels[i+1].Name, m.Levels[i+1].Arity, l.Direct)
		}
		key, err := l.checkSharing(outermost)
		if err == nil {
			key, err = l.checkNetwork(outermost)
		}
		if err != nil {
			return i, key, err
		}
	}
	return 0, "", nil
}

// checkSharing validates what the ranks of a unit share.
func (l Level) checkSharing(outermost bool) (key string, err error) {
	if key, err = l.checkShares(); err != nil {
		return key, err
	}
	// Lanes and Shared are two descriptions of the same resource, as are Ports and Port.
	switch {
	case l.Lanes != 0 && l.Shared != nil:
		return "lanes", errors.New("has the same meaning as shared; omit one of them")
	case l.Ports != 0 && len(l.Port) > 0:
		return "ports", errors.New("has the same meaning as port; omit one of them")
	case l.Ports != 0 && outermost:
		return "ports", errors.New("is for messages that leave a unit, " +
			"and this is the whole machine; use lanes for those inside")
	case len(l.Port) > 0 && outermost:
		return "port", errors.New("is for messages that leave a unit, " +
			"and this is the whole machine; use shared for those inside")
	}
	return "", nil
}

// checkShares validates how much and how often it is shared.
func (l Level) checkShares() (key string, err error) {
	switch {
	case l.Lanes != 0 && !fullSpeed(l.Lanes):
		return "lanes", errShare
	case l.Ports != 0 && !fullSpeed(l.Ports):
		return "ports", errShare
	case l.Routes != 0 && (l.Routes < 1 || len(l.Port) == 0 && l.Ports == 0):
		return "routes", errors.New("must be at least 1, and is for a level with port or ports")
	case l.Direct != 0 && (l.Direct < 2 || l.Routes > 1 || len(l.Port) == 0 && l.Ports == 0):
		return "direct", errors.New("must be at least 2, and is for a level with port or ports " +
			"and no routes")
	case !(l.Reverse >= 0 && l.Reverse <= 1):
		return "reverse", errors.New("must be 0 to 1, " +
			"the part of the opposite direction that a message takes")
	case !(l.Crowd >= 0):
		return "crowd", errors.New("must be at least 0")
	}
	return "", nil
}

// fullSpeed reports whether a number of transfers at full speed is possible. Below 1, a transfer
// alone would be slower than its layer, which is measured alone.
func fullSpeed(transfers float64) bool { return transfers >= 1 && transfers <= MaxCores }

// checkNetwork validates the topology and what belongs to its links.
func (l Level) checkNetwork(outermost bool) (key string, err error) {
	network := l.Topology.kind != ""
	switch {
	case network && !outermost:
		return "topology", errors.New("is for the outermost level alone")
	case network && l.Topology.Units() != l.Arity:
		return "topology", fmt.Errorf("%q connects %d units, and the arity is %d",
			l.Topology, l.Topology.Units(), l.Arity)
	case !(l.Hop >= 0):
		return "hop", errors.New("must be at least 0")
	case !network && (l.Hop > 0 || l.Hops != nil || l.Link != nil):
		return "topology", errors.New("is missing; hop and link are of its links")
	case l.Topology.kind != "dragonfly" && (l.Local != nil || l.Global != nil):
		return "topology", errors.New("has no local and global links; these are of a dragonfly")
	}
	return "", nil
}

// Cores returns the number of cores of the machine.
func (m Machine) Cores() int {
	cores := 1
	for _, l := range m.Levels {
		cores *= l.Arity
	}
	return cores
}

// Sizes returns the number of cores in one unit of each level.
func (m Machine) Sizes() []int {
	sizes := make([]int, len(m.Levels))
	cores := 1
	for i, l := range m.Levels {
		cores *= l.Arity
		sizes[i] = cores
	}
	return sizes
}

// Shares reports whether ranks share anything that carries messages.
func (m Machine) Shares() bool {
	for _, l := range m.Levels {
		if l.Shared != nil || len(l.Port) > 0 || l.Lanes > 0 || l.Ports > 0 ||
			l.Link != nil || l.Local != nil || l.Global != nil {
			return true
		}
	}
	return false
}

// String describes the machine from the outermost level in: "2 node × 2 socket × 64 core".
func (m Machine) String() string {
	var parts []string
	for i := len(m.Levels) - 1; i >= 0; i-- {
		inner := "core"
		if i > 0 {
			inner = m.Levels[i-1].Name
		}
		parts = append(parts, fmt.Sprintf("%d %s", m.Levels[i].Arity, inner))
	}
	return strings.Join(parts, " × ")
}

// A Cost is the cost in µs of a message of one size between two ranks. Its one-way time on an idle
// machine is Send + Latency + Serialization + Receive.
type Cost struct {
	Send, Receive quantity.Micros // time on the sending and on the receiving processor
	// Latency is the part of the remaining time that a message of one byte takes too. It is
	// negative, at least −Send, if sending overlaps with travelling, as it does in a pipeline.
	Latency       quantity.Micros
	Serialization quantity.Micros // the part of the remaining time that grows with the size
	Gap           quantity.Micros // between the starts of two messages of the sender
	ReceiveGap    quantity.Micros // between the starts of two receives
	Rendezvous    bool            // the message waits until its receive is posted
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

// HasGap reports whether the gap of messages at level l is known; see [model.HasGap]. If not,
// [Level.Cost] takes the one-way time.
func (l Level) HasGap() bool { return l.Gap != nil || model.HasGap(l.Layer) }

// Cost returns what a message of n ≥ 1 bytes costs at level l.
func (l Level) Cost(n quantity.Bytes) Cost {
	c := Cost{Rendezvous: l.Eager > 0 && n > l.Eager}
	if m, ok := l.Layer.(*model.LogP); ok { // LogGP has no such limit
		c.Capacity = m.Capacity()
	}
	c.Gap, c.ReceiveGap = portTimes(l.Layer, n)
	if l.Gap != nil {
		c.Gap = l.Gap.OneWay(n)
		c.ReceiveGap = c.Gap
	} else {
		c.Credits = model.CreditsOf(l.Layer, n)
	}
	c.Send, c.Receive = l.overheads(n)
	network := l.Layer.OneWay(n) - c.Send - c.Receive
	if l.Send != nil || l.Receive != nil {
		// A shorter latency does not shorten the measured overheads, of which it may leave the sum.
		network = max(network, 0)
	}
	send, receive := l.overheads(1)
	// The part of one byte is latency. It is at most the whole, so that Serialization cannot be
	// negative where overheads grow faster than the one-way time.
	c.Latency = min(max(l.Layer.OneWay(1)-send-receive, 0), network)
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
		c.Gap = max(c.Gap, c.Send)
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
