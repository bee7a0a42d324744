//go:build linux

package live

import (
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

// Seen is the time before the poll that ended the last wait, if the port watches.
func (p *port) Seen() quantity.Micros { return p.seen }

// ClockCost returns the cost of reading the clock.
func (p *port) ClockCost() quantity.Micros { return clockCost() }
