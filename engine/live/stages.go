//go:build linux

package live

import (
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/model/quantity"
)

var _ programs.Transport = (*port)(nil)

// HandOver returns the one-way time of a frame without data that goes back and forth rounds times
// between the links of two nodes, without endpoints: the time of the transport alone.
func (p *port) HandOver(rounds int) quantity.Micros {
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

// Watch makes the port read the clock before each poll.
func (p *port) Watch(on bool) { p.sees = on }

// Seen returns the time before the poll that ended the last wait, if the port watches.
func (p *port) Seen() quantity.Micros { return p.seen }

// ClockCost returns the cost of reading the clock.
func (p *port) ClockCost() quantity.Micros { return clockCost() }

// A Clock is the cost of reading the clock, in µs, and the least difference that it shows.
// Percentiles of round trips that are timed one by one contain half of a reading each; all other
// times are of many messages between two readings.
type Clock struct{ Overhead, Resolution quantity.Micros }

// MeasureClock reads the clock many times.
func MeasureClock() Clock {
	p := newPort(0)
	const readings = 20000
	c := Clock{Resolution: quantity.Micros(math.Inf(1))}
	var costs []quantity.Micros
	for range 20 {
		start := p.Now()
		last := start
		for range readings / 20 {
			now := p.Now()
			if d := now - last; d > 0 {
				c.Resolution = min(c.Resolution, d)
			}
			last = now
		}
		costs = append(costs, (last-start)/(readings/20))
	}
	slices.Sort(costs)
	c.Overhead = costs[len(costs)/2]
	return c
}

var clockCost = sync.OnceValue(func() quantity.Micros { return MeasureClock().Overhead })
