package model

import "github.com/halfpeak/halfpeak/model/quantity"

// Resources says as data what a message occupies and for how long: a [Route], or a [Choice],
// [Pieces] or [Sum] of others. They hold parameters alone, so that whoever runs them
// (package engine/virtual) owes nothing to the closed forms of this package.
//
// Where a model does not say which resources there are, its description has as many as
// make its formula exact.
type Resources interface{ resources() }

// A Cost is Beta µs for a packet, and Tau µs for each of its bytes; or what was measured.
type Cost struct {
	Beta  quantity.Micros
	Tau   quantity.MicrosPerByte
	Curve *Curve // in place of Beta and Tau, if not nil
	// Measured is in place of the others if not nil: a pointer, so that costs can be compared.
	Measured *func(n quantity.Bytes) quantity.Micros
}

// Of is the cost of a packet of n bytes.
func (c Cost) Of(n quantity.Bytes) quantity.Micros {
	switch {
	case c.Measured != nil:
		return (*c.Measured)(n)
	case c.Curve != nil:
		return c.Curve.At(n)
	}
	return c.Beta + c.Tau.Times(n)
}

// Plus returns the sum of two costs; neither may be a curve.
func (c Cost) Plus(d Cost) Cost { return Cost{Beta: c.Beta + d.Beta, Tau: c.Tau + d.Tau} }

// A Side is the owner of a resource.
type Side int

// The sides of a message.
const (
	AtSender   Side = iota // each node has one for what it sends
	AtReceiver             // each node has one for what it receives: the same, if the name is the same
	AtNetwork              // there is one for all nodes
)

// A Hop of a route takes Delay until a packet has left it, and occupies its resource for
// Busy. In most, both are the same.
type Hop struct {
	Resource    string // hops that name the same resource on the same node share it
	Stage       string // of the platform, which may place it elsewhere; "": none
	Side        Side
	Delay, Busy Cost
}

// A Route is what the packets of a message cross: the sending processor, hops, the receiving
// processor.
type Route struct {
	Send    Cost
	Hops    []Hop // at least one
	Receive Cost
	Packets Packetizer // cuts the message; nil: it travels whole
}

// A Choice hands a message to one of several ways by its size.
type Choice struct {
	// Branches are in order of rising UpTo, the largest size that each serves; the last takes
	// the rest. Where Least is set, UpTo means nothing, and a message goes the way of least
	// one-way time, the first of several.
	Branches []Way
	Least    bool
	fastest  func(n quantity.Bytes) int // the model's own choice, which others cannot see
}

// A Way is a branch of a [Choice].
type Way struct {
	UpTo      quantity.Bytes // the boundary belongs to this branch
	Resources Resources
}

// Pieces cuts a message into pieces of at most Size bytes, each a message of Below, of which
// at most Window may be without a credit returned.
type Pieces struct {
	Size   quantity.Bytes // ≥ 1
	Window int            // ≥ 1; 0: no window
	Below  Resources
}

// A Sum adds a cost to what the message takes below: its time after all hops; for its gap,
// the slowest of them is occupied longer.
type Sum struct{ Below, Added Resources }

func (Route) resources()  {}
func (Choice) resources() {}
func (Pieces) resources() {}
func (Sum) resources()    {}

// oneHop is the route of a cost that is known as a whole.
func oneHop(c Cost) Route { return Route{Hops: []Hop{{Resource: "path", Delay: c, Busy: c}}} }
