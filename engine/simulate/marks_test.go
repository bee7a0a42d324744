package simulate_test

import (
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Rank 0 computes for 5 µs, marks that, and sends one byte: o = 2 µs. Rank 1 has computed for 1 µs
// and waits: the message arrives at 5 + 2 + L = 10 µs, and takes it 2 µs more.
func TestMarksAndParts(t *testing.T) {
	b := schedule.NewBuilder(2)
	for rank := range uint32(2) {
		b.NextRank()
		calc := b.Calc(uint64(5000 - 4000*rank))
		mark := b.Add(schedule.Op{Kind: schedule.Calc, Memory: schedule.Mark})
		b.Requires(mark, calc)
		message := schedule.Op{Kind: schedule.Send, Size: 1, Peer: 1}
		if rank == 1 {
			message = schedule.Op{Kind: schedule.Recv, Size: 1, Peer: 0}
		}
		b.Requires(b.Add(message), mark)
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	r, err := prepare(t, s).Run(t.Context(), simulate.Setup{Parts: true,
		LogGOPS: simulate.LogGOPS{Latency: 3, Overhead: 2, EagerLimit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	us := func(ticks uint64) quantity.Micros { return r.Micros(ticks) }
	if m := r.Marks; len(m) != 2 || m[0].Op != 1 || us(m[0].End) != 5 || m[1].Op != 4 ||
		us(m[1].End) != 1 {
		t.Errorf("marks %+v", m)
	}
	for rank, want := range [][3]quantity.Micros{{5, 2, 7}, {1, 2, 12}} {
		p := r.Parts[rank]
		if got := [3]quantity.Micros{us(p.Computing), us(p.Messages), us(r.Ranks[rank])}; got != want {
			t.Errorf("rank %d: computes, handles messages and ends %v, want %v", rank, got, want)
		}
	}
}
