package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// MaxWords is the number of arguments that a short message has room for: JAM_n's
// [startjr, table 1]. The first four go with the header; more travel as data
// of 4 bytes each.
const MaxWords = 20

const headerWords = 4

// A Handler runs at the receiver of a message. The message and its data are valid until it returns.
type Handler func(m *Message)

// A HandlerID is a place in the handler table. Nodes register the same handlers in the same order.
type HandlerID uint8

// NoHandler is the handler of a message that only arrives.
const NoHandler HandlerID = 0

const noSegment = -1

// Options are the protocol of an endpoint.
type Options struct {
	// Credits is the number of requests to one node that may be without a reply; 0: no bound.
	// 8 credits for pieces of 4 KiB and a round trip of 400 µs allow 81.92 MB/s.
	Credits int
	// Rendezvous is the largest message in bytes that goes without asking: before a larger one,
	// a short request asks the receiver, and its reply lets the data go [mpc, 4.2]. 0: none asks.
	Rendezvous int
	// Retry is the time in µs without an acknowledgement after which a packet is
	// sent again, then after twice, four times … 32 times that; 0: never, losses are only counted.
	Retry quantity.Micros
	// Attempts is how often in a row the time may run out without any acknowledgement of a node before that is given up; 0: 12.
	Attempts int
	// Unchecked packets carry no checksum: for a port that delivers what was sent.
	Unchecked bool
	// Together lets a receiver return the credits of requests whose handlers do not reply together: when it owes half
	// of them, and when [Endpoint.Flush] asks. Until then they count as outstanding.
	Together bool
	// Poll is how many messages may be sent since the last poll before sending one polls; 0: each does.
	Poll int
	// Rounds makes a receiver that misses a packet start a new round, in which all that it
	// has not acknowledged is sent again at once [startjr, 3.2.4]. It needs Retry.
	Rounds bool
}

// Stats count what an endpoint saw.
type Stats struct {
	Sent, Received           int64 // packets, without those of the protocol
	BytesSent, BytesReceived int64
	Corrupt                  int64 // packets with a wrong checksum, thrown away
	Duplicate                int64 // packets that had arrived before, thrown away
	Reordered                int64 // packets that came after others sent behind them
	Missing                  int64 // packets that later ones overtook and that did not arrive yet
	Resent                   int64 // packets sent again
	Malformed                int64 // packets that fit no handler or segment, thrown away
}

// An Endpoint is a node's end of the network. It belongs to one goroutine.
type Endpoint struct {
	port     Port
	node     int32
	limited  Limited  // the port, if it is; else nil
	deferred []*Frame // replies of handlers, which do not wait for room in the network
	options  Options
	handlers []Handler
	segments [][]byte
	peers    []peer
	message  Message // the one being handled
	inside   bool    // a handler
	nextID   uint32
	round    uint8
	waiting  wait
	met      int             // messages of barriers
	grants   int             // answers to rendezvous
	unpolled int             // messages sent since the last poll
	unacked  int             // packets, over all peers
	due      quantity.Micros // when the first of them may have to be sent again
	stats    Stats
	err      error // sticks: a peer was given up
}

// A wait is what a program waits for. It is put in words only for a report.
type wait struct {
	what string
	of   int // what says of which node, if it has a %d
}

// anyone is the node of a wait that does not say of whom.
const anyone = -1

// A peer is what an endpoint knows of another one.
type peer struct {
	out      int32           // requests without a reply
	owed     int32           // credits of its requests, to be returned together
	sent     uint32          // sequence number of the next packet
	expect   uint32          // that of the next packet from there
	end      uint32          // one more than that of the latest that came from there
	early    map[uint32]bool // later ones that have been here
	partials []partial       // pieces and messages of which a part has come
	reliable *reliable
}

// New opens an endpoint on a port.
func New(port Port, o Options) *Endpoint {
	if o.Attempts == 0 {
		o.Attempts = 12
	}
	e := &Endpoint{port: port, node: int32(port.Node()), options: o, peers: make([]peer, port.Nodes()), due: quantity.Micros(math.Inf(1))}
	e.limited, _ = port.(Limited)
	if d, ok := port.(Direct); ok && o.Retry == 0 {
		d.Direct(e.place)
	}
	e.handlers = []Handler{nil, (*Message).get, (*Message).meet, (*Message).ask, (*Message).granted, (*Message).pay, (*Message).paid}
	return e
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

// Node is the number of this node, Nodes how many there are.
func (e *Endpoint) Node() int { return e.port.Node() }

// Nodes is the number of nodes of the program.
func (e *Endpoint) Nodes() int { return e.port.Nodes() }

// Now is the time in µs.
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

// Handle puts a handler into the table. All nodes must do so in the same order, before they
// call anything that polls.
func (e *Endpoint) Handle(h Handler) HandlerID {
	if len(e.handlers) > math.MaxUint8 {
		panic("engine: more than 255 handlers")
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

// ErrHandler is the error of a call that would wait inside of a handler.
var ErrHandler = errors.New("a handler must not send requests: a request handler replies, a reply handler only takes note")

// ErrReplied is the error of a second reply to a request.
var ErrReplied = errors.New("this message has no reply due: it is a reply itself, wants none, or was replied to")

// A PeerError tells that a node was given up.
type PeerError struct {
	Node     int
	Attempts int
}

func (e *PeerError) Error() string {
	return fmt.Sprintf("node %d does not acknowledge: given up after its time ran out %d times in a row", e.Node, e.Attempts)
}

// Request sends words to a handler of the node dst: up to [MaxWords] of them. It polls, and
// waits for a credit.
func (e *Endpoint) Request(dst int, h HandlerID, words ...uint32) error {
	if err := e.begin(dst, words); err != nil {
		return err
	}
	if err := e.credit(dst); err != nil {
		return err
	}
	e.words(dst, Request, e.id(), h, words)
	return nil
}

// Medium sends data of any size to a handler of the node dst, with up to four words. A message
// larger than a piece is one request for each, and each of them runs the handler.
func (e *Endpoint) Medium(dst int, h HandlerID, data []byte, words ...uint32) error {
	return e.bulk(Request, dst, h, noSegment, 0, data, words)
}

// Send is Medium without a reply, and so without credits.
func (e *Endpoint) Send(dst int, h HandlerID, data []byte, words ...uint32) error {
	return e.bulk(OneWay, dst, h, noSegment, 0, data, words)
}

// begin is what every sending call does first.
func (e *Endpoint) begin(dst int, words []uint32) error {
	if e.inside {
		return ErrHandler
	}
	if dst < 0 || dst >= len(e.peers) {
		return fmt.Errorf("no node %d: there are %d", dst, len(e.peers))
	}
	if len(words) > MaxWords {
		return fmt.Errorf("%d words: a message has at most %d", len(words), MaxWords)
	}
	if e.unpolled++; e.unpolled <= e.options.Poll {
		return e.err
	}
	return e.Poll()
}

// credit waits for a credit to the node and takes it.
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
		e.pause(wait{"a credit to node %d: as many requests as it may send are without a reply", dst})
	}
}

// Outstanding is the number of requests to the node that are without a reply.
func (e *Endpoint) Outstanding(dst int) int { return int(e.peers[dst].out) }

// Poll runs the handlers of all messages that have come in. The error is that of a peer given up.
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
	if len(e.deferred) > 0 {
		e.sendDeferred()
	}
	if e.unacked > 0 {
		e.resend()
	}
}

// WaitFor polls until done says so. What says what for: it stands in the report of a deadlock.
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

// Waiting tells what the program waits for; it is empty if it does not.
func (e *Endpoint) Waiting() string {
	if w := e.waiting; w.what != "" && w.of != anyone {
		return fmt.Sprintf(w.what, w.of)
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
		if e.options.Together && e.err == nil {
			e.words(dst, OneWay, e.id(), payHandler, nil)
		}
		if err := e.WaitFor(fmt.Sprintf("replies of node %d", dst), func() bool { return p.out == 0 }); err != nil {
			return err
		}
	}
	return e.WaitFor("acknowledgements", func() bool { return e.unacked == 0 })
}

// Linger serves other nodes until done says that all have ended, as a node whose own program has ended must.
func (e *Endpoint) Linger(done func() bool) {
	for !done() {
		e.port.Wait(e.deadline())
		e.drain()
	}
}

func (e *Endpoint) id() uint32 {
	e.nextID++
	return e.nextID
}

// words sends a short message.
func (e *Endpoint) words(dst int, kind Kind, id uint32, h HandlerID, words []uint32) {
	size := 0
	if len(words) > headerWords {
		size = 4 * len(words)
	}
	f := e.port.Alloc(size)
	f.Kind, f.ID, f.Message, f.Handler, f.Flags, f.Reserved = kind, id, 0, h, 0, 0
	f.Segment, f.Addr, f.Total, f.Whole, f.At, f.Offset = noSegment, 0, uint32(size), uint32(size), 0, 0
	if size == 0 {
		f.arguments(words)
	} else {
		f.arguments(nil)
		f.NWords, f.Flags = uint8(len(words)), WordsInside
		for i, w := range words {
			f.Payload[4*i], f.Payload[4*i+1], f.Payload[4*i+2], f.Payload[4*i+3] = byte(w), byte(w>>8), byte(w>>16), byte(w>>24)
		}
	}
	_, _, f.Route = e.port.Cut(f.Size(), f.Size())
	e.launch(dst, f)
}

// launch numbers the frame, seals it and hands it to the port.
func (e *Endpoint) launch(dst int, f *Frame) {
	p := &e.peers[dst]
	f.Src, f.Dst = e.node, int32(dst)
	f.Seq = p.sent
	p.sent++
	e.stats.Sent++
	e.stats.BytesSent += int64(len(f.Payload))
	if e.options.Retry > 0 {
		e.keep(dst, f)
	}
	if !e.options.Unchecked {
		f.Sum = f.sum()
	}
	if e.limited == nil {
		e.port.Send(f)
		return
	}
	if e.inside && (len(e.deferred) > 0 || !e.limited.Room()) {
		e.deferred = append(e.deferred, f)
		return
	}
	for !e.inside && (len(e.deferred) > 0 || !e.limited.Room()) {
		e.pause(wait{"room in the network", anyone})
	}
	e.port.Send(f)
}

// sendDeferred sends the replies that waited for room.
func (e *Endpoint) sendDeferred() {
	for len(e.deferred) > 0 && e.limited.Room() {
		f := e.deferred[0]
		e.deferred = e.deferred[1:]
		e.port.Send(f)
	}
}

// accept takes a frame from the port: it checks it, and lets it through once.
func (e *Endpoint) accept(f *Frame) {
	if !e.options.Unchecked && f.sum() != f.Sum || f.Src < 0 || int(f.Src) >= len(e.peers) {
		e.stats.Corrupt++
		e.port.Free(f)
		return
	}
	p := &e.peers[f.Src]
	if e.options.Retry > 0 {
		e.acceptReliable(p, f)
		return
	}
	if f.Seq == p.expect && f.Seq == p.end { // as nearly always
		p.expect++
		p.end++
		e.deliver(f)
	} else if p.first(f.Seq, &e.stats) {
		e.deliver(f)
	} else {
		e.stats.Duplicate++
		e.port.Free(f)
	}
}

// tooLate is how many packets can overtake one that is not given up yet.
const tooLate = 1 << 16

// first tells whether the packet is here for the first time, and notes it.
func (p *peer) first(seq uint32, s *Stats) bool {
	ahead := seq - p.expect
	if ahead >= 1<<31 || p.early[seq] {
		return false
	}
	if p.end-seq-1 < 1<<31 {
		s.Reordered++
	} else {
		p.end = seq + 1
	}
	if ahead > 0 {
		if p.early == nil {
			p.early = map[uint32]bool{}
		}
		p.early[seq] = true
		if len(p.early) <= tooLate {
			return true
		}
		s.Missing++
	}
	p.expect++
	for ; len(p.early) > 0 && p.early[p.expect]; p.expect++ {
		delete(p.early, p.expect)
	}
	return true
}

// deliver hands a packet to its message, and a message that is complete to its handler.
func (e *Endpoint) deliver(f *Frame) {
	e.stats.Received++
	e.stats.BytesReceived += int64(len(f.Payload))
	if int(f.Handler) >= len(e.handlers) || !e.fits(f, len(f.Payload)) {
		e.stats.Malformed++
	} else if data, complete := e.collect(f); complete {
		e.handle(f, data)
	}
	e.port.Free(f)
}

// handle runs the handler of a message, and replies if that does not.
func (e *Endpoint) handle(f *Frame, data []byte) {
	m := &e.message
	offset, complete := f.At, true
	if f.stores() {
		if offset = f.Addr - f.At; f.Total < f.Whole {
			data, complete = e.wholeData(f)
		}
	}
	m.Endpoint, m.From, m.Data, m.Offset, m.Whole = e, int(f.Src), data, int(offset), int(f.Whole)
	m.frame, m.replied = f, false
	m.Words = m.words[:f.NWords]
	if f.Flags.Has(WordsInside) {
		m.Data = nil
		for i := range m.Words {
			m.Words[i] = uint32(f.Payload[4*i]) | uint32(f.Payload[4*i+1])<<8 | uint32(f.Payload[4*i+2])<<16 | uint32(f.Payload[4*i+3])<<24
		}
	} else {
		copy(m.Words, f.Words[:])
	}
	e.inside = true
	if h := e.handlers[f.Handler]; h != nil && complete {
		h(m)
	}
	switch {
	case f.Kind == Request && !m.replied && e.options.Together:
		e.peers[m.From].owed++
		if 2*e.peers[m.From].owed >= int32(e.options.Credits) {
			e.pay(m.From)
		}
	case f.Kind == Request && !m.replied:
		e.words(m.From, Reply, f.ID, NoHandler, nil)
	case f.Kind == Reply && !f.Flags.Has(More) && e.peers[f.Src].out > 0:
		e.peers[f.Src].out--
	}
	e.inside = false
}

// pay returns the credits that are owed to a node.
func (e *Endpoint) pay(dst int) {
	if p := &e.peers[dst]; p.owed > 0 {
		owed := uint32(p.owed)
		p.owed = 0
		e.words(dst, OneWay, e.id(), paidHandler, []uint32{owed})
	}
}

func (m *Message) pay() { m.Endpoint.pay(m.From) }

func (m *Message) paid() {
	if p := &m.Endpoint.peers[m.From]; len(m.Words) > 0 {
		p.out -= int32(min(m.Words[0], uint32(p.out)))
	}
}

// A Message is what a handler gets.
type Message struct {
	Endpoint *Endpoint
	From     int      // the node that sent it
	Words    []uint32 // arguments
	// Data is the data of a medium message, or the place in the segment where bulk data now is.
	Data []byte
	// Offset is where Data is in a medium message that came in pieces, or in the segment; Whole is the
	// size of all pieces together.
	Offset, Whole int

	frame   *Frame
	replied bool
	words   [MaxWords]uint32
}

// Reply answers a request with words to a handler of the node that sent it.
func (m *Message) Reply(h HandlerID, words ...uint32) error {
	if len(words) > MaxWords {
		return fmt.Errorf("%d words: a message has at most %d", len(words), MaxWords)
	}
	if err := m.reply(); err != nil {
		return err
	}
	m.Endpoint.words(m.From, Reply, m.frame.ID, h, words)
	return nil
}

// ReplyMedium answers a request with data.
func (m *Message) ReplyMedium(h HandlerID, data []byte, words ...uint32) error {
	return m.replyBulk(h, noSegment, 0, data, part{message: m.frame.ID, whole: len(data)}, words)
}

// ReplyStore answers a request with data into a segment of the node that sent it.
func (m *Message) ReplyStore(h HandlerID, segment, offset int, data []byte, words ...uint32) error {
	return m.replyBulk(h, segment, offset, data, part{message: m.frame.ID, whole: len(data)}, words)
}

func (m *Message) replyBulk(h HandlerID, segment, offset int, data []byte, of part, words []uint32) error {
	if err := checkBulk(segment, offset, data, words); err != nil {
		return err
	}
	if err := m.reply(); err != nil {
		return err
	}
	return m.Endpoint.pieces(Reply, m.From, h, segment, offset, data, m.frame.ID, of, words)
}

// reply takes the one reply that a request has.
func (m *Message) reply() error {
	if m.frame.Kind != Request || m.replied {
		return ErrReplied
	}
	m.replied = true
	return nil
}

// meet is the handler of [Endpoint.Barrier].
func (m *Message) meet() { m.Endpoint.met++ }

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
