package programs

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// A team is a node's view of the nodes of a collective: messages with a sender and a tag,
// received one at a time, on top of active messages without replies. Algorithms then read
// like MPI programs. Messages between two nodes with one tag are numbered, since the pieces
// of two messages may be mixed.
type team struct {
	ep      *engine.Endpoint
	take    engine.HandlerID
	letters map[letterKey]*letter
	sent    map[way]uint32 // number of messages
	read    map[way]uint32
	held    map[int]int // bytes of the letters of a node
	err     error       // the first
}

// A way identifies the messages with one tag between this node and another one.
type way struct {
	node int
	tag  uint32
}

type letterKey struct {
	way
	number uint32 // of the message on its way
}

// A letter is a message that may still be incomplete.
type letter struct {
	data  []byte
	there int // bytes
}

// maxLetters bounds the bytes of a node's messages that were not read: two of the largest.
const maxLetters = 128 << 20

// newTeam makes the team of all nodes. Like [engine.Endpoint.Handle], all nodes must call it at the
// same place of the program.
func newTeam(ep *engine.Endpoint) *team {
	t := &team{ep: ep, letters: map[letterKey]*letter{}, sent: map[way]uint32{},
		read: map[way]uint32{}, held: map[int]int{}}
	t.take = ep.Handle(func(m *engine.Message) {
		// The number keeps messages with the same tag apart: the next may come before this one is
		// read.
		key := letterKey{way{m.From, m.Words[0]}, m.Words[1]}
		l := t.letters[key]
		// The header of a peer says how long the whole is, and the peer may be a stranger.
		if l == nil && t.held[m.From]+m.Whole > maxLetters {
			t.err = cmp.Or(t.err, fmt.Errorf("node %d sent more than %d MiB that nobody read",
				m.From, maxLetters>>20))
			return
		}
		if l == nil {
			t.held[m.From] += m.Whole
			l = &letter{data: make([]byte, m.Whole)}
			t.letters[key] = l
		}
		// A long message comes in pieces, in any order.
		copy(l.data[min(m.Offset, len(l.data)):], m.Data)
		l.there += len(m.Data)
	})
	return t
}

func (t *team) me() int   { return t.ep.Node() }
func (t *team) size() int { return t.ep.Nodes() }

// send, into, add and exchange do nothing after an error.

func (t *team) send(to int, tag uint32, data []byte) {
	w := way{to, tag}
	if t.err == nil {
		t.err = t.ep.Send(to, t.take, data, tag, t.sent[w])
	}
	t.sent[w]++
}

// receive receives a message that must have n bytes; it returns nil after an error.
func (t *team) receive(from int, tag uint32, n int) []byte {
	w := way{from, tag}
	key := letterKey{w, t.read[w]}
	t.read[w]++
	// An empty message is complete when its one packet has come.
	ready := func() bool {
		l := t.letters[key]
		return t.err != nil || l != nil && l.there >= len(l.data)
	}
	if t.err == nil {
		t.err = cmp.Or(t.ep.WaitFor("a message of a collective", ready), t.err)
	}
	if t.err != nil {
		return nil
	}
	data := t.letters[key].data
	delete(t.letters, key)
	t.held[from] -= len(data)
	// A wrong algorithm would otherwise copy a part, and only check would notice.
	if len(data) != n {
		t.err = fmt.Errorf("node %d sent %d bytes where %d were due", from, len(data), n)
	}
	return data
}

// into receives a message that fills room.
func (t *team) into(room []byte, from int, tag uint32) {
	copy(room, t.receive(from, tag, len(room)))
}

// add receives a message and adds its numbers to those in sum.
func (t *team) add(sum []byte, from int, tag uint32) {
	addNumbers(sum, t.receive(from, tag, len(sum)))
}

func (t *team) exchange(to int, data []byte, from int, room []byte, tag uint32) {
	t.send(to, tag, data)
	t.into(room, from, tag)
}

// addNumbers adds the numbers in b to those in sum, modulo 2³². Integers, unlike floats, give
// the same sum in any order, so every algorithm can be compared with one result.
func addNumbers(sum, b []byte) {
	for ; len(sum) >= 4 && len(b) >= 4; sum, b = sum[4:], b[4:] {
		put(sum, get(sum)+get(b))
	}
}

func get(b []byte) uint32    { return binary.LittleEndian.Uint32(b) }
func put(b []byte, v uint32) { binary.LittleEndian.PutUint32(b, v) }
