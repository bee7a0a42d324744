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

// The parts of a route; see package model.
type (
	Cost = model.Cost
	Side = model.Side
)

// The sides of a message.
const (
	Sender   = model.AtSender
	Receiver = model.AtReceiver
	Network  = model.AtNetwork
)

// A Stage of a route delays a packet by Delay and occupies its resource for Busy, which is mostly
// the same.
type Stage struct {
	Resource    string // stages that name the same resource on the same node share it
	Side        Side
	Delay, Busy Cost
	Queue       int  // packets that may wait for it; 0: no bound
	Drop        bool // drop packets if the queue is full; else they wait in the previous stage

	added []addition
	last  bool // the stage after all others
}

// An addition is the cost that a series adds to the layer below, for a piece or for the whole
// message. The processors' parts of it are added to theirs, and the rest comes after all stages;
// its gap occupies the slowest stage.
type addition struct {
	*alone
	whole bool
}

// times returns the delay of a packet in a stage, and the time for which it occupies the stage.
func (st *Stage) times(f *engine.Frame) (delay, busy quantity.Micros) {
	size := quantity.Bytes(f.Size())
	delay, busy = costOf(st.Delay, size), costOf(st.Busy, size)
	if st.last {
		delay += additional(st.added, f, cost.network)
	} else {
		busy += additional(st.added, f, cost.interval)
	}
	return delay, busy
}

// additional returns the time that additions add to a packet: 0 except for the last packet of a
// piece or of the message.
func additional(added []addition, f *engine.Frame, part func(cost) quantity.Micros) (t quantity.Micros) {
	if len(added) == 0 || !f.Ends() {
		return 0
	}
	for _, a := range added {
		switch {
		case !a.whole:
			t += part(a.cost(int(max(1, f.Total))))
		case !f.Flags.Has(engine.More):
			t += part(a.cost(int(max(1, f.Whole))))
		}
	}
	return t
}

// additionalWork returns the processor time of the additions.
func (r *route) additionalWork(f *engine.Frame, part func(cost) quantity.Micros) quantity.Micros {
	return additional(r.Stages[len(r.Stages)-1].added, f, part)
}

// A Route is the path of a packet: the sending processor, stages, the receiving processor.
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

// A kind of resource: an instance of it is on each node, or in the network.
type kind struct {
	name string
	side Side
}

type route struct {
	Route
	resources []int32
}

// A plan chooses the route of a message by its size: [model.Resources], compiled.
type plan struct {
	choice   *model.Choice
	branches []*plan
	alone    []*alone // by branch, for a choice by least time
	piece    int      // piece size of a fragmented layer, whose pieces use below
	below    *plan
	route    int32
}

func (p *plan) branch(n int) *plan {
	size := quantity.Bytes(n)
	if p.choice.Least {
		return p.branches[fastest(p.alone, n)]
	}
	last := len(p.branches) - 1
	for i, b := range p.choice.Branches[:last] {
		if size <= b.UpTo {
			return p.branches[i]
		}
	}
	return p.branches[last]
}

func (s *System) leaf(r Route) *plan {
	rt := route{Route: r}
	for _, st := range r.Stages {
		rt.resources = append(rt.resources, s.resource(st))
	}
	s.routes = append(s.routes, rt)
	return &plan{route: int32(len(s.routes) - 1)}
}

// resource returns the number of the stage's kind of resource.
func (s *System) resource(st Stage) int32 {
	k := kind{st.Resource, st.Side}
	if k.side == Receiver {
		k.side = Sender // stages of one name share a resource on a node
	}
	for i, known := range s.kinds {
		if known == k {
			return int32(i)
		}
	}
	s.kinds = append(s.kinds, k)
	return int32(len(s.kinds) - 1)
}

func (s *System) finish() {
	at := s.plan.routeAt(1, 1)
	for _, st := range s.routes[at].Stages {
		s.ack += costOf(st.Delay, 1)
	}
}

// routeAt returns the number of the route of a piece of a message of n bytes.
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

// pieceOf returns the size of the pieces of a message of n bytes.
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

// Of returns the system of a layer of a platform, with its protocol and its stages in their places.
func Of(p platforms.Platform, l platforms.Layer) (*System, error) {
	s := &System{
		Name: l.Ref(), Inbox: l.Protocol.Inbox, Drop: l.Protocol.Drop, Poll: l.Protocol.Poll, Interrupt: l.Protocol.Interrupt,
		Options: engine.Options{
			Credits: cmp.Or(l.Protocol.Credits, defaultCredits), EagerThreshold: int(l.Protocol.EagerThreshold),
			Retry: l.Protocol.Retry, Rounds: l.Protocol.Rounds, Checksums: true,
		},
		places: p.Places,
	}
	return s, s.build(l.Model)
}

// Build returns the system that a layer describes, see [model.Resources]; the cost that a series
// adds occupies the slowest stage of the layer below.
func Build(name string, l model.Layer) (*System, error) {
	s := &System{Name: name, Interrupt: -1, Options: engine.Options{Credits: defaultCredits, Checksums: true}}
	return s, s.build(l)
}

func (s *System) build(l model.Layer) (err error) {
	if s.plan, err = s.compile(l.Resources(), nil); err != nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	s.finish()
	return nil
}

// defaultCredits covers all round trips of table 4.2 of HP-LAM.
const defaultCredits = 32

// compile returns the plan of a description with additions.
func (s *System) compile(r model.Resources, added []addition) (*plan, error) {
	switch r := r.(type) {
	case model.Route:
		return s.leafOf(s.route(r), added), nil
	case model.Choice:
		p := &plan{choice: &r}
		for _, b := range r.Branches {
			below, err := s.compile(b.Resources, added)
			if err != nil {
				return nil, err
			}
			p.branches = append(p.branches, below)
			if r.Least {
				once, err := s.alone(b.Resources)
				if err != nil {
					return nil, err
				}
				p.alone = append(p.alone, once)
			}
		}
		return p, nil
	case model.Pieces:
		var outside []addition
		for _, a := range added {
			outside = append(outside, addition{a.alone, true})
		}
		below, err := s.compile(r.Below, outside)
		if err != nil {
			return nil, err
		}
		if r.Window > 0 {
			s.Options.Credits = r.Window
		}
		return &plan{piece: int(r.Size), below: below}, nil
	case model.Sum:
		if s.Options.EagerThreshold > 0 { // the engine runs the rendezvous itself
			return s.compile(r.Below, added)
		}
		once, err := s.alone(r.Added)
		if err != nil {
			return nil, err
		}
		return s.compile(r.Below, append([]addition{{once, false}}, added...))
	}
	return nil, fmt.Errorf("the engine cannot run %T", r)
}

func (s *System) leafOf(r Route, added []addition) *plan {
	if len(added) > 0 {
		slowest := &r.Stages[0]
		for i := range r.Stages {
			if st := &r.Stages[i]; costOf(st.Busy, 1<<20) > costOf(slowest.Busy, 1<<20) {
				slowest = st
			}
		}
		slowest.added = added
		r.Stages = append(r.Stages, Stage{Resource: "added", added: added, last: true})
	}
	return s.leaf(r)
}

// route returns the route of a description, with its stages in the places that the platform gives
// them.
func (s *System) route(d model.Route) Route {
	r := Route{Send: d.Send, Receive: d.Receive}
	for _, hop := range d.Hops {
		next := Stage{Resource: hop.Resource, Side: hop.Side, Delay: hop.Delay, Busy: hop.Busy}
		if p, known := s.places[hop.Stage]; known {
			next.Resource, next.Side, next.Queue, next.Drop = p.Resource, p.Side(), p.Queue, p.Drop
		}
		r.Stages = append(r.Stages, next)
	}
	if d.Packets != nil {
		sizes := map[int]int{} // the best one takes a search
		r.Cut = func(n int) int {
			size, known := sizes[n]
			if !known {
				size = int(d.Packets.PacketSize(quantity.Bytes(n)))
				sizes[n] = size
			}
			return size
		}
	}
	return r
}
