package collective_test

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	engine "github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
)

// Blocking sends above the eager threshold serve one child after the other at full speed. Sends at
// once share the NIC: each child has its data late, and so have those below it. T is the time of a
// whole message.
func TestBlockingSends(t *testing.T) {
	const bytes, each = 1000, 1000 // T in ns
	m := machine.Machine{Levels: []machine.Level{{Name: "cluster", Arity: 8, Eager: 1, Packet: 1,
		Layer: &model.Linear{Tau: 1e-3}}}}
	on, err := engine.FromMachine(m, machine.Places{0, 1, 2, 3, 4, 5, 6, 7}, engine.NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		collective, name string
		ranks            int
		want             float64 // in T
	}{
		{"bcast", "binomial-mpich", 4, 2}, // to 2, then to 1 while 2 sends to 3
		{"bcast", "binomial-mpich", 8, 3},
		{"bcast", "linear", 4, 3}, // at once
		{"scatter", "binomial", 4, 3},
		{"scatter", "linear", 4, 3},
	} {
		e, err := collective.Find(test.collective, test.name)
		if err != nil {
			t.Fatal(err)
		}
		got := timeOf(t, programOf(t, e, test.ranks, collective.Call{Bytes: bytes}), on)
		if math.Abs(got-test.want*each) > 40 { // ranks begin up to 10 ns apart
			t.Errorf("%s %s among %d ranks takes %.0f ns, want %.0f", test.collective, test.name,
				test.ranks, got, test.want*each)
		}
	}
}

// A rank of a scatter that sends to several ends its sends one after the other.
func TestScatterInTurn(t *testing.T) {
	e, err := collective.Find("scatter", "linear")
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Schedule(5, collective.Call{Bytes: 8})
	if err != nil {
		t.Fatal(err)
	}
	for op := range uint32(3) {
		if after := s.AfterDone(op); len(after) != 1 || after[0] != op+1 {
			t.Errorf("after send %d: %v, want the next send", op, after)
		}
	}
}
