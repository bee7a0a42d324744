package engine_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Each test is a claim that a paper makes about active messages, run on HP-LAM's LogGP (table 4.2)
// with pieces of 4 KiB.

func system(t *testing.T) *virtual.System {
	t.Helper()
	return virtual.Build("test", &model.Fragmented{MTU: 4096, Below: &model.LogGP{
		LogP:       model.LogP{SendOverhead: 2.9, ReceiveOverhead: 5.8, Latency: 5.3, GapTime: 8.7},
		GapPerByte: 1. / 24,
	}})
}

func run(t *testing.T, s *virtual.System, c virtual.Config, program func(*engine.Endpoint) error) virtual.Report {
	t.Helper()
	r, err := virtual.Run(s, c, program)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var two = virtual.Config{Nodes: 2}

// JAM_n: "up to 20 integer arguments". Reference: StarT-JR table 1.
func TestWords(t *testing.T) {
	for count := range engine.MaxWords + 2 {
		words := make([]uint32, count)
		for i := range words {
			words[i] = uint32(i) * 0x01020305
		}
		run(t, system(t), two, func(ep *engine.Endpoint) error {
			var back []uint32
			replied := false
			pong := ep.Handle(func(m *engine.Message) { back, replied = append(back, m.Words...), true })
			ping := ep.Handle(func(m *engine.Message) {
				if err := m.Reply(pong, m.Words...); err != nil {
					t.Error(err)
				}
			})
			if ep.Node() > 0 {
				return nil
			}
			err := ep.Request(1, ping, words...)
			if count > engine.MaxWords {
				if err == nil || err.Error() != "21 words: a message has at most 20" {
					t.Errorf("error %v", err)
				}
				return nil
			}
			if err != nil {
				return err
			}
			if err := ep.WaitFor("a pong", func() bool { return replied }); err != nil {
				return err
			}
			for i, w := range words {
				if back[i] != w {
					t.Errorf("word %d of %d came back as %x, not %x", i, count, back[i], w)
				}
			}
			return nil
		})
	}
}

// "If the request handler didn't return a reply, send a reply to the source", which releases the
// credit. Reference: HP-LAM section 3.1.
func TestLibraryReplies(t *testing.T) {
	s := system(t)
	s.Options.Credits = 3
	report := run(t, s, two, func(ep *engine.Endpoint) error {
		take := ep.Handle(func(*engine.Message) {})
		for i := range 10 * (1 - ep.Node()) {
			if err := ep.Request(1, take); err != nil {
				return err
			}
			if out := ep.Outstanding(1); out > 3 || i < 2 && out != i+1 {
				t.Errorf("%d requests are out after %d", out, i+1)
			}
		}
		return ep.Flush()
	})
	if got := report.Nodes[0].Received; got != 10 {
		t.Errorf("%d replies, want 10", got)
	}
}

// A handler that would wait for others is a deadlock: it is refused. Reference: HP-LAM section
// 3.1, "the handler is expected to return a reply"; CMAM.
func TestHandlersDoNotRequest(t *testing.T) {
	run(t, system(t), two, func(ep *engine.Endpoint) error {
		var wrong []error
		done := false
		reply := ep.Handle(func(m *engine.Message) {
			wrong = append(wrong, m.Endpoint.Request(m.From, engine.NoHandler), m.Endpoint.Barrier(), m.Endpoint.WaitFor("x", func() bool { return true }))
			if err := m.Reply(engine.NoHandler); !errors.Is(err, engine.ErrReplied) {
				t.Errorf("a reply to a reply: %v", err)
			}
			done = true
		})
		request := ep.Handle(func(m *engine.Message) {
			wrong = append(wrong, m.Endpoint.Store(m.From, engine.NoHandler, 0, 0, nil))
			if err := m.Reply(reply); err != nil {
				t.Error(err)
			}
			if err := m.Reply(reply); !errors.Is(err, engine.ErrReplied) {
				t.Errorf("a second reply: %v", err)
			}
		})
		if ep.Node() == 0 {
			if err := ep.Request(1, request); err != nil {
				return err
			}
			if err := ep.WaitFor("the reply", func() bool { return done }); err != nil {
				return err
			}
		}
		for _, err := range wrong {
			if !errors.Is(err, engine.ErrHandler) {
				t.Errorf("error %v", err)
			}
		}
		return nil
	})
}

// "This procedure drains all of the messages in the in-queue before returning", and what is in a
// medium message is valid in its handler. Reference: HP-LAM section 3.1.
func TestPollDrains(t *testing.T) {
	run(t, system(t), two, func(ep *engine.Endpoint) error {
		got := 0
		take := ep.Handle(func(m *engine.Message) {
			if want := bytes.Repeat([]byte{byte(got)}, 50); !bytes.Equal(m.Data, want) {
				t.Errorf("message %d has %v", got, m.Data)
			}
			got++
		})
		if ep.Node() == 0 {
			data := make([]byte, 50)
			for i := range 20 {
				for j := range data {
					data[j] = byte(i) // the call before has taken its copy
				}
				if err := ep.Medium(1, take, data); err != nil {
					return err
				}
			}
			return nil
		}
		ep.Compute(10_000) // all arrive meanwhile, and no handler runs
		if got != 0 {
			t.Errorf("%d handlers ran while the processor computed", got)
		}
		if err := ep.Poll(); err != nil {
			return err
		}
		if got != 20 {
			t.Errorf("a poll took %d messages of 20", got)
		}
		return nil
	})
}

// Data of more than 4 KiB travels in segments of 4 KiB, "each segment using a separate
// request-reply pair", and the handler runs once. Reference: HP-LAM section 3.1.
func TestStoreAndGetInPieces(t *testing.T) {
	const n = 10_000
	report := run(t, system(t), two, func(ep *engine.Endpoint) error {
		memory := make([]byte, 3*n)
		segment := ep.Register(memory)
		stored, got := 0, 0
		take := ep.Handle(func(m *engine.Message) {
			if stored++; len(m.Data) != n || m.Offset != n || m.Words[0] != 42 {
				t.Errorf("stored %d bytes at %d, words %v", len(m.Data), m.Offset, m.Words)
			}
		})
		note := ep.Handle(func(m *engine.Message) { got += len(m.Data) })
		if ep.Node() == 0 {
			data := make([]byte, n)
			for i := range data {
				data[i] = byte(i * 7)
			}
			if err := ep.Store(1, take, segment, n, data, 42); err != nil {
				return err
			}
			if err := ep.Get(1, note, segment, n, segment, 0, n); err != nil {
				return err
			}
			if err := ep.WaitFor("what it got", func() bool { return got == n }); err != nil {
				return err
			}
			if !bytes.Equal(memory[:n], data) || memory[n] != 0 {
				t.Error("the data got is not the data stored")
			}
		}
		if err := ep.Barrier(); err != nil {
			return err
		}
		if ep.Node() == 1 && stored != 1 {
			t.Errorf("the handler of a store ran %d times", stored)
		}
		return nil
	})
	if sent := report.Nodes[0].Sent; sent != 3+3+1+1 {
		t.Errorf("node 0 sent %d packets: want 3 segments, 3 gets, and for the barrier 1 request and 1 reply", sent)
	}
}

// Who waits for whom, instead of a hang.
func TestDeadlockReport(t *testing.T) {
	check := func(f virtual.Faults, program func(ep *engine.Endpoint, take engine.HandlerID) error, want ...string) {
		t.Helper()
		s := system(t)
		s.Options.Credits = 4
		_, err := virtual.Run(s, virtual.Config{Nodes: 2, Faults: f}, func(ep *engine.Endpoint) error {
			return program(ep, ep.Handle(func(*engine.Message) {}))
		})
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("error %v, want %q", err, w)
			}
		}
	}
	requests := func(ep *engine.Endpoint, take engine.HandlerID) error {
		for range 100 * (1 - ep.Node()) {
			if err := ep.Request(1, take); err != nil {
				return err
			}
		}
		return nil
	}
	check(virtual.Faults{Stop: map[int]quantity.Micros{1: 100}}, requests,
		"deadlock at", "node 0 waits for a credit to node 1: as many requests as it may send are without a reply", "node 1 stopped polling at")
	check(virtual.Faults{Die: map[int]quantity.Micros{1: 100}}, requests,
		"node 0 waits for a credit to node 1: as many requests as it may send are without a reply", "node 1 died at 100 µs")
	check(virtual.Faults{}, func(ep *engine.Endpoint, _ engine.HandlerID) error {
		return ep.WaitFor("a message that nobody sends", func() bool { return false })
	}, "2 of 2 programs wait", "node 0 waits for a message that nobody sends", "node 1 waits for a message that nobody sends")
	// A message with a wrong checksum is reported and thrown away. Reference: HP-LAM section 3.1.
	check(virtual.Faults{Corrupt: 1}, requests, "node 0 waits for a credit to node 1", "4 corrupted")
	// The Myricom API and HP-LAM lose what is lost.
	check(virtual.Faults{Drop: 1}, requests, "4 packets lost")
}

// With acknowledgement and retry, a node that dies is an error of those who send to it.
func TestGivesUpADeadNode(t *testing.T) {
	s := system(t)
	s.Options.Retry, s.Options.Attempts = 100, 5
	_, err := virtual.Run(s, virtual.Config{Nodes: 2, Faults: virtual.Faults{Die: map[int]quantity.Micros{1: 50}}}, func(ep *engine.Endpoint) error {
		take := ep.Handle(func(*engine.Message) {})
		for range 100 * (1 - ep.Node()) {
			if err := ep.Request(1, take); err != nil {
				return err
			}
		}
		return nil
	})
	var gone *engine.PeerError
	if !errors.As(err, &gone) || gone.Node != 1 || gone.Attempts != 5 {
		t.Errorf("error %v", err)
	}
}

// "FUNI maintains the loss-less abstraction on top of the lossy substrate": every message once,
// and in order, and with rounds sooner. Reference: StarT-JR sections 2.1.2 and 3.2.4.
func TestRetryKeepsOrder(t *testing.T) {
	took := map[bool]quantity.Micros{}
	for _, rounds := range []bool{false, true} {
		s := system(t)
		s.Options.Retry, s.Options.Rounds = 2000, rounds
		c := virtual.Config{Nodes: 2, Faults: virtual.Faults{Seed: 7, Drop: 0.02, Duplicate: 0.02, Corrupt: 0.02, Reorder: 0.02, Delay: 0.01, Late: 100}}
		report := run(t, s, c, func(ep *engine.Endpoint) error {
			next := uint32(0)
			take := ep.Handle(func(m *engine.Message) {
				if m.Words[0] != next {
					t.Errorf("message %d came, not %d", m.Words[0], next)
				}
				next++
			})
			for i := range 1000 * (1 - ep.Node()) {
				if err := ep.Request(1, take, uint32(i)); err != nil {
					return err
				}
			}
			if ep.Node() == 1 {
				return ep.WaitFor("1000 messages", func() bool { return next == 1000 })
			}
			err := ep.Flush()
			took[rounds] = ep.Now()
			return err
		})
		a, b := report.Nodes[0], report.Nodes[1]
		if a.Sent != 1000 || b.Received != 1000 || a.Received != 1000 || a.Resent == 0 || b.Corrupt == 0 || b.Duplicate == 0 || b.Reordered == 0 {
			t.Errorf("rounds %v: %+v, %+v", rounds, a, b)
		}
	}
	if took[true] >= took[false] {
		t.Errorf("with rounds it took %v, without %v", took[true], took[false])
	}
}

// A large message asks before it goes: two short messages more. Reference: MPC section 4.2.
func TestRendezvous(t *testing.T) {
	var took [2]quantity.Micros
	for i, limit := range []int{0, 180} {
		s := system(t)
		s.Options.EagerThreshold = limit
		run(t, s, two, func(ep *engine.Endpoint) error {
			arrived := false
			take := ep.Handle(func(m *engine.Message) { arrived, took[i] = true, m.Endpoint.Now() })
			if ep.Node() == 0 {
				return ep.Send(1, take, make([]byte, 181))
			}
			return ep.WaitFor("a message", func() bool { return arrived })
		})
	}
	if more := float64(took[1] - took[0]); more < 28-1e-9 || more > 28+1e-9 { // 2 (o_s + L + o_r)
		t.Errorf("a rendezvous takes %v more, want a round trip", took[1]-took[0])
	}
}

// Without retry, as in HP-LAM and the Myricom API, what is lost is counted, and all else is
// delivered once.
func TestLossIsCounted(t *testing.T) {
	c := virtual.Config{Nodes: 2, Faults: virtual.Faults{Seed: 3, Drop: 0.05, Duplicate: 0.05, Corrupt: 0.05, Reorder: 0.05, Late: 200}}
	got := map[uint32]int{}
	report := run(t, system(t), c, func(ep *engine.Endpoint) error {
		take := ep.Handle(func(m *engine.Message) { got[m.Words[0]]++ })
		for i := range 1000 * (1 - ep.Node()) {
			if err := ep.Send(1, take, nil, uint32(i)); err != nil {
				return err
			}
		}
		return nil
	})
	for i, times := range got {
		if times != 1 {
			t.Errorf("message %d was delivered %d times", i, times)
		}
	}
	s := report.Nodes[1]
	lost := 1000 - len(got)
	// Of the last message nobody at the receiver can know, and with this seed it is among the lost.
	if lost == 0 || int(s.Missing) != lost-1 || s.Corrupt == 0 || s.Duplicate == 0 || s.Reordered == 0 {
		t.Errorf("%d messages are missing; counted: %+v", lost, s)
	}
}
