package engine

import (
	"hash/crc32"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Port moves packets between nodes and tells the time. An endpoint calls it from one
// goroutine. Times are µs since some start that all ports of a run may or may not share.
type Port interface {
	// Node is the number of this node, from 0 to Nodes()−1.
	Node() int
	Nodes() int
	// Now is the time.
	Now() quantity.Micros
	// Compute keeps the processor busy for d.
	// If it is interruptible, and the port interrupts, it returns what is left of d when a packet has come in.
	Compute(d quantity.Micros, interruptible bool) (left quantity.Micros)
	// Piece is the largest part of a message of n bytes that travels as a request of its
	// own, ≥ 1: HP-LAM's 4 KiB.
	Piece(n int) int
	// Packet is how a piece of a message of n bytes travels: in packets of at most size bytes, on
	// a route that only the port understands.
	Packet(n, piece int) (size int, route int32)
	// Alloc returns a cleared frame with room for n bytes; Free takes it back.
	Alloc(n int) *Frame
	Free(f *Frame)
	// Send hands the frame to the interface, which owns it from now on. It returns when
	// the processor has done its part.
	Send(f *Frame)
	// Receive returns the next frame that came in, after the processor's part, or nil.
	Receive() *Frame
	// Wait returns when a frame has come in, or at the time until.
	Wait(until quantity.Micros)
}

// Limited is a port with a network that may be full. An endpoint then polls until there is room again, so that
// nodes that send to each other do not wait for each other.
type Limited interface {
	// Room tells whether the network takes another packet now. Wait also returns when it does again.
	Room() bool
}

// A Frame is a packet with its header.
type Frame struct {
	Payload []byte // owned by the frame

	Src, Dst    int32
	ID          uint32    // of the piece, by its sender; a reply has that of its request
	Message     uint32    // the ID of the first piece of the message
	Seq         uint32    // of the packet, between two nodes
	Sum         uint32    // checksum
	Words       [4]uint32 // arguments
	Addr        uint32    // bulk: where the piece goes in the segment
	Offset      uint32    // of the payload in the piece, in bytes
	Total       uint32    // size of the piece in bytes
	Whole       uint32    // size of the message that the piece is of, in bytes
	At          uint32    // of the piece in the message
	Segment     int16     // bulk: the segment of the receiver; noSegment for other messages
	Handler     HandlerID
	Kind        Kind
	Round       uint8 // of the receiver's, see retry.go
	NWords      uint8
	More        bool // other pieces of the message follow
	WordsInside bool // the arguments are the payload

	// For the port's own use.
	Route, Stage, Held int32
	Next               *Frame
}

// Kind says what a frame is for.
type Kind uint8

// The kinds of frames. Control frames carry no data, and cost no processor's time.
const (
	OneWay  Kind = iota // wants no reply
	Request             // wants a reply
	Reply               // returns a credit
	Ack                 // control: Words[0] has arrived, and all before Words[1]
	Restart             // control: the sender's round is now Round
)

// Control tells whether the frame belongs to the protocol alone.
func (f *Frame) Control() bool { return f.Kind >= Ack }

// Size is the number of bytes that the frame's costs are counted for: of the
// payload, and 1 for a short message, whose words go with the header.
func (f *Frame) Size() int { return max(1, len(f.Payload)) }

// Ends tells whether the frame is the last of its piece.
func (f *Frame) Ends() bool { return f.Offset+uint32(len(f.Payload)) == f.Total }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is the checksum of what a frame carries from end to end.
func (f *Frame) sum() uint32 {
	h := uint64(crc32.Checksum(f.Payload, castagnoli))
	for _, v := range [...]uint32{
		f.Words[0], f.Words[1], f.Words[2], f.Words[3], f.ID, f.Seq, f.Addr, f.Offset, f.Total, f.Whole, f.At, f.Message,
		uint32(f.Src)<<16 ^ uint32(f.Dst), uint32(f.Segment)<<16 | uint32(f.Handler), uint32(f.Kind)<<16 | uint32(f.NWords)<<8 | uint32(f.Round),
	} {
		h = (h ^ uint64(v)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return uint32(h ^ h>>32)
}
