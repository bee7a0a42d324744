package virtual

import (
	"math"
	"sort"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A System is a kind of node and network, as the engine runs it. It is not changed by a
// run, so runs can share one, but not at the same time: it remembers costs by size.
type System struct {
	Name    string
	Options engine.Options
	Inbox   int             // capacity of a node's inbox in packets; 0: unlimited
	Drop    bool            // drop packets if the inbox is full; else they wait in the network
	Poll    quantity.Micros // processor time of a poll that finds nothing, in µs
	// Interrupt is the processor time in µs of an interrupt by a packet; if negative, the node
	// polls.
	Interrupt quantity.Micros

	places map[string]platforms.Place // of stages, by name
	plan   *plan
	routes []route
	kinds  []kind
	ack    quantity.Micros // the time that an acknowledgement takes
}

// A kind of resource: an instance of it is on each node, or in the network. It is an
// index into the resources of a node: the network allots one resource for each kind and
// node, so that a packet finds its resource without a map.
type kind struct {
	name string
	side model.Side
}

// A route is the path of a packet: the sending processor, stages, the receiving processor.
type route struct {
	Send    model.PacketCost // of the sending processor
	Stages  []stage
	Receive model.PacketCost // of the receiving processor
	Cut     func(n int) int  // packet size for a piece of n bytes; nil: pieces travel whole
}

// A stage of a route delays a packet by Delay and occupies its resource for Busy, which
// is mostly the same. The two differ where a resource is free again before the packet has
// left it, such as an interface with the gap g of LogP.
type stage struct {
	Resource    string // stages that name the same resource on the same node share it
	Side        model.Side
	Delay, Busy model.PacketCost
	Queue       int  // packets that may wait for it; 0: no bound
	Drop        bool // drop packets if the queue is full; else they wait in the previous stage

	kind  int32 // of the resource: an index of System.kinds
	added []addition
	last  bool // the stage after all others
	// slowest reports whether this is the slowest stage for the pieces of a frame's message, or for
	// the frame's piece alone.
	slowest func(f *engine.Frame, whole bool) bool
	// Of a measured stage of a pipeline: its time while other packets of the message are on the
	// route, and whether the route begins or ends with it.
	overlapped   *model.Curve
	begins, ends bool
}

// An addition is the cost that a series adds to the layer below, for a piece or for the
// whole message. The processors' parts of it are added to theirs, and the rest comes
// after all stages; its gap occupies the slowest stage. Only the last packet of a piece
// or message carries it, since a layer such as SLR above PUT costs once for a message,
// however many packets the layer below cuts it into.
type addition struct {
	costs costs
	whole bool
}

// costs returns what a message of n bytes costs.
type costs func(n int) cost

// A cost holds the times of a message: oneWay = sending + network + receiving. All are in
// µs. gap is the interval between messages in a stream.
type cost struct{ oneWay, gap, sending, network, receiving quantity.Micros }

// A plan chooses the route of a message by its size: [model.Resources], compiled.
type plan struct {
	choice   *model.Choice
	branches []*plan
	costs    []costs // by branch, for a choice by least time
	piece    int     // piece size of a fragmented layer, whose pieces use below
	below    *plan
	route    int32
}

// times returns the delay of a packet in a stage, and the time for which it occupies the stage.
func (st *stage) times(f *engine.Frame) (delay, busy quantity.Micros) {
	delay, busy = st.alone(f)
	switch {
	case len(st.added) == 0: // as nearly always
	case st.last:
		delay += additional(st.added, f, nil).network
	default:
		busy += additional(st.added, f, st.slowest).gap
	}
	return delay, busy
}

// alone returns these times without additions.
func (st *stage) alone(f *engine.Frame) (delay, busy quantity.Micros) {
	size := quantity.Bytes(f.Size())
	delay, busy = costOf(st.Delay, size), costOf(st.Busy, size)
	if alone := st.begins && f.Offset == 0 || st.ends && f.Ends(); st.overlapped != nil &&
		!alone && f.Size() < int(f.Total) {
		delay = costOf(model.PacketCost{Curve: st.overlapped}, size)
		busy = delay
	}
	return delay, busy
}

// additional returns the cost that additions add to a packet: 0 except for the last packet of a
// piece or of the message, and for additions that do not count; nil: all count. The size is at
// least 1: a message without data still costs what the smallest one does.
func additional(added []addition, f *engine.Frame,
	counts func(f *engine.Frame, whole bool) bool) (sum cost) {
	if len(added) == 0 || !f.Ends() {
		return sum
	}
	for _, a := range added {
		n := f.Total
		if a.whole {
			if f.Flags&engine.More != 0 {
				continue
			}
			n = f.Whole
		}
		if counts != nil && !counts(f, a.whole) {
			continue
		}
		c := a.costs(int(max(1, n)))
		sum.gap += c.gap
		sum.sending += c.sending
		sum.receiving += c.receiving
		sum.network += c.network
	}
	return sum
}

// additionalWork returns the processor times that the additions of the route add to a packet.
func (r *route) additionalWork(f *engine.Frame) (sending, receiving quantity.Micros) {
	// leaf puts the stage with the rest of an addition last. Without additions the last
	// stage is an ordinary one, whose list is empty.
	added := r.Stages[len(r.Stages)-1].added
	if len(added) == 0 {
		return 0, 0
	}
	sum := additional(added, f, nil)
	return sum.sending, sum.receiving
}

// routeAt returns the number of the route of a piece of a message of n bytes. A choice
// decides by the size of the message at its own level: above a cut it sees the message,
// below it the piece.
func (p *plan) routeAt(n, piece int) int32 {
	for {
		switch {
		case p.choice != nil:
			p = p.branch(n)
		case p.below != nil:
			n, p = piece, p.below
		default:
			return p.route
		}
	}
}

// pieceOf returns the size of the pieces of a message of n bytes. Cuts nest, and the
// smallest piece on the way down is what travels.
func (p *plan) pieceOf(n int) int {
	size := math.MaxInt
	for {
		switch {
		case p.choice != nil:
			p = p.branch(n)
		case p.below != nil:
			size = min(size, p.piece)
			n, p = min(n, size), p.below
		default:
			return size
		}
	}
}

// branch returns the plan that serves a message of n bytes. Branches by size are few, two
// or three in all platforms, so they are searched in order. The last one has no upper
// limit.
func (p *plan) branch(n int) *plan {
	if p.choice.Least {
		// Equal times go to the first branch, as in the model.
		best, least := 0, quantity.Micros(math.Inf(1))
		for i, b := range p.costs {
			if t := b(n).oneWay; t < least {
				best, least = i, t
			}
		}
		return p.branches[best]
	}
	last := len(p.branches) - 1
	// The last branch has no upper limit.
	for i, b := range p.choice.Branches[:last] {
		if quantity.Bytes(n) <= b.UpTo {
			return p.branches[i]
		}
	}
	return p.branches[last]
}

// cut returns the size of the next piece of a message of n bytes, of which left are still to be
// sent, and the size of the piece's packets.
func (s *System) cut(n, left int) (piece, size int) {
	piece = min(s.plan.pieceOf(n), left)
	if cut := s.routes[s.plan.routeAt(n, piece)].Cut; cut != nil {
		return piece, cut(piece)
	}
	return piece, piece
}

// costOf evaluates a cost at n bytes. A measured curve is a straight line between neighbours on
// logarithmic axes; below the smallest size it is constant, and above the largest it continues the
// line of the last two, unless that falls.
func costOf(c model.PacketCost, n quantity.Bytes) quantity.Micros {
	if c.Measured != nil {
		return (*c.Measured)(n)
	}
	if c.Curve == nil {
		return c.Beta + c.Tau.Times(n)
	}
	sizes, costs := c.Curve.Sizes, c.Curve.Costs
	last := len(sizes) - 1
	right := sort.Search(last, func(i int) bool { return sizes[i] >= n })
	// There is no neighbour to the left: small messages cost what the smallest measured one
	// does.
	if right == 0 {
		return costs[0]
	}
	x0, x1 := float64(sizes[right-1]), float64(sizes[right])
	y0, y1 := float64(costs[right-1]), float64(costs[right])
	// Beyond the largest size the line continues on linear axes: at such sizes the time per
	// byte is constant. A fall between the last two sizes is noise, and would make large
	// messages free.
	if x := float64(n); x > x1 {
		return quantity.Micros(y1 + max(0, (y1-y0)*(x-x1)/(x1-x0)))
	}
	share := (math.Log2(float64(n)) - math.Log2(x0)) / (math.Log2(x1) - math.Log2(x0))
	return quantity.Micros(math.Exp2(math.Log2(y0)*(1-share) + math.Log2(y1)*share))
}
