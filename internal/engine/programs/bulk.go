package programs

import (
	"bytes"
	"slices"

	"github.com/halfpeak/halfpeak/internal/engine"
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
	if a.Within > 0 {
		return runPortions(ep, a)
	}
	// Readings of the clock are part of the path that they time, so the whole path is measured
	// alone.
	whole, err := runPingBulk(ep, Args{Size: a.Size, Count: a.Count, Warm: a.Warm})
	if err != nil {
		return r, err
	}
	var sent, received []quantity.Micros
	e := newEcho(ep, a.Size)
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

// portion is the number of packets of a portion: half of what shared memory holds of a node, so a
// sender never waits within one.
const portion = 16

// runPortions measures each stage of the packets of a message alone. The message goes to node 1 and
// comes back in portions: one node sends a portion while the other one is outside of the library,
// which then receives it. So each packet finds the memory and the caches that it finds in
// a message, and none is waited for. A time is the lower quartile over portions, since disturbances
// make a portion slower.
func runPortions(ep *engine.Endpoint, a Args) (r Result, err error) {
	part := min(portion*a.Size, a.Within)
	p := portions{ep: ep, clock: a.Transport.ClockCost(), memory: make([]byte, a.Within)}
	p.from = p.memory // node 1 sends back what has come
	if ep.Node() == 0 {
		p.from = make([]byte, a.Within)
		pattern(p.from, a.Within)
	}
	p.segment = ep.Register(p.memory)
	p.getReady = ep.Handle(func(*engine.Message) { p.ready = true })
	p.arrive = ep.Handle(func(*engine.Message) { p.arrived = true })
	var theirs StageTimes
	report := ep.Handle(func(m *engine.Message) {
		theirs[0], theirs[2] = unpack(m.Words[:2]), unpack(m.Words[2:])
	})
	var hand []quantity.Micros
	for range 20 {
		hand = append(hand, a.Transport.HandOver(50))
	}
	// Slower than a copy, until the first portion is sent.
	p.shortest = portion + quantity.Micros(part)/1000
	for i := -a.Warm; i < a.Count; i++ {
		if i == 0 {
			p.sent, p.received = nil, nil
		}
		for sender := range 2 {
			for at := 0; at < a.Within; at += part {
				if err := p.pass(sender, at, min(at+part, a.Within)); err != nil {
					return r, err
				}
			}
		}
	}
	quartile := func(t []quantity.Micros) quantity.Micros {
		slices.Sort(t)
		return t[len(t)/4]
	}
	packets := quantity.Micros((part + a.Size - 1) / a.Size)
	send, receive := quartile(p.sent)/packets, quartile(p.received)/packets
	if ep.Node() == 1 {
		return r, ep.Request(0, report, append(pack(send), pack(receive)...)...)
	}
	err = ep.WaitFor("the times of node 1", func() bool { return theirs[2] > 0 })
	r.Stages = StageTimes{(send + theirs[0]) / 2, quartile(hand), (receive + theirs[2]) / 2}
	r.Time = r.Stages[0] + r.Stages[1] + r.Stages[2]
	if err == nil && !bytes.Equal(p.memory, p.from) {
		err = errDiffers
	}
	return r, err
}

// portions is a node's side of runPortions.
type portions struct {
	ep               *engine.Endpoint
	memory, from     []byte
	segment          int
	getReady, arrive engine.HandlerID
	ready, arrived   bool
	clock, shortest  quantity.Micros   // of one reading; of sending a portion
	sent, received   []quantity.Micros // times of portions
}

// pass sends the bytes from at to end of the message, or receives them.
func (p *portions) pass(sender, at, end int) error {
	if sender == p.ep.Node() {
		err := p.ep.WaitFor("the other node", func() bool { return p.ready })
		p.ready = false
		start := p.ep.Now()
		if err == nil {
			err = p.ep.Store(1-sender, p.arrive, p.segment, at, p.from[at:end])
		}
		spent := max(minTime, p.ep.Now()-start-p.clock)
		p.sent, p.shortest = append(p.sent, spent), min(p.shortest, spent)
		return err
	}
	if err := p.ep.Request(sender, p.getReady); err != nil {
		return err
	}
	// Outside, for half longer than its own shortest portion takes. If it were much longer, other
	// programs would take the memory out of the caches.
	p.ep.Compute(1 + 1.5*p.shortest)
	start := p.ep.Now()
	err := p.ep.WaitFor("a portion", func() bool { return p.arrived })
	p.arrived = false
	p.received = append(p.received, max(minTime, p.ep.Now()-start-p.clock))
	return err
}
