package programs

import (
	"encoding/binary"
	"fmt"

	"github.com/halfpeak/halfpeak/engine"
)

// A team is a node's view of the nodes of a collective: messages with a sender and a tag, received
// one at a time, on top of active messages without replies.
type team struct {
	ep      *engine.Endpoint
	take    engine.HandlerID
	letters map[letterKey]*letter
	sent    map[way]uint32 // number of messages
	read    map[way]uint32
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

// newTeam makes the team of all nodes. Like [engine.Endpoint.Handle], all nodes must call it at the
// same place of the program.
func newTeam(ep *engine.Endpoint) *team {
	t := &team{ep: ep, letters: map[letterKey]*letter{}, sent: map[way]uint32{}, read: map[way]uint32{}}
	t.take = ep.Handle(func(m *engine.Message) {
		key := letterKey{way{m.From, m.Words[0]}, m.Words[1]}
		l := t.letters[key]
		if l == nil {
			l = &letter{data: make([]byte, m.Whole)}
			t.letters[key] = l
		}
		copy(l.data[min(m.Offset, len(l.data)):], m.Data)
		l.there += len(m.Data)
	})
	return t
}

func (t *team) me() int   { return t.ep.Node() }
func (t *team) size() int { return t.ep.Nodes() }

func (t *team) send(to int, tag uint32, data []byte) error {
	w := way{to, tag}
	number := t.sent[w]
	t.sent[w]++
	return t.ep.Send(to, t.take, data, tag, number)
}

// receive receives a message that must have n bytes.
func (t *team) receive(from int, tag uint32, n int) ([]byte, error) {
	w := way{from, tag}
	key := letterKey{w, t.read[w]}
	t.read[w]++
	ready := func() bool { l := t.letters[key]; return l != nil && l.there >= len(l.data) }
	if err := t.ep.WaitFor("a message of a collective", ready); err != nil {
		return nil, err
	}
	data := t.letters[key].data
	delete(t.letters, key)
	if len(data) != n {
		return nil, fmt.Errorf("node %d sent %d bytes where %d were due", from, len(data), n)
	}
	return data, nil
}

// into receives a message that fills room.
func (t *team) into(room []byte, from int, tag uint32) error {
	data, err := t.receive(from, tag, len(room))
	copy(room, data)
	return err
}

// add receives a message and adds its numbers to those in sum.
func (t *team) add(sum []byte, from int, tag uint32) error {
	data, err := t.receive(from, tag, len(sum))
	addNumbers(sum, data)
	return err
}

func (t *team) exchange(to int, data []byte, from int, room []byte, tag uint32) error {
	if err := t.send(to, tag, data); err != nil {
		return err
	}
	return t.into(room, from, tag)
}

// addNumbers adds the numbers in b to those in sum, modulo 2³².
func addNumbers(sum, b []byte) {
	for ; len(sum) >= 4 && len(b) >= 4; sum, b = sum[4:], b[4:] {
		put(sum, get(sum)+get(b))
	}
}

func get(b []byte) uint32    { return binary.LittleEndian.Uint32(b) }
func put(b []byte, v uint32) { binary.LittleEndian.PutUint32(b, v) }
