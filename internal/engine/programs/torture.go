package programs

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Traffic is the pattern of senders and receivers.
type Traffic string

// The kinds of traffic of HP-LAM's tests.
const (
	OneToOne Traffic = "1-to-1"     // nodes 0 and 1, both ways
	AllToOne Traffic = "all-to-1"   // all to node 0
	AllToAll Traffic = "all-to-all" // each to each
)

// peers are the nodes that a node sends to.
func (t Traffic) peers(node, nodes int) []int {
	switch {
	case t == OneToOne && node < 2:
		return []int{1 - node}
	case t == AllToOne && node > 0:
		return []int{0}
	case t == AllToAll:
		var all []int
		for i := 1; i < nodes; i++ {
			// Without that, all nodes would send to node 0 first, then all to node 1.
			all = append(all, (node+i)%nodes) // each starts with another
		}
		return all
	}
	return nil
}

// guard is the size of the zone on each side of a destination that must not change. 64 bytes
// are the widest vector store, so a copy that overruns by a part of one changes the zone.
const guard = 64

// guardByte is 10100101 in binary: neither 0 nor 0xFF, as fresh memory may be.
const guardByte = 0xA5

// errGuard is the error of a transfer that wrote outside of its destination.
var errGuard = errors.New("a transfer wrote outside of its destination")

// arena is memory with a slot of n bytes for each node, and guard zones around each.
type arena struct {
	memory []byte
	n      int
}

func newArena(n, slots int) arena {
	a := arena{make([]byte, guard+slots*(n+guard)), n}
	for i := range a.memory {
		a.memory[i] = guardByte
	}
	return a
}

// A slot has a guard zone before it and one behind it, which it shares with the next slot.
func (a arena) offset(slot int) int  { return guard + slot*(a.n+guard) }
func (a arena) slot(slot int) []byte { return a.memory[a.offset(slot):][:a.n] }

// intact looks at every guard zone, once at the end: a transfer that has overrun cannot
// repair it.
func (a arena) intact() error {
	for at := 0; at < len(a.memory); at += a.n + guard {
		for _, b := range a.memory[at : at+guard] {
			if b != guardByte {
				return errGuard
			}
		}
	}
	return nil
}

// testXfer is HP-LAM's torture test for bulk transfers: each node stores n bytes to each of its
// peers and gets n bytes from it, rounds times. It checks all data, and the memory around each
// destination. The result is the total time on node 0.
func testXfer(ep *engine.Endpoint, t Traffic, n, rounds int) (took quantity.Micros, err error) {
	nodes, me := ep.Nodes(), ep.Node()
	stored, home, fetched := newArena(n, nodes), newArena(n, 1), newArena(n, nodes)
	storedAt, homeAt := ep.Register(stored.memory), ep.Register(home.memory)
	fetchedAt := ep.Register(fetched.memory)
	pattern(home.slot(0), me)
	want := make([]byte, n)
	var errs error
	check := func(data []byte, seed int, what string, from int) {
		if pattern(want, seed); !bytes.Equal(data, want) {
			errs = errors.Join(errs, fmt.Errorf("%s node %d: %w", what, from, errDiffers))
		}
	}
	took = ep.Now()
	var got, asked int
	take := ep.Handle(func(m *engine.Message) {
		check(stored.slot(m.From), int(m.Words[0]), "stored by", m.From)
	})
	note := ep.Handle(func(m *engine.Message) { got += len(m.Data) })
	data := make([]byte, n)
	peers := t.peers(me, nodes)
	for round := range rounds {
		for _, dst := range peers {
			// The data of every node and round differ, so that a stale copy does not pass the
			// check.
			seed := me + nodes*(round+1)
			pattern(data, seed)
			err := ep.Store(dst, take, storedAt, stored.offset(me), data, uint32(seed))
			if err != nil {
				return 0, err
			}
			to := fetched.offset(dst)
			if err := ep.Get(dst, note, homeAt, home.offset(0), fetchedAt, to, n); err != nil {
				return 0, err
			}
			asked += n
		}
		if err := ep.WaitFor("data that it gets", func() bool { return got >= asked }); err != nil {
			return 0, err
		}
		// All stores of this round have arrived: the next round may overwrite their slots.
		if err := ep.Flush(); err != nil {
			return 0, err
		}
		for _, dst := range peers {
			check(fetched.slot(dst), dst, "got from", dst)
		}
	}
	if err := ep.Barrier(); err != nil {
		return 0, err
	}
	// After the barrier: other nodes may still fetch from this one's memory before it.
	took = ep.Now() - took
	return took, errors.Join(errs, stored.intact(), home.intact(), fetched.intact())
}

// testMed is TestXfer with medium messages. The receiver answers each with its data.
func testMed(ep *engine.Endpoint, t Traffic, n, rounds int) (took quantity.Micros, err error) {
	nodes, me := ep.Nodes(), ep.Node()
	want := make([]byte, n)
	var errs error
	check := func(m *engine.Message) { // the words are the seed and the place of an answer's data
		at := m.Offset + int(m.Words[1])
		pattern(want, int(m.Words[0]))
		if len(m.Data) == 0 || !bytes.Equal(m.Data, want[at:at+len(m.Data)]) {
			errs = errors.Join(errs, fmt.Errorf("from node %d: %w", m.From, errDiffers))
		}
	}
	var back, sent, came int
	pong := ep.Handle(func(m *engine.Message) { check(m); back += len(m.Data) })
	ping := ep.Handle(func(m *engine.Message) {
		check(m)
		came += len(m.Data)
		// The reply has the place of the piece in its words: its own offset is that in the reply.
		errs = errors.Join(errs, m.ReplyMedium(pong, m.Data, m.Words[0], uint32(m.Offset)))
	})
	data := make([]byte, n)
	took = ep.Now()
	for round := range rounds {
		for _, dst := range t.peers(me, nodes) {
			seed := me + nodes*round
			pattern(data, seed)
			if err := ep.Medium(dst, ping, data, uint32(seed), 0); err != nil {
				return 0, err
			}
			sent += n
		}
	}
	if err := ep.WaitFor("answers with data", func() bool { return back >= sent }); err != nil {
		return 0, err
	}
	if err := ep.Barrier(); err != nil {
		return 0, err
	}
	took = ep.Now() - took
	return took, errs
}
