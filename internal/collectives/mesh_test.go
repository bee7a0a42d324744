package collectives

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model/machine"
)

// axis returns the groups along the middle axis of a mesh of outer × size × inner ranks.
func axis(outer, size, inner int) (groups [][]uint32) {
	for o := range outer {
		for i := range inner {
			var g []uint32
			for at := range size {
				g = append(g, uint32((o*size+at)*inner+i))
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// The groups of a few nodes that stand for all take as long as all, to the tick where NICs do not
// interleave messages. Elsewhere ranks begin up to 10 ns apart, by the seed, which alone moves
// these times by up to 1.2 %.
func TestMeshFolds(t *testing.T) {
	const ranks = 64
	for _, interleaves := range []bool{false, true} {
		d := gpus(t, ranks/8, `ports = "4"`)
		folded, most := 0, 0.0
		on := d.Machine()
		for i := range on.Levels {
			if !interleaves {
				on.Levels[i].Packet = 0
			}
		}
		m, err := placed.Machine(on, d.Layer, machine.Placement{}, ranks, simulate.NoLimit)
		if err != nil {
			t.Fatal(err)
		}
		mesh := &Mesh{Machine: m, Levels: on, Ranks: ranks, PerNode: 8, Choices: collective.Choices{Library: d.Platform.Library, PerNode: 8, Rails: 4}}
		for _, name := range []string{"allreduce/ring", "allgather/ring", "reduce-scatter/ring", "allgather/", "bcast/linear"} {
			name, algorithm, _ := strings.Cut(name, "/")
			for _, shape := range [][3]int{{1, 64, 1}, {1, 8, 8}, {2, 32, 1}, {8, 8, 1}, {1, 16, 4}, {2, 4, 8}, {4, 8, 2}} {
				groups := axis(shape[0], shape[1], shape[2])
				c := program.Collective{Name: name, Algorithm: algorithm, Bytes: 300000, Ranks: groups[0], Groups: groups}
				call, err := mesh.callOf(c, mesh.together(c))
				if err != nil {
					t.Fatal(err)
				}
				finish := func(s *schedule.Schedule) float64 {
					p, err := simulate.New(s)
					if err != nil {
						t.Fatal(err)
					}
					r, err := p.Run(t.Context(), simulate.Setup{Machine: m})
					if err != nil {
						t.Fatalf("%s %s along %v: %v", name, algorithm, shape, err)
					}
					end, _ := r.Finish()
					return float64(end)
				}
				all, err := call.schedule(schedule.NewBuilder(ranks), ranks)
				if err != nil {
					t.Fatal(err)
				}
				want := finish(all)
				few, of, err := call.few()
				if errors.Is(err, schedule.ErrFold) {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				folded++
				if len(few.Ops())*of != len(all.Ops()) {
					t.Errorf("%d operations stand for %d each, of %d", len(few.Ops()), of, len(all.Ops()))
				}
				got := finish(few)
				apart := math.Abs(got/want - 1)
				if most = max(most, apart); !interleaves && apart > 0 || apart > 0.01 {
					t.Errorf("%s %s along %v, interleaves %v: %v µs, by all ranks %v", name, algorithm, shape, interleaves, got, want)
				}
			}
		}
		t.Logf("interleaves %v: %d calls by a few nodes, within %.2g", interleaves, folded, most)
		if folded < 8 {
			t.Error("too few")
		}
	}
}
