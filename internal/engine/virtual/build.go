package virtual

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Of returns the system of a layer of a platform, with its protocol and its stages in their places.
func Of(p platforms.Platform, l platforms.Layer) *System {
	s := &System{
		Name: l.Ref(), Inbox: l.Protocol.Inbox, Drop: l.Protocol.Drop,
		Poll: l.Protocol.Poll, Interrupt: l.Protocol.Interrupt,
		Options: engine.Options{
			Credits:        cmp.Or(l.Protocol.Credits, defaultCredits),
			EagerThreshold: int(l.Protocol.EagerThreshold),
			Retry:          l.Protocol.Retry,
			Rounds:         l.Protocol.Rounds,
			Checksums:      true,
		},
		places: p.Places,
	}
	s.build(model.ResourcesOf(l.Model))
	return s
}

// Build returns the system that a layer describes, see [model.Resources]; the cost that a
// series adds occupies the slowest stage of the layer below. Checksums are on, as faults
// may be injected; they take no virtual time. The node polls.
func Build(name string, l model.Layer) *System {
	s := &System{Name: name, Interrupt: -1,
		Options: engine.Options{Credits: defaultCredits, Checksums: true}}
	s.build(model.ResourcesOf(l))
	return s
}

// defaultCredits covers all round trips of table 4.2 of HP-LAM: with fewer credits than
// messages that fit into a round trip, a stream would measure the window instead of the
// gap.
const defaultCredits = 32

func (s *System) build(r model.Resources) {
	s.plan = s.compile(r, nil)
	s.setAck()
}

// compile returns the plan of a description with additions. A sum collects its addition
// on the way down, and the routes at the bottom take it.
func (s *System) compile(r model.Resources, added []addition) *plan {
	switch r := r.(type) {
	case model.Route:
		return s.leaf(s.route(r), added)
	case model.Choice:
		p := &plan{choice: &r}
		for _, b := range r.Branches {
			p.branches = append(p.branches, s.compile(b.Resources, added))
			// The fastest branch is found by running all of them, without the formulas under test.
			if r.Least {
				p.costs = append(p.costs, s.alone(b.Resources))
			}
		}
		return p
	case model.Pieces:
		// What stands above the cut costs once for the message, not for each piece.
		var outside []addition
		for _, a := range added {
			outside = append(outside, addition{a.costs, true})
		}
		below := s.compile(r.Below, outside)
		// The window of the layer is what the engine calls credits.
		if r.Window > 0 {
			s.Options.Credits = r.Window
		}
		return &plan{piece: int(r.Size), below: below}
	case model.Sum:
		if s.Options.EagerThreshold > 0 { // the engine runs the rendezvous itself
			return s.compile(r.Below, added)
		}
		// A new slice: branches of a choice below must not append to each other's.
		return s.compile(r.Below, append([]addition{{s.alone(r.Added), false}}, added...))
	}
	panic(fmt.Sprintf("virtual: the engine cannot run %T", r))
}

// leaf adds a route with additions to the system.
func (s *System) leaf(r route, added []addition) *plan {
	if len(added) > 0 {
		stages := r.Stages
		// The slowest stage sets the pace of a stream, so it has the gap of the addition.
		slowest := memo(func(piece int) int { return slowestStage(stages, piece, r.Cut) })
		for i := range stages {
			stages[i].added = added
			stages[i].slowest = func(f *engine.Frame, whole bool) bool {
				piece := int(max(1, f.Total))
				if whole { // its full pieces set the pace
					n := int(max(1, f.Whole))
					piece = min(n, s.plan.pieceOf(n))
				}
				return slowest(piece) == i
			}
		}
		// The rest of the addition is a delay after all other stages.
		r.Stages = append(r.Stages, stage{Resource: "added", added: added, last: true})
	}
	for i := range r.Stages {
		r.Stages[i].kind = s.kindOf(r.Stages[i])
	}
	s.routes = append(s.routes, r)
	return &plan{route: int32(len(s.routes) - 1)}
}

// slowestStage returns the index of the stage that the packets of a piece occupy for longest; cut
// returns their size, or is nil if there is one.
func slowestStage(stages []stage, piece int, cut func(int) int) (slowest int) {
	packet := piece
	if cut != nil {
		packet = cut(piece)
	}
	data := make([]byte, min(packet, piece))
	var longest quantity.Micros
	for i := range stages {
		var busy quantity.Micros
		for at := 0; at < piece; at += packet {
			f := engine.Frame{Payload: data[:min(packet, piece-at)], Offset: uint32(at)}
			f.Total = uint32(piece)
			_, b := stages[i].alone(&f)
			busy += b
		}
		if busy > longest {
			slowest, longest = i, busy
		}
	}
	return slowest
}

// route returns the route of a description, with its stages in the places that the platform gives
// them.
func (s *System) route(d model.Route) route {
	// A place of the platform overrides the resource of a stage with the same name: the
	// model says what a stage costs, the platform which stages share a bus.
	r := route{Send: d.Send, Receive: d.Receive}
	for i, hop := range d.Hops {
		next := stage{Resource: hop.Resource, Side: hop.Side, Delay: hop.Delay, Busy: hop.Busy,
			overlapped: hop.Overlapped, begins: i == 0, ends: i == len(d.Hops)-1}
		if p, known := s.places[hop.Stage]; known {
			next.Resource, next.Side, next.Queue, next.Drop = p.Resource, p.Side(), p.Queue, p.Drop
		}
		r.Stages = append(r.Stages, next)
	}
	if d.Packets != nil {
		// The packet size may take a search, so each size is looked up once.
		r.Cut = memo(func(n int) int { return int(d.Packets.PacketSize(quantity.Bytes(n))) })
	}
	return r
}

// memo returns f with a memory of its results. Runs are single-threaded, so the map needs
// no lock.
func memo[T any](f func(n int) T) func(n int) T {
	known := map[int]T{}
	return func(n int) T {
		result, ok := known[n]
		if !ok {
			result = f(n)
			known[n] = result
		}
		return result
	}
}

// kindOf returns the number of the stage's kind of resource. There are a few kinds, so a
// list is searched.
func (s *System) kindOf(st stage) int32 {
	k := kind{st.Resource, st.Side}
	if k.side == model.AtReceiver {
		k.side = model.AtSender // stages of one name share a resource on a node
	}
	if i := slices.Index(s.kinds, k); i >= 0 {
		return int32(i)
	}
	s.kinds = append(s.kinds, k)
	return int32(len(s.kinds) - 1)
}

func (s *System) setAck() {
	// An acknowledgement is a packet that the interfaces exchange: it takes the delays of
	// the stages for one byte, waits for nothing, and takes no processor time at either end.
	at := s.plan.routeAt(1, 1)
	for _, st := range s.routes[at].Stages {
		s.ack += costOf(st.Delay, 1)
	}
}

// alone returns the costs of messages on a part of the system that nothing else uses, in the same
// places and without its protocol; lost packets would not be sent again, so queues are unbounded
// and no packet is lost. The costs come from runs, one for each size. So the engine gets the cost
// that a series adds, and the fastest branch of an envelope, without the closed forms that it
// exists to test.
func (s *System) alone(r model.Resources) costs {
	places := maps.Clone(s.places)
	for name, p := range places {
		p.Queue, p.Drop = 0, false
		places[name] = p
	}
	part := &System{Name: s.Name, Interrupt: -1, places: places}
	part.build(r)
	part.Options = engine.Options{} // a window of pieces holds back requests; these have no replies
	return memo(part.measure)
}

// measure returns the cost of a message of n bytes in a stream of them: the first gives
// the one-way time, the last half the gap, since the path is full by then. Times of a run
// are exact, so that one run without repetition is enough.
func (s *System) measure(n int) cost {
	data, stream := make([]byte, n), s.stream(n)
	var arrivals []quantity.Micros
	report, err := Run(s, Config{Nodes: 2}, func(ep *engine.Endpoint) error {
		got := 0
		take := ep.Handle(func(m *engine.Message) {
			if got += len(m.Data); got >= n {
				got = 0
				arrivals = append(arrivals, ep.Now())
			}
		})
		if ep.Node() > 0 {
			return ep.WaitFor("the stream", func() bool { return len(arrivals) == stream })
		}
		for range stream {
			if err := ep.Send(1, take, data); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil { // impossible: no packet is lost, and no other node sends
		panic(fmt.Sprintf("virtual: %s: a stream of %d bytes alone: %v", s.Name, n, err))
	}
	half := stream / 2
	c := cost{
		oneWay:    arrivals[0],
		gap:       (arrivals[stream-1] - arrivals[half-1]) / quantity.Micros(stream-half),
		sending:   report.Busy[0] / quantity.Micros(stream),
		receiving: report.Busy[1] / quantity.Micros(stream),
	}
	// The three parts follow each other only if the message is one packet.
	if c.network = c.oneWay - c.sending - c.receiving; c.network < 0 {
		// Both processors work at the same time, on different packets.
		c.sending, c.receiving, c.network = 0, 0, c.oneWay
	}
	return c
}

// stream returns the number of messages of n bytes in a run. If messages have many packets, a few
// messages fill the path.
func (s *System) stream(n int) int {
	packets := 0
	for left := n; left > 0; {
		// The same division as in the endpoint's, so that this is the number of packets of the run.
		piece, size := s.cut(n, left)
		packets += (piece + size - 1) / size
		left -= piece
	}
	// 16 messages of up to 1,250 packets: the first 8 fill the path, the others show the
	// gap. At least 4, so that two of them show it. 20,000 packets bound the time of such a
	// run, of which a layer may need one for each size.
	return min(16, max(4, 20_000/packets))
}
