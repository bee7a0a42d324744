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
	// Send and Receive, if not nil, are layers that replace Layer's overheads: their OneWay is the
	// time in µs on the sending, and on the receiving processor.
	Send, Receive model.Layer

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

	// ByLatency, from 0 to 1, is the power of its latency by which a message has a smaller share of
	// NICs, ports and links: 0 if shares are equal, 1 as with TCP, whose flows with twice the
	// latency get half (Padhye, Firoiu, Towsley, Kurose, SIGCOMM 1998).
	ByLatency float64

	// Eager, if above 0, is the eager threshold: a larger message waits until its receive is
	// posted. The layer's times include the handshake, as measured times do.
	Eager quantity.Bytes

	// Handshake and Data name the ranks that must be inside the library for a message above the
	// eager threshold. Its bytes start at the first moment when the receive is posted, the request
	// has arrived, and the ranks of both are inside; they stop while a rank of Data is outside.
	Handshake, Data Presence

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
	case !(l.ByLatency >= 0 && l.ByLatency <= 1):
		return "by_latency", errors.New("must be 0 to 1, the power of its latency by which a " +
			"message has a smaller share")
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
