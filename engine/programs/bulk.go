package programs

import (
	"bytes"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An echo stores n bytes in the other node, whose handler stores them back.
type echo struct {
	ep           *engine.Endpoint
	memory, data []byte // received and sent
	segment      int
	ping, pong   engine.HandlerID
	sent, back   int
	arrived      func() bool
	failed       error // on node 1
}

// newEcho makes an echo on both nodes; the caller adds the handler pong, which counts replies.
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

// trip stores the data and waits for it to come back. The first and last byte change with each trip
// and are compared after it; all data is compared after the last trip.
func (e *echo) trip() error {
	first, last := &e.data[0], &e.data[len(e.data)-1]
	*first, *last = byte(e.sent), byte(e.sent)
	if err := e.store(); err != nil {
		return err
	}
	if err := e.wait(); err != nil {
		return err
	}
	if e.memory[0] != *first || e.memory[len(e.memory)-1] != *last {
		return errDiffers
	}
	return nil
}

// runPingBulk measures the one-way time of HP-LAM's ping_bulk: node 0 stores data at node 1, whose
// handler stores it back, and half of that time is one way.
func runPingBulk(ep *engine.Endpoint, a Args) (r Result, err error) {
	e := newEcho(ep, a.Size)
	e.pong = ep.Handle(func(*engine.Message) { e.back++ })
	pattern(e.data, a.Size)
	if ep.Node() != 0 {
		return r, nil
	}
	for range a.Warm {
		if err := e.trip(); err != nil {
			return r, err
		}
	}
	if a.Each {
		r.Each = make([]quantity.Micros, 0, a.Count)
	}
	start := ep.Now()
	last := start
	for range a.Count {
		if err := e.trip(); err != nil {
			return r, err
		}
		if a.Each {
			now := ep.Now()
			r.Each = append(r.Each, (now-last)/2)
			last = now
		}
	}
	r.Time = per(ep, start, 2*a.Count)
	if !bytes.Equal(e.memory, e.data) {
		return r, errDiffers
	}
	return r, e.failed
}

// ThruBulk returns the time per store of n bytes from node 0 to node 1 if node 0 does not wait for
// each store to complete. The bandwidth of HP-LAM's thru_bulk is n over it. The first third of the
// stores fills the pipeline and is compared on arrival; the rest is timed, and the data of the last
// store is compared.
func ThruBulk(ep *engine.Endpoint, n, messages int) (interval quantity.Micros, err error) {
	memory, data := make([]byte, n), make([]byte, n)
	pattern(data, n)
	segment := ep.Register(memory)
	arrived, from := 0, (messages+2)/3
	differs := false
	var start, end quantity.Micros
	take := ep.Handle(func(m *engine.Message) {
		arrived++
		if arrived <= from && !bytes.Equal(m.Data, data) {
			differs = true
		}
		if arrived == from {
			start = ep.Now()
			clear(memory)
		}
		if arrived == messages {
			end = ep.Now()
		}
	})
	store := func() error { return ep.Store(1, take, segment, 0, data) }
	return toNodeOne(ep, messages, store, func() bool { return arrived == messages }, func() (quantity.Micros, error) {
		if differs || !bytes.Equal(memory, data) {
			return 0, errDiffers
		}
		return (end - start) / quantity.Micros(messages-from), nil
	})
}
