package engine

import (
	"encoding/binary"
	"hash/crc32"
	"math/bits"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Port moves packets between nodes and reads the clock. An endpoint calls it from one goroutine.
// Times are in µs since a start that the ports of a run may or may not share.
//
// Frames are lent, never handed over: a port keeps its own state of a packet on its way (position,
// memory) beside the frame.
type Port interface {
	// Node is the number of this node, from 0 to Nodes()−1.
	Node() int
	Nodes() int
	// Now is the time.
	Now() quantity.Micros
	// Compute keeps the processor busy for d. If it is interruptible and the port interrupts, it
	// returns the rest of d when a packet arrives.
	Compute(d quantity.Micros, interruptible bool) (left quantity.Micros)
	// Cut divides a message of n bytes, of which left are still to be sent: piece is the size of
	// the next piece, which is a request (HP-LAM's have at most 4 KiB), and size the size of the
	// packets of the piece. Both are at least 1 if left is.
	Cut(n, left int) (piece, size int)
	// Send puts a frame on the network. It returns when the processor has done its part; then
	// the frame and its payload belong to the caller again.
	Send(f *Frame)
	// Receive returns the next frame that came in, after the processor's part, or nil. The frame
	// and its payload are valid until the next Receive.
	Receive() *Frame
	// Wait returns when a frame has come in, or at the time until.
	Wait(until quantity.Micros)
}

// Short is a port that never cuts short messages. An endpoint sends them on a path of their own.
type Short interface {
	// Short is the largest size in bytes of a message that always travels as one packet.
	Short() int
}

// Limited is a port whose network may be full. An endpoint then polls until there is room again, so
// that nodes that send to each other do not wait for each other.
type Limited interface {
	// Room reports whether the network takes another packet now. Wait also returns when it does
	// again.
	Room() bool
}

// Direct is a port that can read the data of a frame straight to where it belongs.
type Direct interface {
	// Direct sets the function that returns this place from the header of a frame with n bytes; if
	// it returns nil, the port uses its own memory.
	Direct(place func(f *Frame, n int) []byte)
}

// A Frame is a packet with its header.
type Frame struct {
	Payload []byte
	Header
	Src, Dst int32
	Offset   uint32 // of the payload in its piece, in bytes
}

// A Header describes a frame. It is 56 bytes without padding: with a flag it fits into a cache
// line.
type Header struct {
	ID       uint32    // of the piece, given by its sender; a reply has that of its request
	Message  uint32    // the ID of the first piece of the message
	Seq      uint32    // sequence number of the packet, between two nodes
	Sum      uint32    // checksum
	Words    [4]uint32 // arguments
	Addr     uint32    // bulk: where the piece goes in the segment
	Total    uint32    // size of the piece in bytes
	Whole    uint32    // size of the whole message in bytes
	At       uint32    // where the piece begins in the message
	Segment  int16     // bulk: the segment of the receiver; otherwise noSegment
	Handler  HandlerID
	Kind     Kind
	Round    uint8 // of the receiver, see retry.go
	NWords   uint8
	Flags    Flags
	Reserved uint8 // 0
}

// A HandlerID is an index of the handler table. All nodes register the same handlers in the same
// order.
type HandlerID uint8

// NoHandler is the handler of a message for which nothing runs.
const NoHandler HandlerID = 0

const (
	headerWords = 4  // arguments that a header has room for
	noSegment   = -1 // the segment of a message whose data are for the handler alone
)

// Set copies the header field by field. A wide load of narrower recent stores would wait until they
// have left the processor's store buffer, which costs as much as the rest of a message.
func (h *Header) Set(from *Header) {
	h.ID, h.Message, h.Seq, h.Sum = from.ID, from.Message, from.Seq, from.Sum
	h.Words[0], h.Words[1] = from.Words[0], from.Words[1]
	h.Words[2], h.Words[3] = from.Words[2], from.Words[3]
	h.Addr, h.Total, h.Whole, h.At = from.Addr, from.Total, from.Whole, from.At
	h.Segment, h.Handler, h.Kind = from.Segment, from.Handler, from.Kind
	h.Round, h.NWords, h.Flags, h.Reserved = from.Round, from.NWords, from.Flags, 0
}

// Flags of a frame.
type Flags uint8

const (
	More        Flags = 1 << iota // other pieces of the message follow
	WordsInside                   // the arguments are the payload
)

// has reports whether the flag is set.
func (f Flags) has(flag Flags) bool { return f&flag != 0 }

// Kind is the purpose of a frame.
type Kind uint8

// The kinds of frames. Control frames carry no data and cost no processor time.
const (
	OneWay  Kind = iota // wants no reply
	Request             // wants a reply
	Reply               // returns a credit
	Ack                 // control: Words[0] has arrived, and all before Words[1]
	Restart             // control: the sender's round is now Round
)

// Control reports whether the frame belongs to the protocol alone.
func (f *Frame) Control() bool { return f.Kind >= Ack }

// Size returns the number of bytes for which the frame is charged: the size of the payload, or 1
// for a short message, whose words travel with the header.
func (f *Frame) Size() int { return max(1, len(f.Payload)) }

// Ends reports whether the frame is the last of its piece.
func (f *Frame) Ends() bool { return f.Offset+uint32(len(f.Payload)) == f.Total }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is the checksum of what a frame carries from end to end: a multiplicative hash of the header
// and of up to 16 bytes of data, and the CRC-32C of more data.
func (f *Frame) sum() uint32 {
	pair := func(a, b uint32) uint64 { return uint64(a)<<32 | uint64(b) }
	mix := func(a, b uint64) uint64 {
		high, low := bits.Mul64(a^0xa0761d6478bd642f, b^0xe7037ed1a0b428db)
		return high ^ low
	}
	rest := pair(uint32(f.Segment)<<16|uint32(f.Handler)<<8|uint32(f.Kind),
		uint32(f.Round)<<16|uint32(f.NWords)<<8|uint32(f.Flags))
	sizes := mix(pair(f.Total, f.Whole), pair(f.At, uint32(f.Src)<<16^uint32(f.Dst)))
	h := mix(pair(f.ID, f.Message), pair(f.Seq, f.Addr)) ^
		bits.RotateLeft64(mix(pair(f.Words[0], f.Words[1]), pair(f.Words[2], f.Words[3])), 17) ^
		bits.RotateLeft64(sizes, 31)
	le := binary.LittleEndian
	switch d := f.Payload; {
	case len(d) > 16:
		h ^= uint64(crc32.Checksum(d, castagnoli))
	case len(d) >= 8:
		h ^= mix(le.Uint64(d), le.Uint64(d[len(d)-8:]))
	case len(d) >= 4:
		h ^= pair(le.Uint32(d), le.Uint32(d[len(d)-4:]))
	case len(d) > 0:
		h ^= uint64(d[0]) | uint64(d[len(d)/2])<<8 | uint64(d[len(d)-1])<<16
	}
	h = mix(h^uint64(f.Offset)<<32, rest)
	return uint32(h ^ h>>32)
}
