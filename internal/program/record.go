package program

import "encoding/binary"

// The calls of a rank are kept as bytes until all ranks have run: a code, the line, then
// numbers of variable length. A call takes about ten bytes.
type code byte

const (
	compute       code = iota // ns
	blocking                  // messages: their number, then each
	begin                     // stream, messages
	wait                      // number of requests, then each
	runCollective             // communicator, call, place
	beginRun                  // stream, communicator, call, place
	mark                      // name
)

// A message's numbers are: 1 for a receive, else 0; size; peer and tag, both one more, or 0 for
// ANY; context.
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
}

func (t *tape) message(m message) {
	kind := uint64(0)
	if m.receive {
		kind = 1
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

func (r *reader) message() message {
	return message{receive: r.number() == 1, size: r.number(), peer: r.number(), tag: r.number(),
		context: uint16(r.number())}
}
