package program

import "encoding/binary"

// The calls of a rank are kept as bytes until all ranks have run: a code, the line, then
// numbers of variable length. A call takes about ten bytes.
type code byte

const (
	compute       code = iota // ns
	computeEach               // the vector of ns
	blocking                  // messages: their number, then each
	begin                     // stream, messages
	wait                      // number of requests, then each
	runCollective             // communicator, call, place
	beginRun                  // stream, communicator, call, place
	mark                      // name
)

// A message's numbers are: its kind; size; peer and tag, both one more, or 0 for ANY; context. The
// kind has bits for a receive, and for a size, peer or tag that each rank of a class has its own:
// that number is then the number of a vector.
type tape struct{ bytes []byte }

func (t *tape) call(c code, line uint32) {
	t.bytes = append(t.bytes, byte(c))
	t.number(uint64(line))
}

func (t *tape) number(n uint64) { t.bytes = binary.AppendUvarint(t.bytes, n) }

// A message is a send or a receive of a program.
type message struct {
	receive bool
	size    uint64
	peer    uint64 // the rank among all, plus 1; 0 for ANY
	tag     uint64 // plus 1; 0 for ANY
	context uint16
	each    uint64 // which of these are vectors, of a class
}

// Bits of the kind of a message.
const (
	received uint64 = 1 << iota
	eachSize
	eachPeer
	eachTag
)

func (t *tape) message(m message) {
	kind := m.each
	if m.receive {
		kind |= received
	}
	for _, n := range [...]uint64{kind, m.size, m.peer, m.tag, uint64(m.context)} {
		t.number(n)
	}
}

// A reader reads a tape. It was written by this package, so it is whole.
type reader []byte

func (r *reader) code() code {
	c := code((*r)[0])
	*r = (*r)[1:]
	return c
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(*r)
	*r = (*r)[size:]
	return n
}

// message returns a message of the rank with this index in its class; of one rank, the class is
// nil.
func (r *reader) message(c *class, index int) message {
	kind := r.number()
	number := func(bit uint64) uint64 {
		n := r.number()
		if kind&bit != 0 {
			n = c.vectors[n][index]
		}
		return n
	}
	return message{receive: kind&received != 0, size: number(eachSize), peer: number(eachPeer),
		tag: number(eachTag), context: uint16(r.number())}
}
