//go:build linux

package live

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Job is a run of a program of two nodes.
type Job struct {
	Program string `json:"program"`
	Size    int    `json:"size"`            // bytes of a message
	Count   int    `json:"count"`           // messages
	Credits int    `json:"credits"`         // requests without a reply; 0: 64
	Piece   int    `json:"piece,omitempty"` // bytes that messages are cut into; 0: as many as the transport takes
	Check   bool   `json:"check,omitempty"` // packets have checksums
	Each    bool   `json:"each,omitempty"`  // ping_bulk: the clock is read for each message
	// Signature: Δ in µs.
	Deltas []float64 `json:"deltas,omitempty"`
	Epoch  uint8     `json:"epoch"`
}

// Programs are those that Bench measures, apart from the signature.
var Programs = []string{"hand_over", "ping_pong", "ping_bulk", "thru_bulk", "test_xfer", "test_med"}

// Limits of a job.
const (
	MaxSize  = 64 << 20
	maxCount = 1 << 24
)

func (j Job) check() error {
	switch {
	case j.Size < 1 || j.Size > MaxSize:
		return fmt.Errorf("messages of %d bytes: they have 1 to %d", j.Size, MaxSize)
	case j.Count < 1 || j.Count > maxCount || len(j.Deltas) > 100:
		return fmt.Errorf("%d messages: a run has 1 to %d", j.Count, maxCount)
	case j.Piece < 0:
		return fmt.Errorf("pieces of %d bytes", j.Piece)
	case j.Credits < 0 || j.Credits > 1<<16:
		return fmt.Errorf("%d credits: there are 1 to %d", j.Credits, 1<<16)
	}
	for _, d := range j.Deltas {
		if !(d >= 0 && d <= 1e4) {
			return fmt.Errorf("a computation of %g µs: it takes at most 10 ms", d)
		}
	}
	return nil
}

func (j Job) options() Options {
	o := Options{Credits: j.Credits, Checksums: j.Check}
	if j.Program == "signature" {
		o.CreditBatch = 1
	}
	return o
}

// A Result is what node 0 measured.
type Result struct {
	Time   quantity.Micros   // of a message: one way, or its interval
	Each   []quantity.Micros // of each round trip: half of it
	Bursts []programs.Burst
	Stages StageTimes
}

// run runs the job on a node. On node 1, a program that only serves returns at once.
func (j Job) run(ep *engine.Endpoint, p *port) (r Result, err error) {
	switch j.Program {
	case "hand_over":
		r.Time = p.handOver(j.Count)
	case "stages":
		r, err = p.stages(ep, j.Size, j.Count)
	case "ping_pong":
		if _, err := programs.PingPong(ep, int(warmth*float64(j.Count))); err != nil {
			return r, err
		}
		r.Time, err = programs.PingPong(ep, j.Count)
		r.Time /= 2
	case "ping_bulk":
		r, err = roundTrips(ep, j.Size, j.Count, j.Each)
	case "thru_bulk":
		r.Time, err = programs.ThruBulk(ep, j.Size, j.Count)
	case "test_xfer":
		r.Time, err = programs.TestXfer(ep, programs.OneToOne, j.Size, j.Count)
		r.Time /= quantity.Micros(j.Count)
	case "test_med":
		r.Time, err = programs.TestMed(ep, programs.OneToOne, j.Size, j.Count)
		r.Time /= quantity.Micros(j.Count)
	case "signature":
		bursts := []int{warmBurst}
		for n := 1; n <= j.Count; n *= 2 {
			bursts = append(bursts, n)
		}
		deltas := make([]quantity.Micros, len(j.Deltas))
		for i, d := range j.Deltas {
			deltas[i] = quantity.Micros(d)
		}
		r.Bursts, err = programs.Signature(ep, bursts, deltas)
		for k := len(r.Bursts) - len(bursts); k >= 0; k -= len(bursts) {
			r.Bursts = slices.Delete(r.Bursts, k, k+1)
		}
	default:
		return r, fmt.Errorf("no program %q", j.Program)
	}
	return r, err
}

// warmth is the share of the round trips before those that are measured: memory is touched for the first time,
// sockets find their windows, and processors wake up.
const warmth = 1. / 2

// warmBurst is the length of the burst before those of a Δ that count.
const warmBurst = 256

// An echo stores n bytes in the other node, whose handler stores them back.
type echo struct {
	ep           *engine.Endpoint
	memory, data []byte // what came back, and what is sent
	segment      int
	ping, pong   engine.HandlerID
	sent, back   int
	arrived      func() bool
	failed       error // on node 1
}

// newEcho makes an echo on both nodes, without the handler pong that counts what is back.
func newEcho(ep *engine.Endpoint, n int) *echo {
	e := &echo{ep: ep, memory: make([]byte, n), data: make([]byte, n)}
	e.segment = ep.Register(e.memory)
	e.arrived = func() bool { return e.back >= e.sent }
	e.ping = ep.Handle(func(m *engine.Message) {
		if err := m.ReplyStore(e.pong, e.segment, 0, e.memory); err != nil {
			e.failed = err
		}
	})
	return e
}

func (e *echo) store() error {
	e.sent++
	return e.ep.Store(1, e.ping, e.segment, 0, e.data)
}

func (e *echo) wait() error { return e.ep.WaitFor("the data back from node 1", e.arrived) }

// roundTrips is [programs.PingBulk] without a look at the clock for each message, unless each of them is asked for. The data is the same
// in all but its first bytes, and all of it is compared after the last.
func roundTrips(ep *engine.Endpoint, n, rounds int, each bool) (r Result, err error) {
	e := newEcho(ep, n)
	e.pong = ep.Handle(func(*engine.Message) { e.back++ })
	for i := range e.data {
		e.data[i] = byte(i * 7)
	}
	if ep.Node() != 0 {
		return r, nil
	}
	trip := func() error {
		e.data[0] = byte(e.sent)
		if err := e.store(); err != nil {
			return err
		}
		return e.wait()
	}
	for range max(8, int(warmth*float64(rounds))) {
		if err := trip(); err != nil {
			return r, err
		}
	}
	if each {
		r.Each = make([]quantity.Micros, 0, rounds)
	}
	start := ep.Now()
	last := start
	for range rounds {
		if err := trip(); err != nil {
			return r, err
		}
		if each {
			now := ep.Now()
			r.Each = append(r.Each, (now-last)/2)
			last = now
		}
	}
	r.Time = (ep.Now() - start) / quantity.Micros(2*rounds)
	if !bytes.Equal(e.memory, e.data) {
		return r, fmt.Errorf("ping_bulk of %d bytes: the data received differs from the data sent", n)
	}
	return r, e.failed
}
