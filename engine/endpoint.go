package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// MaxWords is the number of arguments that a short message has room for: that of JAM_n
// [startjr, table 1]. The first four travel with the header; more travel as data of 4 bytes each.
const MaxWords = 20

const headerWords = 4

// A Handler runs at the receiver of a message. The message and its data are valid until it returns.
type Handler func(m *Message)

// A HandlerID is an index of the handler table. All nodes register the same handlers in the same
// order.
type HandlerID uint8

// NoHandler is the handler of a message for which nothing runs.
const NoHandler HandlerID = 0

const noSegment = -1

// Stats are the counters of an endpoint.
type Stats struct {
	Sent, Received           int64 // packets, without those of the protocol
	BytesSent, BytesReceived int64
	Corrupt                  int64 // packets with a wrong checksum, thrown away
	Duplicate                int64 // packets that had arrived before, thrown away
	Reordered                int64 // packets that came after others sent behind them
	Missing                  int64 // packets that later ones overtook and that have not arrived yet
	Resent                   int64 // packets sent again
	Malformed                int64 // packets with an invalid handler or segment, thrown away
}

// An Endpoint is a node's end of the network. It belongs to one goroutine.
type Endpoint struct {
	port     Port
	limited  Limited // the port, if it is; else nil
	node     int32
	options  Options
	eager    bool               // no window and no full network hold a packet back
	short    int                // the largest message of the short path; −1: no short path
	inside   bool               // a handler
	round    uint8              // see retry.go
	out      Frame              // the one being sent
	signal   Frame              // of the protocol, being sent
	many     [4 * MaxWords]byte // its payload, if that is words
	message  Message            // the one being handled
	handlers []Handler
	segments [][]byte
	peers    []peer
	deferred []*Frame // replies of handlers, which do not wait for room in the network
	kept     []*Frame // free memory for copies of frames
	nextID   uint32
	met      int             // messages of barriers
	grants   int             // answers to rendezvous
	unpolled int             // messages sent since the last poll
	unacked  int             // packets, over all peers
	due      quantity.Micros // when the first of them may have to be sent again
	waiting  wait
	stats    Stats
	err      error // sticks: a peer was given up
}

// A wait describes what a program waits for. It is formatted only for a report.
type wait struct {
	what string
	node int // for the %d in what, or anyone if there is none
}

// anyone is the node of a wait that is not for a certain node.
const anyone = -1

// A peer holds an endpoint's state of its exchange with another node.
type peer struct {
	out      int32           // requests without a reply
	owed     int32           // credits for its requests, to be returned in a batch
	sent     uint32          // sequence number of the next packet to it
	expect   uint32          // sequence number of the next packet from it
	end      uint32          // one more than the highest sequence number seen from it
	early    map[uint32]bool // packets after expect that have been here
	partials []partial       // pieces and messages that have come in part
	reliable *reliable
}

// New opens an endpoint on a port. The error names the rule that the options break.
func New(port Port, o Options) (*Endpoint, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	e := &Endpoint{port: port, node: int32(port.Node()), options: o, peers: make([]peer, port.Nodes()), due: quantity.Micros(math.Inf(1))}
	e.limited, _ = port.(Limited)
	e.eager = e.limited == nil && o.Retry == 0
	e.short = -1
	if s, ok := port.(Short); ok && e.eager {
		e.short = s.Short()
		if o.EagerThreshold > 0 {
			e.short = min(e.short, o.EagerThreshold)
		}
	}
	e.out.Src = e.node
	e.message.Endpoint = e
	if d, ok := port.(Direct); ok && o.Retry == 0 {
		d.Direct(e.place)
	}
	e.handlers = []Handler{nil, (*Message).get, (*Message).meet, (*Message).ask, (*Message).granted, (*Message).pay, (*Message).paid}
	return e, nil
}

// The handlers of the library itself.
const (
	getHandler   HandlerID = 1
	meetHandler  HandlerID = 2
	askHandler   HandlerID = 3
	grantHandler HandlerID = 4
	payHandler   HandlerID = 5
	paidHandler  HandlerID = 6
)

// Node returns the number of this node, from 0.
func (e *Endpoint) Node() int { return e.port.Node() }

// Nodes returns the number of nodes of the program.
func (e *Endpoint) Nodes() int { return e.port.Nodes() }

// Now returns the time in µs.
func (e *Endpoint) Now() quantity.Micros { return e.port.Now() }

// Stats returns the counters.
func (e *Endpoint) Stats() Stats {
	s := e.stats
	for i := range e.peers {
		p := &e.peers[i]
		if len(p.early) > 0 {
			s.Missing += int64(p.end-p.expect) - int64(len(p.early))
		}
	}
	return s
}

// Handle puts a handler into the table. All nodes must do so in the same order, before they call
// anything that polls. It panics after 249 handlers: the table has 256 places, 7 of which are
// taken.
func (e *Endpoint) Handle(h Handler) HandlerID {
	if len(e.handlers) > math.MaxUint8 {
		panic("engine: more than 249 handlers")
	}
	e.handlers = append(e.handlers, h)
	return HandlerID(len(e.handlers) - 1)
}

// Compute keeps the processor busy for d µs. Interfaces that interrupt run handlers meanwhile.
func (e *Endpoint) Compute(d quantity.Micros) {
	for d > 0 {
		if d = e.port.Compute(d, !e.inside); d > 0 {
			e.drain()
		}
	}
}

// ErrHandler is returned by a call inside a handler that would wait.
var ErrHandler = errors.New("a handler must not send requests or wait: a request handler may reply, a reply handler only takes note")

// ErrReplied is returned by a second reply to a request.
var ErrReplied = errors.New("no reply is due: this message is a reply itself, wants none, or has been replied to")

// A PeerError reports that a node was given up.
type PeerError struct {
	Node     int
	Attempts int
}

func (e *PeerError) Error() string {
	return fmt.Sprintf("node %d does not acknowledge: given up after its time ran out %d times in a row", e.Node, e.Attempts)
}

// Outstanding returns the number of requests to the node that have no reply yet.
func (e *Endpoint) Outstanding(dst int) int { return int(e.peers[dst].out) }

// Poll runs the handlers of all messages that have arrived. It returns a [PeerError] if a peer was
// given up.
func (e *Endpoint) Poll() error {
	if !e.inside {
		e.drain()
	}
	return e.err
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

// pause waits for the next packet, or for the time to send one again.
func (e *Endpoint) pause(w wait) {
	e.waiting = w
	e.port.Wait(e.deadline())
	e.waiting = wait{}
	e.drain()
}

// Waiting returns what the program waits for; "" if it does not wait.
func (e *Endpoint) Waiting() string {
	if w := e.waiting; w.what != "" && w.node != anyone {
		return fmt.Sprintf(w.what, w.node)
	}
	return e.waiting.what
}

// Flush waits until all requests have their replies, and all packets their acknowledgements.
func (e *Endpoint) Flush() error {
	for dst := range e.peers {
		p := &e.peers[dst]
		if p.out == 0 {
			continue
		}
		if e.options.CreditBatch > 1 && e.err == nil {
			if err := e.words(dst, OneWay, e.id(), payHandler, nil); err != nil {
				return err
			}
		}
		if err := e.WaitFor(fmt.Sprintf("replies of node %d", dst), func() bool { return p.out == 0 }); err != nil {
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

// Barrier returns when all nodes have called it.
func (e *Endpoint) Barrier() error {
	others := len(e.peers) - 1
	if e.Node() != 0 {
		if err := e.Request(0, meetHandler); err != nil {
			return err
		}
		others = 1
	}
	if err := e.WaitFor("other nodes at a barrier", func() bool { return e.met >= others }); err != nil {
		return err
	}
	e.met -= others
	for dst := 1; e.Node() == 0 && dst < len(e.peers); dst++ {
		if err := e.Request(dst, meetHandler); err != nil {
			return err
		}
	}
	return nil
}

func (m *Message) meet() { m.Endpoint.met++ }
