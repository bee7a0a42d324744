package collective_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A part that is copied is the part that its algorithm makes, with the tag of its call.
func TestRepeats(t *testing.T) {
	for _, e := range collective.Algorithms {
		for _, ranks := range []int{1, 2, 4, 7} {
			if e.Ranks != 0 && e.Ranks != ranks {
				continue
			}
			var made [2]*schedule.Schedule
			for way := range made {
				b := schedule.NewBuilder(ranks)
				for place := range ranks {
					b.NextRank()
					g := collective.Group{Size: ranks, Place: place}
					var repeats collective.Repeats
					for i, bytes := range []uint64{1000, 24, 1000, 1000, 24} {
						after := b.Calc(uint64(i))
						c := collective.Call{Bytes: bytes, Tag: uint32(i) * 300, Gamma: 0.5,
							Channels: 2, PerNode: 2, Segment: 100}
						var end []uint32
						if way == 0 {
							end = e.Algorithm.Add(b, g, c, after)
						} else {
							end = repeats.Add(e, b, g, c, after)
						}
						last := b.Calc(0)
						for _, op := range end {
							b.Requires(last, op)
						}
					}
				}
				s, err := b.Build()
				if err != nil {
					t.Fatal(e.Name, err)
				}
				made[way] = s
			}
			if a, b := listed(made[0]), listed(made[1]); !slices.Equal(a, b) {
				t.Errorf("%s %s on %d ranks: %d operations, by copies %d, or others", e.Collective,
					e.Name, ranks, len(a), len(b))
			}
		}
	}
}

// listed returns all that a schedule says of each operation.
func listed(s *schedule.Schedule) (all []string) {
	for i, op := range s.Ops() {
		all = append(all, fmt.Sprintf("%#v %v %v", op, s.AfterDone(uint32(i)),
			s.AfterStarted(uint32(i))))
	}
	return all
}
