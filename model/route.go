package model

import (
	"math"
	"sort"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// resources describes as data the resources that a message occupies and the times: a [Route], or a
// [Choice], [Pieces] or [Sum] of other descriptions. They hold parameters alone, so that an engine
// that runs them (package virtual) does not depend on the closed forms of this package.
//
// If a model does not define its resources, its description has as many as make its formula exact.
type Resources interface{ resources() }

// A Route is the path of packets: the sending processor, hops, the receiving processor.
type Route struct {
	Send    PacketCost
	Hops    []Hop // at least one
	Receive PacketCost
	Packets packetizer // cuts the message; nil: it travels whole
}

// A packetizer is a layer that cuts a message of n bytes into packets.
type packetizer interface {
	PacketSize(n quantity.Bytes) quantity.Bytes
}

// A Hop of a route takes Delay until a packet has left it, and occupies its resource for Busy,
// which is mostly the same.
type Hop struct {
	Resource    string // hops that name the same resource on the same node share it
	Stage       string // of the platform, which may place it elsewhere; "": none
	Side        Side
	Delay, Busy PacketCost
	// Overlapped, if not nil, replaces both while other packets of the message are on the route:
	// for all but the first packet in the first hop, the last in the last, and a single one.
	Overlapped *Curve
}

// packets returns ⌈n/size⌉, exact for n ≤ quantity.MaxBytes.
func packets(n, size quantity.Bytes) float64 { return math.Ceil(float64(n / size)) }

// load returns the time for which n bytes in packets of a size occupy the hop, which is the first
// or the last of its route or neither.
func (h Hop) load(first, last bool, n, size quantity.Bytes) quantity.Micros {
	count := packets(n, size)
	rest := n - quantity.Bytes(count-1)*size
	if h.Overlapped == nil || count == 1 {
		return quantity.Micros(count-1)*h.Busy.of(size) + h.Busy.of(rest)
	}
	busy := quantity.Micros(count-1)*h.Overlapped.At(size) + h.Overlapped.At(rest)
	if first {
		busy += h.Busy.of(size) - h.Overlapped.At(size)
	}
	if last {
		busy += h.Busy.of(rest) - h.Overlapped.At(rest)
	}
	return busy
}

// A Side is the owner of a resource.
type Side int

// The sides of a message.
const (
	AtSender   Side = iota // each node has one for the messages it sends
	AtReceiver             // each node has one for the messages it receives
	AtNetwork              // there is one for all nodes
)

// A PacketCost is the time of a packet at one stop of its route: Beta µs and Tau µs for each of
// its bytes, or a measured time. The cost of a whole message between two ranks is machine.Cost.
type PacketCost struct {
	Beta  quantity.Micros
	Tau   quantity.MicrosPerByte
	Curve *Curve // in place of Beta and Tau, if not nil
	// Measured, if not nil, replaces the other fields. It is a pointer so that costs are
	// comparable.
	Measured *func(n quantity.Bytes) quantity.Micros
}

// of returns the cost of a packet of n bytes.
func (c PacketCost) of(n quantity.Bytes) quantity.Micros {
	switch {
	case c.Measured != nil:
		return (*c.Measured)(n)
	case c.Curve != nil:
		return c.Curve.At(n)
	}
	return c.Beta + c.Tau.Times(n)
}

// plus returns the sum of two costs; neither may be a curve.
func (c PacketCost) plus(d PacketCost) PacketCost {
	return PacketCost{Beta: c.Beta + d.Beta, Tau: c.Tau + d.Tau}
}

// A Choice selects one of several ways for a message by its size.
type Choice struct {
	// Branches are in ascending order of UpTo, the largest size that each serves; the last serves
	// all larger sizes. If Least is set, UpTo is ignored, and a message takes the branch with the
	// minimum one-way time, the first of several.
	Branches []Way
	Least    bool
	branch   func(n quantity.Bytes) int // the index of the branch for n bytes; required with Least
}

// at returns the resources of the branch that serves n bytes.
func (c Choice) at(n quantity.Bytes) Resources {
	if c.Least {
		return c.Branches[c.branch(n)].Resources
	}
	last := len(c.Branches) - 1
	for _, b := range c.Branches[:last] {
		if n <= b.UpTo {
			return b.Resources
		}
	}
	return c.Branches[last].Resources
}

// A Way is a branch of a [Choice].
type Way struct {
	UpTo      quantity.Bytes // the boundary belongs to this branch
	Resources Resources
}

// Pieces cuts a message into pieces of at most Size bytes, each a message of Below; at most Window
// of them can be without a returned credit.
type Pieces struct {
	Size   quantity.Bytes // ≥ 1
	Window int            // ≥ 1; 0: no window
	Below  Resources
}

// A Sum adds a cost to the message below: its time comes after all hops, and its gap lengthens the
// occupation of the slowest hop.
type Sum struct{ Below, Added Resources }

func (Route) resources() {}

func (Choice) resources() {}

func (Pieces) resources() {}

func (Sum) resources() {}

// oneHop returns the route of a cost without known parts.
func oneHop(c PacketCost) Route { return Route{Hops: []Hop{{Resource: "path", Delay: c, Busy: c}}} }

// A Curve is a cost that was measured at some sizes. Between two sizes it is interpolated in the
// logarithms of size and cost:
//
//	T(n) = T_i · (n/n_i)^b    b = ln(T_j/T_i) / ln(n_j/n_i)    n_i ≤ n ≤ n_j = n_{i+1}
//
// Below the smallest size the cost is constant. Above the largest it follows the line through the
// last two, or is constant if that line falls.
//
// Where: n = Sizes in bytes, at least two, rising; T = Costs in µs, > 0.
type Curve struct {
	Sizes []quantity.Bytes
	Costs []quantity.Micros
}

// changedAt returns the cost of n bytes on the curve with other costs.
func (c *Curve) changedAt(n quantity.Bytes, cost func(i int) quantity.Micros) quantity.Micros {
	j := sort.Search(len(c.Sizes)-1, func(i int) bool { return i > 0 && c.Sizes[i] >= n })
	two := [2]quantity.Micros{cost(j - 1), cost(j)}
	between := Curve{c.Sizes[j-1 : j+1], two[:]}
	return between.At(n)
}

// At returns the cost of n bytes.
func (c *Curve) At(n quantity.Bytes) quantity.Micros {
	j := sort.Search(len(c.Sizes), func(i int) bool { return c.Sizes[i] >= n })
	last := len(c.Sizes) - 1
	switch {
	case j == 0:
		return c.Costs[0]
	case j > last:
		slope := (c.Costs[last] - c.Costs[last-1]).Per(c.Sizes[last] - c.Sizes[last-1])
		return c.Costs[last] + max(0, slope).Times(n-c.Sizes[last])
	}
	i := j - 1
	part := math.Log(float64(n/c.Sizes[i])) / math.Log(float64(c.Sizes[j]/c.Sizes[i]))
	// exp(p·log x) is math.Pow(x, p) in a third of its time; searches for n½ and for packets try
	// thousands of sizes.
	return c.Costs[i] * quantity.Micros(math.Exp(part*math.Log(float64(c.Costs[j]/c.Costs[i]))))
}
