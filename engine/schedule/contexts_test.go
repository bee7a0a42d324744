package schedule_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// twoContexts returns a program in which rank 0 sends two messages of one tag in contexts 1 and 2,
// and rank 1 receives them in the other order, the second one with the given tag.
func twoContexts(t *testing.T, tag uint32) *schedule.Schedule {
	t.Helper()
	b := schedule.NewBuilder(2)
	b.NextRank()
	for context := uint16(1); context <= 2; context++ {
		b.Add(schedule.Op{Kind: schedule.Send, Size: uint64(context), Peer: 1, Tag: 7,
			Context: context})
	}
	b.NextRank()
	b.Add(schedule.Op{Kind: schedule.Recv, Size: 2, Peer: 0, Tag: 7, Context: 2})
	b.Add(schedule.Op{Kind: schedule.Recv, Size: 1, Peer: 0, Tag: tag, Context: 1})
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// GOAL has no contexts: tags take their place, and differ where the contexts do.
func TestWriteContexts(t *testing.T) {
	var text bytes.Buffer
	if err := twoContexts(t, 7).WriteText(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"send 1b to 1 tag 7\nl2: send 2b to 1 tag 0",
		"recv 2b from 0 tag 0\nl2: recv 1b from 0 tag 7",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	for _, write := range []func(*schedule.Schedule) error{
		func(s *schedule.Schedule) error { return s.WriteText(&text) },
		func(s *schedule.Schedule) error { return s.WriteBinary(&text) },
	} {
		err := write(twoContexts(t, schedule.Any))
		if err == nil || !strings.Contains(err.Error(), "rank 1 receives with any tag") {
			t.Errorf("a wildcard beside another context was written: %v", err)
		}
	}
}
