//go:build linux

package live

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Job is a run of a program of [programs.All] on two nodes.
type Job struct {
	Program string `json:"program"`
	Size    int    `json:"size"`  // bytes of a message
	Count   int    `json:"count"` // messages
	// Credits bounds the requests without a reply; 0: 64, one for each slot of a ring.
	Credits int  `json:"credits"`
	Piece   int  `json:"piece,omitempty"`  // bytes of a piece; 0: the transport's largest
	Within  int  `json:"within,omitempty"` // stages: bytes of the message; 0: a packet at a time
	Check   bool `json:"check,omitempty"`  // packets have checksums
	Each    bool `json:"each,omitempty"`   // ping_bulk: the clock is read for each message
	// Deltas are the computations of a signature, in µs.
	Deltas []float64 `json:"deltas,omitempty"`
	// Epoch numbers the jobs of a pair. Frames of an earlier job that come late are thrown away.
	Epoch uint8 `json:"epoch"`
}

// Limits of a job. Both nodes check them: an order of a client must not exhaust a server.
const (
	// Both nodes allocate a message of this size, some of them twice. Collectives hold one for
	// each node.
	MaxSize    = 64 << 20
	MaxCredits = 1 << 16
	// At 0.05 µs for a message, 2²⁴ of them take about a second.
	maxCount = 1 << 24
)

func (j Job) check() error {
	switch {
	case j.Size < 1 || j.Size > MaxSize:
		return fmt.Errorf("messages of %d bytes: give 1 to %d", j.Size, MaxSize)
	case j.Within < 0 || j.Within > MaxSize:
		return fmt.Errorf("packets of messages of %d bytes: give up to %d", j.Within, MaxSize)
	case j.Count < 1 || j.Count > maxCount || len(j.Deltas) > 100:
		return fmt.Errorf("%d messages: give 1 to %d, and at most 100 computations",
			j.Count, maxCount)
	case j.Piece < 0:
		return fmt.Errorf("pieces of %d bytes: give at least 1", j.Piece)
	case j.Credits < 0 || j.Credits > MaxCredits:
		return fmt.Errorf("%d credits: give 1 to %d", j.Credits, MaxCredits)
	}
	for _, d := range j.Deltas {
		// Written so that NaN is refused too. 10 ms after each of 1,024 messages are ten seconds
		// for a burst.
		if !(d >= 0 && d <= 1e4) {
			return fmt.Errorf("a computation of %g µs: it must take 0 to 10 ms", d)
		}
	}
	return nil
}

func (j Job) program() (programs.Program, error) { return programs.Find(j.Program, programs.Real) }

func (j Job) endpoint(p *port, t Transport) (*engine.Endpoint, error) {
	o := engine.Options{Credits: j.Credits, Checksums: j.Check}
	// By default credits come back in batches, which such a program must not have.
	if program, err := j.program(); err == nil && program.EachReplied {
		o.CreditBatch = 1
	}
	return p.endpoint(t, o)
}

// run runs the job on a node, and returns what node 0 measured. Programs warm up first: memory is
// touched for the first time, sockets find their windows, and processors wake up.
func (j Job) run(ep *engine.Endpoint, p *port) (r programs.Result, err error) {
	program, err := j.program()
	if err != nil {
		return r, err
	}
	a := programs.Args{
		Size: j.Size, Count: j.Count, Warm: max(8, j.Count/2), Each: j.Each, Within: j.Within,
		Transport: p,
	}
	for _, d := range j.Deltas {
		a.Deltas = append(a.Deltas, quantity.Micros(d))
	}
	if r, err = program.Run(ep, a); err != nil {
		return r, err
	}
	// Rows hold one-way times, so that they compare with those of other programs.
	if program.Measures == programs.RoundTrip {
		r.Time /= 2
	}
	return r, nil
}

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
			// The same waiting as in Wait, without its signals and stash: this loop measures the
			// least.
			if i >= p.spin {
				p.idle(i, forever)
			}
			p.chain = pause(p.chain)
		}
	}
	f := engine.Frame{
		Header: engine.Header{Segment: -1}, Src: int32(p.node), Dst: int32(1 - p.node),
	}
	var start quantity.Micros
	for i := range rounds + rounds/4 {
		// The first rounds warm up and are not measured.
		if i == rounds/4 {
			start = p.Now()
		}
		if p.node == 0 {
			p.Send(&f)
			take()
		} else {
			take()
			p.Send(&f)
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
	// 20 means of 1,000 readings each, of which the median counts: an interruption spoils one of
	// them.
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
