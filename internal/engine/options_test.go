package engine_test

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A broken rule is an error that names the option, and nothing runs.
func TestOptionsAreValidated(t *testing.T) {
	check := func(o engine.Options, want string) {
		t.Helper()
		s := system(t)
		s.Options = o
		ran := false
		_, err := virtual.Run(s, two, func(*engine.Endpoint) error { ran = true; return nil })
		if want == "" {
			if err != nil || !ran {
				t.Errorf("%+v: %v", o, err)
			}
			return
		}
		if err == nil || !strings.Contains(err.Error(), "option "+want) || ran {
			t.Errorf("%+v: error %v, want %q", o, err, want)
		}
	}
	// Zero is the default of each.
	check(engine.Options{}, "")
	check(engine.Options{Credits: 1, CreditBatch: 1, EagerThreshold: 1, Checksums: true, Retry: 1, Attempts: 1, Rounds: true, PollEvery: 1}, "")
	check(engine.Options{CreditBatch: 1000}, "") // of as many credits as anybody takes
	check(engine.Options{Credits: 8, CreditBatch: 8, PollEvery: 1 << 16}, "")

	check(engine.Options{Credits: -1}, "Credits must be 1 to 2147483647, or 0 for no bound (got -1)")
	check(engine.Options{Credits: math.MaxInt32 + 1}, "Credits must be 1 to 2147483647, or 0 for no bound (got 2147483648)")
	check(engine.Options{CreditBatch: -1}, "CreditBatch must be 1 to 2147483647, or 0 for 1 (got -1)")
	check(engine.Options{Credits: 8, CreditBatch: 9}, "CreditBatch must be at most Credits, or it would never fill (got 9 with 8 Credits)")
	check(engine.Options{CreditBatch: math.MaxInt32 + 1}, "CreditBatch must be 1 to 2147483647, or 0 for 1 (got 2147483648)")
	check(engine.Options{EagerThreshold: -1}, "EagerThreshold must be a size in bytes, or 0 for no rendezvous (got -1)")
	check(engine.Options{Retry: -1}, "Retry must be a positive time")
	check(engine.Options{Retry: quantity.Micros(math.NaN())}, "Retry must be")
	check(engine.Options{Retry: quantity.Micros(math.Inf(1))}, "Retry must be")
	check(engine.Options{Retry: 1, Attempts: -1}, "Attempts must be at least 1, or 0 for 12 (got -1)")
	check(engine.Options{Attempts: 3}, "Attempts requires Retry")
	check(engine.Options{Rounds: true}, "Rounds requires Retry")
	check(engine.Options{PollEvery: -1}, "PollEvery must be 1 to 65536, or 0 for 1 (got -1)")
	check(engine.Options{PollEvery: 1<<16 + 1}, "PollEvery must be 1 to 65536, or 0 for 1 (got 65537)")
}

// A receiver returns credits in batches of CreditBatch: of 20 requests, 4 at a time, with 8
// credits, it answers with 5 messages, and the sender never has more than 8 outstanding. Flush asks
// for the rest.
func TestCreditBatch(t *testing.T) {
	for _, c := range []struct{ requests, batch, answers int }{{20, 4, 5}, {20, 1, 20}, {3, 4, 1}, {21, 4, 6}} {
		s := system(t)
		s.Options.Credits, s.Options.CreditBatch = 8, c.batch
		report := run(t, s, two, func(ep *engine.Endpoint) error {
			take := ep.Handle(func(*engine.Message) {})
			for range c.requests * (1 - ep.Node()) {
				if err := ep.Request(1, take); err != nil {
					return err
				}
				if out := ep.Outstanding(1); out > 8 {
					t.Errorf("%d requests are outstanding", out)
				}
			}
			err := ep.Flush()
			if out := ep.Outstanding(1); out != 0 {
				t.Errorf("%d requests are outstanding after Flush", out)
			}
			return err
		})
		if got := int(report.Nodes[0].Received); got != c.answers {
			t.Errorf("%+v: %d answers", c, got)
		}
	}
}

// With PollEvery, only each so many sending calls look for messages.
func TestPollEvery(t *testing.T) {
	s := system(t)
	s.Options.Credits, s.Options.PollEvery = 0, 10
	polls := 0
	run(t, s, two, func(ep *engine.Endpoint) error {
		note := ep.Handle(func(*engine.Message) {})
		take := ep.Handle(func(m *engine.Message) { _ = m.Reply(note) })
		if ep.Node() == 1 {
			return nil
		}
		received := int64(0)
		for i := range 100 {
			ep.Compute(1000) // the reply to the request before is there
			if err := ep.Request(1, take); err != nil {
				return err
			}
			if now := ep.Stats().Received; now != received {
				if polls++; i%10 != 9 {
					t.Errorf("request %d polled", i)
				}
				received = now
			}
		}
		return ep.Flush()
	})
	if polls != 10 {
		t.Errorf("%d of 100 requests polled", polls)
	}
}
