package programs

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/engine"
)

// A Team is a node's view of the nodes of a collective: messages with a sender and a tag, received
// one at a time, on top of active messages without replies.
type Team struct {
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
	there int
	whole bool
}

// NewTeam makes the team of all nodes. Like [engine.Endpoint.Handle], all nodes must call it at the
// same place of the program.
func NewTeam(ep *engine.Endpoint) *Team {
	t := &Team{ep: ep, letters: map[letterKey]*letter{}, sent: map[way]uint32{}, read: map[way]uint32{}}
	t.take = ep.Handle(func(m *engine.Message) {
		key := letterKey{way{m.From, m.Words[0]}, m.Words[1]}
		l := t.letters[key]
		if l == nil {
			l = &letter{data: make([]byte, m.Whole)}
			t.letters[key] = l
		}
		copy(l.data[min(m.Offset, len(l.data)):], m.Data)
		l.there += len(m.Data)
		l.whole = l.there >= len(l.data)
	})
	return t
}

func (t *Team) me() int   { return t.ep.Node() }
func (t *Team) size() int { return t.ep.Nodes() }

func (t *Team) send(to int, tag uint32, data []byte) error {
	w := way{to, tag}
	number := t.sent[w]
	t.sent[w]++
	return t.ep.Send(to, t.take, data, tag, number)
}

func (t *Team) receive(from int, tag uint32) ([]byte, error) {
	w := way{from, tag}
	key := letterKey{w, t.read[w]}
	t.read[w]++
	ready := func() bool { l := t.letters[key]; return l != nil && l.whole }
	if err := t.ep.WaitFor("a message of a collective", ready); err != nil {
		return nil, err
	}
	data := t.letters[key].data
	delete(t.letters, key)
	return data, nil
}

// into receives a message that must fill room exactly.
func (t *Team) into(room []byte, from int, tag uint32) error {
	data, err := t.receive(from, tag)
	if err != nil {
		return err
	}
	if len(data) != len(room) {
		return fmt.Errorf("node %d sent %d bytes for a place of %d", from, len(data), len(room))
	}
	copy(room, data)
	return nil
}

// add receives a message and adds its numbers to those in sum.
func (t *Team) add(sum []byte, from int, tag uint32) error {
	data, err := t.receive(from, tag)
	if err != nil {
		return err
	}
	if len(data) != len(sum) {
		return fmt.Errorf("node %d sent %d bytes to add to %d", from, len(data), len(sum))
	}
	addNumbers(sum, data)
	return nil
}

func (t *Team) exchange(to int, data []byte, from int, room []byte, tag uint32) error {
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

var errCollective = errors.New("the collective left wrong data")
