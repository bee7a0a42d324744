package virtual

import (
	"cmp"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Cost is Beta µs for a packet, and Tau µs for each of its bytes.
type Cost struct {
	Beta quantity.Micros
	Tau  quantity.MicrosPerByte
}

func (c Cost) of(n int) quantity.Micros { return c.Beta + c.Tau.Times(quantity.Bytes(n)) }

func (c Cost) plus(d Cost) Cost { return Cost{c.Beta + d.Beta, c.Tau + d.Tau} }

// A Side tells whose resource a stage uses.
type Side int

// The sides of a message.
const (
	Sender   Side = iota // each node has one for what it sends
	Receiver             // each node has one for what it receives: the same, if the name is the same
	Network              // there is one for all nodes
)

// A Stage of a route takes Delay until a packet has left it, and occupies its
// resource for Busy. In most, both are the same.
type Stage struct {
	Resource    string // stages that name the same resource on the same node share it
	Side        Side
	Delay, Busy Cost
	Queue       int  // packets that may wait for it; 0: no bound
	Drop        bool // throw away a packet that finds the queue full; else it stays where it is, as on Myrinet's links

	added []addition
	last  bool // the stage after all others
}

// An addition is what a series adds to the layer below: a cost of a piece, or of the whole message. Its time
// comes after all stages; for its gap, the slowest of them is occupied longer.
type addition struct {
	model.Layer
	whole bool
}

// times are the delay and the occupancy of a stage by a packet.
func (st *Stage) times(f *engine.Frame) (delay, busy quantity.Micros) {
	size := f.Size()
	delay, busy = st.Delay.of(size), st.Busy.of(size)
	if st.added == nil || !f.Ends() {
		return delay, busy
	}
	for _, a := range st.added {
		n := quantity.Bytes(max(1, f.Total))
		if a.whole {
			n = quantity.Bytes(max(1, f.Whole))
		}
		switch {
		case a.whole && f.Flags.Has(engine.More):
		case st.last:
			delay += a.OneWay(n)
		default:
			busy += a.Gap(n)
		}
	}
	return delay, busy
}

// A Route is what a packet crosses: the sending processor, stages, the receiving processor.
type Route struct {
	Send    Cost // of the sending processor
	Stages  []Stage
	Receive Cost            // of the receiving processor
	Cut     func(n int) int // packet size for a piece of n bytes; nil: pieces travel whole
}

// A System is a kind of node and network, as the engine runs it.
type System struct {
	Name    string
	Options engine.Options
	Inbox   int             // packets that a node has room for; 0: no bound
	Drop    bool            // throw away packets for which there is no room; else they wait in the network
	Poll    quantity.Micros // what it costs the processor to find that nothing has come in
	// Interrupt is what it costs the processor to be interrupted by a packet, in µs; negative: it polls.
	Interrupt quantity.Micros

	places map[string]platforms.Place // of stages, by name
	plan   *plan
	routes []route
	kinds  []kind
	ack    quantity.Micros // the time that an acknowledgement takes
}

// A kind of resource: an instance of it is on each node, or in the network.
type kind struct {
	name string
	side Side
}

// route is a Route with its resources by number.
type route struct {
	Route
	resources []int32
}

// A plan chooses the route of a message by its size: a [model.Layer], compiled.
type plan struct {
	selector model.Selector
	branches map[string]*plan
	piece    int // of a segmented layer; its pieces go below
	below    *plan
	route    int32
}

// NewSystem is a system with a single route, whose pieces have at most piece bytes (0: no bound).
func NewSystem(name string, r Route, piece int) *System {
	s := &System{Name: name, Interrupt: -1, Options: engine.Options{Checksums: true}}
	s.plan = s.leaf(r)
	if piece > 0 {
		s.plan = &plan{piece: piece, below: s.plan}
	}
	s.finish()
	return s
}

func (s *System) leaf(r Route) *plan {
	rt := route{Route: r}
	for _, st := range r.Stages {
		rt.resources = append(rt.resources, s.resource(st))
	}
	s.routes = append(s.routes, rt)
	return &plan{route: int32(len(s.routes) - 1)}
}

// resource is the number of the stage's kind of resource.
func (s *System) resource(st Stage) int32 {
	k := kind{st.Resource, st.Side}
	if k.side == Receiver {
		k.side = Sender // one and the same on a node, if the name is
	}
	for i, known := range s.kinds {
		if known == k {
			return int32(i)
		}
	}
	s.kinds = append(s.kinds, k)
	return int32(len(s.kinds) - 1)
}

// finish computes what follows from the routes.
func (s *System) finish() {
	at := s.plan.at(1, 1)
	for _, st := range s.routes[at].Stages {
		s.ack += st.Delay.of(1)
	}
}

// at is the number of the route of a piece of a message of n bytes.
func (p *plan) at(n, piece int) int32 {
	for {
		switch {
		case p.selector != nil:
			name, _ := p.selector.Select(quantity.Bytes(n))
			p = p.branches[name]
		case p.below != nil:
			n, p = piece, p.below
		default:
			return p.route
		}
	}
}

// pieceOf is the size of the pieces of a message of n bytes.
func (p *plan) pieceOf(n int) int {
	size := math.MaxInt
	for {
		switch {
		case p.selector != nil:
			name, _ := p.selector.Select(quantity.Bytes(n))
			p = p.branches[name]
		case p.below != nil:
			size = min(size, p.piece)
			n, p = min(n, size), p.below
		default:
			return size
		}
	}
}

// Of makes the system that a layer of a platform's file describes: stages in their places, with its protocol.
func Of(p platforms.Platform, l platforms.Layer) (*System, error) {
	s := &System{
		Name: l.Ref(), Inbox: l.Protocol.Inbox, Drop: l.Protocol.Drop, Poll: l.Protocol.Poll, Interrupt: l.Protocol.Interrupt,
		Options: engine.Options{
			Credits: cmp.Or(l.Protocol.Credits, defaultCredits), Rendezvous: int(l.Protocol.Rendezvous),
			Retry: l.Protocol.Retry, Rounds: l.Protocol.Rounds, Checksums: true,
		},
		places: p.Places,
	}
	return s, s.build(l.Model)
}

// Build makes the system that a layer describes. Where the model does not say which
// resources there are, it has as many as make its formula exact: a linear cost is a
// stage, a stage of a pipeline is a resource of its own, the gap of LogP occupies the
// interface, and what a series adds occupies the slowest stage of the layer below.
func Build(name string, l model.Layer) (*System, error) {
	s := &System{Name: name, Interrupt: -1, Options: engine.Options{Credits: defaultCredits, Checksums: true}}
	return s, s.build(l)
}

func (s *System) build(l model.Layer) (err error) {
	if s.plan, err = s.compile(l, nil); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	s.finish()
	return nil
}

// defaultCredits are enough for all round trips of table 4.2 of HP-LAM.
const defaultCredits = 32

// compile makes the plan of a layer with additions.
func (s *System) compile(l model.Layer, added []addition) (*plan, error) {
	switch l := l.(type) {
	case model.Linear:
		c := Cost{l.Beta, l.Tau}
		return s.leafOf(Route{Stages: []Stage{{Resource: "path", Delay: c, Busy: c}}}, added), nil
	case model.LogP:
		return s.leafOf(logGP(model.LogGP{LogP: l}), added), nil
	case model.LogGP:
		return s.leafOf(logGP(l), added), nil
	case model.Pipeline:
		return s.leafOf(s.pipeline(l), added), nil
	case model.Switch:
		return s.choice(l, l.Branches, added)
	case model.Envelope:
		return s.choice(l, l.Branches, added)
	case model.Segmented:
		var outside []addition
		for _, a := range added {
			outside = append(outside, addition{a.Layer, true})
		}
		below, err := s.compile(l.Below, outside)
		if err != nil {
			return nil, err
		}
		if l.Window > 0 {
			s.Options.Credits = l.Window
		}
		return &plan{piece: int(l.MTU), below: below}, nil
	case model.Series:
		if s.Options.Rendezvous > 0 { // what is added is its cost, and the engine runs it
			return s.compile(l.Below, added)
		}
		return s.compile(l.Below, append([]addition{{l.Added, false}}, added...))
	}
	return nil, fmt.Errorf("the engine does not know how to run a %T", l)
}

func (s *System) choice(l model.Selector, branches []model.Branch, added []addition) (*plan, error) {
	p := &plan{selector: l, branches: map[string]*plan{}}
	for _, b := range branches {
		below, err := s.compile(b.Layer, added)
		if err != nil {
			return nil, err
		}
		p.branches[b.Name] = below
	}
	return p, nil
}

// leafOf makes the route of a layer with additions.
func (s *System) leafOf(r Route, added []addition) *plan {
	if len(added) > 0 {
		slowest := &r.Stages[0]
		for i := range r.Stages {
			if st := &r.Stages[i]; st.Busy.of(1<<20) > slowest.Busy.of(1<<20) {
				slowest = st
			}
		}
		slowest.added = added
		r.Stages = append(r.Stages, Stage{Resource: "added", added: added, last: true})
	}
	return s.leaf(r)
}

// logGP is the route of LogGP. The interface of a node sends a message each g + (n−1)G and receives one each
// g + (n−1)G. The bytes follow each other through the network: while they leave one
// interface they enter the other, so (n−1)G is in the delay of one of them only.
func logGP(l model.LogGP) Route {
	busy := Cost{l.LogP.Gap(1) - l.GapPerByte.Times(1), l.GapPerByte}
	return Route{
		Send: Cost{Beta: l.SendOverhead},
		Stages: []Stage{
			{Resource: "interface-out", Delay: Cost{Beta: l.Latency}, Busy: busy},
			{Resource: "interface-in", Side: Receiver, Delay: Cost{-l.GapPerByte.Times(1), l.GapPerByte}, Busy: busy},
		},
		Receive: Cost{Beta: l.ReceiveOverhead},
	}
}

var sides = map[string]Side{"sender": Sender, "receiver": Receiver, "network": Network}

// pipeline is the route of a pipeline. The stages at its ends that occupy a processor are run by it.
func (s *System) pipeline(l model.Pipeline) Route {
	var r Route
	stages := l.Stages
	for len(stages) > 0 && stages[0].Host == model.Sender {
		r.Send = r.Send.plus(Cost{stages[0].Beta, stages[0].Tau})
		stages = stages[1:]
	}
	end := len(stages)
	for end > 0 && stages[end-1].Host == model.Receiver {
		end--
		r.Receive = r.Receive.plus(Cost{stages[end].Beta, stages[end].Tau})
	}
	for _, st := range stages[:end] {
		c := Cost{st.Beta, st.Tau}
		next := Stage{Resource: st.Name, Delay: c, Busy: c}
		if p, known := s.places[st.Name]; known {
			next.Resource, next.Side, next.Queue, next.Drop = p.Resource, sides[p.At], p.Queue, p.Drop
		}
		r.Stages = append(r.Stages, next)
	}
	if len(r.Stages) == 0 {
		r.Stages = []Stage{{Resource: "path"}} // only processors work: the packet appears at the other one
	}
	if l.Cut.Rule != model.CutNone {
		sizes := map[int]int{} // the best one takes a search
		r.Cut = func(n int) int {
			size, known := sizes[n]
			if !known {
				size = int(l.PacketSize(quantity.Bytes(n)))
				sizes[n] = size
			}
			return size
		}
	}
	return r
}
