package collective

import (
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Where an algorithm turns, the part of each place is that of the place before, with peers as far.
func TestTurns(t *testing.T) {
	part := func(e Entry, ranks, place int, c Call) *schedule.Schedule {
		b := schedule.NewBuilder(ranks)
		for range ranks {
			if b.NextRank() == 0 {
				e.Algorithm.Add(b, Group{Size: ranks, Place: place}, c)
			}
		}
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	turned := map[bool]int{} // by whether there are channels
	for _, e := range Algorithms {
		for ranks := 2; ranks <= 16; ranks++ {
			for _, c := range []Call{{Bytes: 100, Gamma: 1}, {Bytes: uint64(48 * ranks), Gamma: 2}, {Bytes: uint64(24 * ranks), Channels: 2, PerNode: 4}, {Bytes: 36, Channels: 3, PerNode: 2}} {
				if e.Check(ranks, c) != nil {
					continue
				}
				for by := 1; by < ranks; by++ {
					if !e.Turns(ranks, by, c) {
						continue
					}
					turned[e.striped(c)]++
					for place := range ranks {
						a, b := part(e, ranks, place, c), part(e, ranks, (place+by)%ranks, c)
						ops := slices.Clone(a.Ops())
						for i := range ops {
							if ops[i].Kind != schedule.Calc {
								ops[i].Peer = (ops[i].Peer + uint32(by)) % uint32(ranks)
							}
						}
						if !slices.Equal(ops, b.Ops()) {
							t.Fatalf("%s %s, %d ranks, %+v: place %d does not turn by %d", e.Collective, e.Name, ranks, c, place, by)
						}
						for op := range uint32(len(ops)) {
							if !slices.Equal(a.AfterDone(op), b.AfterDone(op)) {
								t.Fatalf("%s %s, %d ranks, %+v: place %d waits otherwise", e.Collective, e.Name, ranks, c, place)
							}
						}
					}
				}
			}
		}
	}
	if turned[true] == 0 || turned[false] == 0 {
		t.Error(turned)
	}
}
