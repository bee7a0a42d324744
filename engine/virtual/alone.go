package virtual

import (
	"fmt"
	"maps"
	"math"
	"sort"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// alone measures the cost of messages on resources that nothing else uses, by running them. So the
// engine gets the cost that a series adds, and the fastest branch of an envelope, without the
// closed forms that it exists to test.
type alone struct {
	system *System
	known  map[int]cost
}

type cost struct{ oneWay, gap, sending, receiving quantity.Micros }

func (c cost) interval() quantity.Micros { return c.gap }
func (c cost) send() quantity.Micros     { return c.sending }
func (c cost) receive() quantity.Micros  { return c.receiving }

func (c cost) network() quantity.Micros { return c.oneWay - c.sending - c.receiving }

// alone compiles a part of the system by itself, in the same places and without its protocol. Lost
// packets would not be sent again, so queues are unbounded and no packet is lost.
func (s *System) alone(r model.Resources) (*alone, error) {
	places := maps.Clone(s.places)
	for name, p := range places {
		p.Queue, p.Drop = 0, false
		places[name] = p
	}
	part := &System{Name: s.Name, Interrupt: -1, places: places}
	plan, err := part.compile(r, nil)
	if err != nil {
		return nil, err
	}
	part.plan = plan
	part.Options = engine.Options{} // a window of pieces holds back requests; these have no replies
	part.finish()
	return &alone{part, map[int]cost{}}, nil
}

// stream returns the number of messages of n bytes in a run: the first gives the one-way time, the
// last half the interval, since the path is full by then. If messages have many packets, a few fill
// it.
func (a *alone) stream(n int) int {
	p := port{&node{net: &network{System: a.system}}}
	packets := 0
	for left := n; left > 0; {
		piece, size := p.Cut(n, left)
		packets += (piece + size - 1) / size
		left -= piece
	}
	return min(16, max(4, 20_000/packets))
}

// cost returns the cost of a message of n bytes, from one run of a stream for each n.
func (a *alone) cost(n int) cost {
	c, known := a.known[n]
	if !known {
		c = a.run(n)
		a.known[n] = c
	}
	return c
}

func (a *alone) run(n int) cost {
	data, stream := make([]byte, n), a.stream(n)
	var arrivals []quantity.Micros
	report, err := Run(a.system, Config{Nodes: 2}, func(ep *engine.Endpoint) error {
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
		panic(fmt.Sprintf("virtual: %s: a stream of %d bytes alone: %v", a.system.Name, n, err))
	}
	half := stream / 2
	c := cost{
		oneWay: arrivals[0], gap: (arrivals[stream-1] - arrivals[half-1]) / quantity.Micros(stream-half),
		sending: report.Busy[0] / quantity.Micros(stream), receiving: report.Busy[1] / quantity.Micros(stream),
	}
	if c.network() < 0 { // both processors work at the same time, on different packets
		c.sending, c.receiving = 0, 0
	}
	return c
}

// fastest returns the index of the branch on which a message of n bytes arrives first.
func fastest(ways []*alone, n int) int {
	best, least := 0, quantity.Micros(math.Inf(1))
	for i, w := range ways {
		if t := w.cost(n).oneWay; t < least {
			best, least = i, t
		}
	}
	return best
}

// costOf evaluates a cost at n bytes. A measured curve is a straight line between neighbours on
// logarithmic axes; below the smallest size it is constant, and above the largest it continues the
// line of the last two, unless that falls.
func costOf(c model.Cost, n quantity.Bytes) quantity.Micros {
	if c.Measured != nil {
		return (*c.Measured)(n)
	}
	if c.Curve == nil {
		return c.Beta + c.Tau.Times(n)
	}
	sizes, costs := c.Curve.Sizes, c.Curve.Costs
	last := len(sizes) - 1
	right := sort.Search(last, func(i int) bool { return sizes[i] >= n })
	if right == 0 {
		return costs[0]
	}
	x0, x1, y0, y1 := float64(sizes[right-1]), float64(sizes[right]), float64(costs[right-1]), float64(costs[right])
	if x := float64(n); x > x1 {
		return quantity.Micros(y1 + max(0, (y1-y0)*(x-x1)/(x1-x0)))
	}
	share := (math.Log2(float64(n)) - math.Log2(x0)) / (math.Log2(x1) - math.Log2(x0))
	return quantity.Micros(math.Exp2(math.Log2(y0)*(1-share) + math.Log2(y1)*share))
}
