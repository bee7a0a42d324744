//go:build linux

package live

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Stages are the stages of a packet's way, in their order. Send and receive keep a processor busy; they are LogP's overheads,
// with the copies of the data. Hand over is the rest of the one-way time: from the flag's or the socket's write to its sight.
var Stages = [...]string{"send", "hand over", "receive"}

// StageTimes are the times of one packet in each of [Stages], as CLIP's figure 4.9 has them.
type StageTimes [len(Stages)]quantity.Micros

// leastTime, the clock's unit in µs, is the time of a stage that others hide: a socket's write returns after the other node has read.
const leastTime = quantity.Micros(1e-3)

// handOver is the time one way of a frame without data that goes back and forth between the links of two nodes, rounds
// times: without an endpoint, so what the transport alone takes.
func (p *port) handOver(rounds int) quantity.Micros {
	var b box
	take := func() {
		for i := 0; ; i++ {
			if p.receive(&b) {
				p.release(&b)
				return
			}
			if i >= p.spin {
				p.idle(i, forever)
			}
			p.chain = pause(p.chain)
		}
	}
	f := engine.Frame{Header: engine.Header{Segment: -1}, Src: int32(p.node), Dst: int32(1 - p.node)}
	give := func() { p.Send(&f) }
	var start quantity.Micros
	for i := range rounds + rounds/4 {
		if i == rounds/4 {
			start = p.Now()
		}
		if p.node == 0 {
			give()
			take()
		} else {
			take()
			give()
		}
	}
	return (p.Now() - start) / quantity.Micros(2*rounds)
}

// stages is the median time of each stage over round trips of n bytes that travel as one packet. The clock is read
// around the stages of node 0, and what that costs is taken off; without it, the round trip is measured.
func (p *port) stages(ep *engine.Endpoint, n, rounds int) (r Result, err error) {
	whole, err := roundTrips(ep, n, rounds, false)
	if err != nil {
		return r, err
	}
	var sent, received []quantity.Micros
	e := newEcho(ep, n)
	e.pong = ep.Handle(func(*engine.Message) {
		received = append(received, p.Now()-p.seen)
		e.back++
	})
	if ep.Node() != 0 {
		return r, nil
	}
	p.sees = true
	defer func() { p.sees = false }()
	for range rounds {
		start := p.Now()
		if err := e.store(); err != nil {
			return r, err
		}
		sent = append(sent, p.Now()-start)
		if err := e.wait(); err != nil {
			return r, err
		}
	}
	middle := func(t []quantity.Micros) quantity.Micros {
		slices.Sort(t)
		m, _, _ := Median(t)
		return max(leastTime, m-clockCost())
	}
	send, receive := middle(sent), middle(received)
	r.Stages = StageTimes{send, max(leastTime, whole.Time-send-receive), receive}
	r.Time = whole.Time
	return r, e.failed
}
