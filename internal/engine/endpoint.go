// Package engine is an active-message library: small, but real.
//
// A parallel program runs the same function on every node, each with an [Endpoint] of its own. A
// node sends a request that names a handler of the receiving node; the handler runs there when the
// program calls the library, and may reply. A program that waits polls the library; handlers run
// only inside its calls. The library follows Generic Active Messages [hplam, ch. 3] and JAM
// [startjr, sec. 3–4]:
//
//   - [Endpoint.Request] and [Message.Reply] carry words, [Endpoint.Medium] data that is valid
//     while the handler runs. [Endpoint.Store] and [Endpoint.Get] carry data into and out of a
//     registered segment, cut at the largest transfer of the platform.
//   - The library replies to a request whose handler does not: a reply returns the credit that its
//     request took.
//   - A request handler may only reply, and a reply handler may send nothing. Anything else is an
//     error, since it could deadlock.
//   - [Endpoint.Send] is the message of systems without replies (CLIP, the Myricom API).
//
// Below the endpoint is a [Port], which moves packets from node to node and keeps the time:
// package virtual simulates them on a virtual clock, and package live has real ones. A port may
// lose, repeat or reorder packets, which the endpoint detects by sequence numbers, and may damage
// them, which [Options.Checksums] detect. With [Options.Retry] the endpoint repairs all of that;
// otherwise [Stats] count it.
//
// Start reading with port.go, options.go and endpoint.go. A packet's way out is packet.go, its way
// in receive.go; retry.go repairs losses, wait.go polls and limits the requests under way. The
// calls of a program are in send.go and bulk.go; New and the library's own handlers in handlers.go.
// programs/ has the benchmark suite.
//
// # References
//
//	[hplam]    Krumbein. Generic Active Messages on HP 9000/J200 and Myrinet. Master's report,
//	           UC Berkeley, 1996.
//	[startjr]  Hoe, Ehrlich. START-JR: A Parallel System from Commodity Technology.
//	           MIT CSG Memo 384, 1996.
//	[mpc]      MPC parallel computer: PUT, SLR and MPI-MPC. LIP6, Paris, about 2000.
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

// A Handler runs at the receiver of a message. The message and its data are valid until it returns.
type Handler func(m *Message)

// The library's own handlers; handlers.go has their functions.
const (
	getHandler   HandlerID = iota + 1 // asks for data of a segment
	meetHandler                       // a node has reached a barrier
	askHandler                        // announces a large message
	grantHandler                      // the receiver is ready for it
	payHandler                        // asks for the credits that are owed
	paidHandler                       // returns credits
)

// A Message is the argument of a handler.
type Message struct {
	Endpoint *Endpoint
	From     int      // sender
	Words    []uint32 // arguments
	// Data is the data of a medium message, or the part of the segment with the bulk data.
	Data []byte
	// Offset is the offset of Data in a medium message of several pieces, or in the segment; Whole
	// is the size of all pieces.
	Offset, Whole int

	frame   *Frame
	replied bool
	words   [MaxWords]uint32
}

// Stats are the counters of an endpoint.
type Stats struct {
	Sent, Received           int64 // packets, without those of the protocol
	BytesSent, BytesReceived int64
	Corrupt                  int64 // packets with a wrong checksum, thrown away
	Duplicate                int64 // packets that had arrived before, thrown away
	Reordered                int64 // packets that arrived after later ones
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
	inside   bool               // a handler runs
	round    uint8              // see retry.go
	out      Frame              // being sent
	signal   Frame              // of the retry protocol, being sent
	many     [4 * MaxWords]byte // payload of out, if that is words
	message  Message            // being handled
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

// reliable is the state of the retry protocol with a peer, see retry.go.
type reliable struct {
	unacked []*Frame          // copies to be sent again, in the order of their numbers
	due     quantity.Micros   // timeout of the first of them
	silent  int               // timeouts since the last acknowledgement
	held    map[uint32]*Frame // copies of packets that came early, by number
	round   uint8             // the peer's, as far as known
}

// A partial is a piece of which some packets have arrived, or a message of which some pieces have.
type partial struct {
	partialKey
	got  int // bytes
	data []byte
}

type partialKey struct {
	id    uint32
	at    uint32 // offset of the piece, or wholeMessage
	reply bool   // the receiver assigned id
}

// wholeMessage is no offset of a piece: offset and size together are at most this number.
const wholeMessage = math.MaxUint32

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
		// All packets from expect to end are missing, except for those that have come early.
		if len(p.early) > 0 {
			s.Missing += int64(p.end-p.expect) - int64(len(p.early))
		}
	}
	return s
}

// Outstanding returns the number of requests to the node that have no reply yet.
func (e *Endpoint) Outstanding(dst int) int { return int(e.peers[dst].out) }

// Register makes memory a segment that other nodes can store into and get from. All nodes must
// register their segments in the same order. Register panics for more than 4 GiB, or for the
// 32,769th segment.
func (e *Endpoint) Register(memory []byte) (segment int) {
	if uint64(len(memory)) > math.MaxUint32 || len(e.segments) > math.MaxInt16 {
		panic("engine: a segment has at most 4 GiB, and a node 32,768 of them")
	}
	e.segments = append(e.segments, memory)
	return len(e.segments) - 1
}

func (e *Endpoint) id() uint32 {
	e.nextID++
	return e.nextID
}

// ErrHandler is returned by a call inside a handler that would wait.
var ErrHandler = errors.New("a handler must not send requests or wait: a request handler may " +
	"only reply, and a reply handler may send nothing")

// ErrReplied is returned by a second reply to a request.
var ErrReplied = errors.New("no reply is due: this message is a reply itself, wants none, or " +
	"has been replied to")

// A PeerError reports that a node was given up.
type PeerError struct {
	Node     int
	Attempts int
}

func (e *PeerError) Error() string {
	return fmt.Sprintf("node %d does not acknowledge: given up after %d timeouts in a row",
		e.Node, e.Attempts)
}
