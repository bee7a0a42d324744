package programs

import (
	"bytes"
	"slices"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An echo stores bytes in the other node, whose handler stores them back: all of its memory, or
// parts of it in turn.
type echo struct {
	ep           *engine.Endpoint
	memory, data []byte // received and sent
	part, at     int    // bytes of a store, and where the next one begins
	segment      int
	ping, pong   engine.HandlerID
	sent, back   int
	arrived      func() bool
	failed       error // on node 1
}

// newEcho makes an echo on both nodes; the caller adds the handler pong, which counts replies.
func newEcho(ep *engine.Endpoint, n int) *echo {
	e := &echo{ep: ep, memory: make([]byte, n), data: make([]byte, n), part: n}
	e.segment = ep.Register(e.memory)
	e.arrived = func() bool { return e.back >= e.sent }
	e.ping = ep.Handle(func(m *engine.Message) {
		// A handler cannot return an error, so the program does at its end.
		at := e.next()
		if err := m.ReplyStore(e.pong, e.segment, at, e.memory[at:at+e.part]); err != nil {
			e.failed = err
		}
	})
	return e
}

// next returns where the next store begins.
func (e *echo) next() int {
	at := e.at
	if e.at += e.part; e.at+e.part > len(e.memory) {
		e.at = 0
	}
	return at
}

func (e *echo) store() error {
	e.sent++
	at := e.next()
	return e.ep.Store(1, e.ping, e.segment, at, e.data[at:at+e.part])
}

func (e *echo) wait() error { return e.ep.WaitFor("the data back from node 1", e.arrived) }

// trip stores the data and waits for it to come back. The first and last byte change with each trip
// and are compared after it; all data is compared after the last trip.
func (e *echo) trip() error {
	// Comparing all bytes of each trip would take as long as a trip; two bytes show a copy of
	// the trip before. With one byte of data both are the same.
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
	// Growing the slice would take time between two readings of the clock.
	if a.Each {
		r.Each = make([]quantity.Micros, 0, a.Count)
	}
	var start, last quantity.Micros
	// Rounds below 0 warm up.
	for i := -a.Warm; i < a.Count; i++ {
		if i == 0 {
			start = ep.Now()
			last = start
		}
		if err := e.trip(); err != nil {
			return r, err
		}
		if a.Each && i >= 0 {
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

// thruBulk returns the time per store of n bytes from node 0 to node 1 if node 0 does not wait for
// each store to complete. The bandwidth of HP-LAM's thru_bulk is n over it. The first third of the
// stores fills the pipeline and is compared on arrival; the rest is timed, and the data of the last
// store is compared.
func thruBulk(ep *engine.Endpoint, n, messages int) (interval quantity.Micros, err error) {
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
			// The last store must bring the data again: what is there now is from those that were
			// compared.
			clear(memory)
		}
		if arrived == messages {
			end = ep.Now()
		}
	})
	store := func() error { return ep.Store(1, take, segment, 0, data) }
	done := func() bool { return arrived == messages }
	return toNodeOne(ep, messages, store, done, func() (quantity.Micros, error) {
		if differs || !bytes.Equal(memory, data) {
			return 0, errDiffers
		}
		return (end - start) / quantity.Micros(messages-from), nil
	})
}

// oneStore returns the one-way time of a store of n bytes from node 0 to node 1, averaged over
// rounds: from the call to the handler, which runs when all data has arrived. Each piece is a
// request, so a window of credits delays the sender. The next store begins when all credits have
// returned. Both nodes must read the same clock, as simulated nodes do.
func oneStore(ep *engine.Endpoint, n, rounds int) (oneWay quantity.Micros, err error) {
	memory, data := make([]byte, n), make([]byte, n)
	pattern(data, n)
	segment := ep.Register(memory)
	var spent quantity.Micros
	arrived := 0
	take := ep.Handle(func(m *engine.Message) {
		spent += ep.Now() - unpack(m.Words)
		arrived++
	})
	store := func() error {
		if err := ep.Store(1, take, segment, 0, data, pack(ep.Now())...); err != nil {
			return err
		}
		return ep.Flush()
	}
	done := func() bool { return arrived == rounds }
	return toNodeOne(ep, rounds, store, done, func() (quantity.Micros, error) {
		if !bytes.Equal(memory, data) {
			return 0, errDiffers
		}
		return spent / quantity.Micros(rounds), nil
	})
}

// minTime, the clock's unit in µs, is the time of a stage that another stage hides: a socket's
// write may return after the other node has read.
const minTime = quantity.Micros(1e-3)

// runStages measures the median time of each stage over round trips of messages that travel as one
// packet. The clock is read around the stages of node 0, and its cost is subtracted; the round trip
// is measured without these readings.
func runStages(ep *engine.Endpoint, a Args) (r Result, err error) {
	// Readings of the clock are part of the path that they time, so the whole path is measured
	// alone.
	whole, err := runPingBulk(ep, Args{Size: a.Size, Count: a.Count, Warm: a.Warm})
	if err != nil {
		return r, err
	}
	var sent, received []quantity.Micros
	e := newEcho(ep, max(a.Size, a.Within))
	e.part = a.Size
	e.pong = ep.Handle(func(*engine.Message) {
		received = append(received, ep.Now()-a.Transport.Seen())
		e.back++
	})
	if ep.Node() != 0 {
		return r, nil
	}
	a.Transport.Watch(true)
	defer a.Transport.Watch(false)
	for range a.Count {
		start := ep.Now()
		if err := e.store(); err != nil {
			return r, err
		}
		sent = append(sent, ep.Now()-start)
		if err := e.wait(); err != nil {
			return r, err
		}
	}
	middle := func(t []quantity.Micros) quantity.Micros {
		slices.Sort(t)
		// Each time contains one reading of the clock. The median ignores times with an
		// interruption.
		return max(minTime, (t[(len(t)-1)/2]+t[len(t)/2])/2-a.Transport.ClockCost())
	}
	send, receive := middle(sent), middle(received)
	// Handing over begins and ends on different nodes, whose clocks may differ, so it is what
	// remains.
	r.Stages = StageTimes{send, max(minTime, whole.Time-send-receive), receive}
	r.Time = whole.Time
	return r, e.failed
}
