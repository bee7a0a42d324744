package engine

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Compute keeps the processor busy for d µs. Interfaces that interrupt run handlers meanwhile.
func (e *Endpoint) Compute(d quantity.Micros) {
	for d > 0 {
		if d = e.port.Compute(d, !e.inside); d > 0 {
			e.drain()
		}
	}
}

// Poll runs the handlers of all messages that have arrived. It returns a [PeerError] if a peer was
// given up.
func (e *Endpoint) Poll() error {
	if !e.inside {
		e.drain()
	}
	return e.err
}

// WaitFor polls until done returns true. The report of a deadlock names what.
func (e *Endpoint) WaitFor(what string, done func() bool) error {
	if e.inside {
		return ErrHandler
	}
	for e.drain(); e.err == nil && !done(); {
		e.pause(wait{what, anyone})
	}
	return e.err
}

// Flush waits until all requests have their replies, and all packets their acknowledgements.
func (e *Endpoint) Flush() error {
	for dst := range e.peers {
		// One node after the other: replies of later ones arrive meanwhile.
		p := &e.peers[dst]
		if p.out == 0 {
			continue
		}
		// A batch that is not full would not be returned by itself, so the receiver is asked for
		// it.
		if e.options.CreditBatch > 1 && e.err == nil {
			if err := e.admit(dst); err != nil {
				return err
			}
			e.words(dst, OneWay, e.id(), payHandler, nil)
		}
		what := fmt.Sprintf("replies of node %d", dst)
		if err := e.WaitFor(what, func() bool { return p.out == 0 }); err != nil {
			return err
		}
	}
	return e.WaitFor("acknowledgements", func() bool { return e.unacked == 0 })
}

// Linger serves other nodes until done returns true, as a node whose own program has ended must.
func (e *Endpoint) Linger(done func() bool) {
	for !done() {
		e.port.Wait(e.deadline())
		e.drain()
	}
}

// Waiting returns what the program waits for; "" if it does not wait.
func (e *Endpoint) Waiting() string {
	if w := e.waiting; w.what != "" && w.node != anyone {
		return fmt.Sprintf(w.what, w.node)
	}
	return e.waiting.what
}

// begin is the first step of every sending call. It polls at every PollEvery-th message, and
// refuses calls of handlers and to unknown nodes.
func (e *Endpoint) begin(dst int) error {
	// As an unsigned number, a negative node is out of range too: one comparison finds both.
	if e.unpolled++; e.inside || e.unpolled >= e.options.PollEvery ||
		uint(dst) >= uint(len(e.peers)) {
		return e.pollOrRefuse(dst)
	}
	return e.err
}

func (e *Endpoint) pollOrRefuse(dst int) error {
	switch {
	case e.inside:
		return ErrHandler
	case dst < 0 || dst >= len(e.peers):
		return fmt.Errorf("no node %d: there are %d", dst, len(e.peers))
	}
	return e.Poll()
}

// admitRequest waits until a request may go to the node: for a credit, and as admit does.
func (e *Endpoint) admitRequest(dst int) error {
	if err := e.credit(dst); err != nil {
		return err
	}
	return e.admit(dst)
}

func (e *Endpoint) credit(dst int) error {
	p := &e.peers[dst]
	if limit := int32(e.options.Credits); limit > 0 && p.out >= limit {
		e.waitForCredit(p, dst, limit)
	}
	if e.err == nil {
		p.out++
	}
	return e.err
}

//go:noinline
func (e *Endpoint) waitForCredit(p *peer, dst int, limit int32) {
	for p.out >= limit && e.err == nil {
		e.pause(wait{"a credit to node %d: as many requests as it may send are without a reply",
			dst})
	}
}

// admit waits until another packet may go to the node: the window of the retry protocol and the
// network have room. A handler does not wait.
func (e *Endpoint) admit(dst int) error {
	if e.eager || e.inside {
		return nil
	}
	return e.waitForRoom(dst)
}

func (e *Endpoint) waitForRoom(dst int) error {
	if e.options.Retry > 0 {
		for r := e.peers[dst].protocol(); len(r.unacked) >= window && e.err == nil; {
			e.pause(wait{"acknowledgements of node %d", dst})
		}
	}
	for e.err == nil && e.limited != nil && (len(e.deferred) > 0 || !e.limited.Room()) {
		e.pause(wait{"room in the network", anyone})
	}
	return e.err
}

// pause waits for the next packet, or for the time to send one again.
func (e *Endpoint) pause(w wait) {
	e.waiting = w
	e.port.Wait(e.deadline())
	e.waiting = wait{}
	e.drain()
}

func (e *Endpoint) drain() {
	e.unpolled = 0
	for f := e.port.Receive(); f != nil; f = e.port.Receive() {
		e.accept(f)
	}
	if e.eager {
		return
	}
	if len(e.deferred) > 0 {
		e.sendDeferred()
	}
	if e.unacked > 0 {
		e.resend()
	}
}
