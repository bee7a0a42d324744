package simulate_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// randomSchedule is a program of a few ranks: messages and computations in random order with random
// dependencies, of both kinds; sometimes with wildcards, and sometimes it cannot end.
func randomSchedule(t testing.TB, r *rand.Rand, most int) *schedule.Schedule {
	t.Helper()
	ranks := 1 + r.IntN(6)
	sizes := []uint64{0, 1, 1, 8, 100, 1000, 1001, 4096, 65535, 65536, 100000}
	lists := make([][]schedule.Op, ranks)
	labels := [2]int{1 + r.IntN(3), 1 + r.IntN(2)}
	label := func(op schedule.Op) schedule.Op {
		op.CPU = uint16(r.IntN(labels[0]))
		if op.Kind != schedule.Calc {
			op.NIC = uint16(r.IntN(labels[1]))
		}
		return op
	}
	for range r.IntN(most) {
		from, to := r.IntN(ranks), r.IntN(ranks)
		size, tag := sizes[r.IntN(len(sizes))], uint32(r.IntN(3))
		send := label(schedule.Op{Kind: schedule.Send, Size: size, Peer: uint32(to), Tag: tag})
		recv := label(schedule.Op{Kind: schedule.Recv, Size: size, Peer: uint32(from), Tag: tag})
		switch r.IntN(12) {
		case 0:
			recv.Peer = schedule.Any
		case 1:
			recv.Tag = schedule.Any
		case 2:
			recv.Peer, recv.Tag = schedule.Any, schedule.Any
		case 3:
			if r.IntN(3) == 0 {
				send.Tag = schedule.Any
			}
		}
		lists[from] = append(lists[from], send)
		lists[to] = append(lists[to], recv)
	}
	for range r.IntN(most) {
		rank := r.IntN(ranks)
		lists[rank] = append(lists[rank], label(schedule.Op{Kind: schedule.Calc, Size: []uint64{0, 10, 3000, 20000, uint64(r.IntN(90000))}[r.IntN(5)]}))
	}
	b := schedule.NewBuilder(ranks)
	density := r.IntN(4)
	for _, list := range lists {
		b.NextRank()
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		var ids []uint32
		for _, op := range list {
			ids = append(ids, b.Add(op))
		}
		for i := range ids {
			for j := range i {
				if r.IntN(3+i) < density && r.IntN(3) == 0 {
					if r.IntN(4) == 0 {
						b.IRequires(ids[i], ids[j])
					} else {
						b.Requires(ids[i], ids[j])
					}
				}
			}
		}
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ns are LogGOPS parameters L, o, g, G, O and S in ns and bytes.
type ns [6]uint64

var parameterSets = []ns{
	{2500, 1500, 1000, 6, 0, 65535},
	{1000, 200, 400, 1, 0, 4095},
	{50000, 100, 9000, 3, 2, 65535},
	{10, 5000, 10, 0, 1, 1000},
	{7000, 0, 20000, 12, 9, 100},
	{0, 0, 0, 1, 0, 0},
	{0, 0, 0, 0, 0, 1000},
	{100, 3, 2, 9, 7, 999}, // clocks wrap around with messages of 0 bytes
}

func (p ns) loggops() simulate.LogGOPS {
	t := func(i int) quantity.Micros { return quantity.Micros(p[i]) / 1000 }
	return simulate.LogGOPS{Latency: t(0), Overhead: t(1), GapTime: t(2),
		GapPerByte: quantity.MicrosPerByte(t(3)), OverheadPerByte: quantity.MicrosPerByte(t(4)), EagerLimit: quantity.Bytes(p[5])}
}

func programs(t *testing.T, n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// crowded tells whether more than 16 operations may become free together: LogGOPSim does not keep their
// order then, as the oracle does.
func crowded(s *schedule.Schedule) bool {
	for rank := range s.Ranks() {
		if lo, hi := s.Rank(rank); hi-lo > 16 {
			return true
		}
	}
	return false
}

func TestLogGOPSimAgainstOracle(t *testing.T) {
	ended := 0
	n := programs(t, 4000)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		s := randomSchedule(t, r, 2+seed%14)
		p := parameterSets[r.IntN(len(parameterSets))]
		if crowded(s) {
			continue
		}
		o := newOracle(s)
		want, events := o.peer(p[0], p[1], p[2], p[3], p[4], p[5])
		got, err := prepare(t, s).Run(context.Background(), simulate.Options{Rules: simulate.LogGOPSim, LogGOPS: p.loggops()})
		var stuck *simulate.Stuck
		if err != nil && !errors.As(err, &stuck) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if o.leftOver() && stuck == nil {
			t.Errorf("seed %d: the oracle is stuck", seed)
		}
		if !slices.Equal(got.Ranks, want) || got.Events != events {
			t.Fatalf("seed %d, %v: got %v, %d events; want %v, %d", seed, p, got.Ranks, got.Events, want, events)
		}
		if stuck == nil {
			ended++
		}
	}
	if ended < n/3 {
		t.Errorf("only %d of %d programs end", ended, n)
	}
}

func TestDefaultRulesAgainstOracle(t *testing.T) {
	ended := 0
	n := programs(t, 4000)
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		s := randomSchedule(t, r, 2+seed%14)
		p := parameterSets[r.IntN(len(parameterSets))]
		o := newOracle(s)
		want, events := o.plain(p[0]*1000, p[1]*1000, p[2]*1000, p[3]*1000, p[4]*1000, p[5])
		for _, record := range []bool{false, true} {
			got, err := prepare(t, s).Run(context.Background(), simulate.Options{LogGOPS: p.loggops(), Record: record})
			var stuck *simulate.Stuck
			if err != nil && !errors.As(err, &stuck) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if fine := o.allEnded() && !o.leftOver(); fine != (stuck == nil) {
				t.Errorf("seed %d: %v; the oracle's ended: %v", seed, stuck, fine)
			}
			if !slices.Equal(got.Ranks, want) || got.Events != events {
				t.Fatalf("seed %d, %v: got %v, %d events; want %v, %d", seed, p, got.Ranks, got.Events, want, events)
			}
			if stuck == nil {
				ended++
			}
		}
	}
	if ended < n/3 {
		t.Errorf("only %d of %d programs end", ended, n)
	}
}
