package collective

import (
	"context"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Whatever way finds a time, it is that of the whole schedule, to the last digit: one rank for all,
// one rank with the largest share, a pattern's schedule. The layers are linear, a pipeline, and one
// with overheads.
func TestCollectiveWays(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of schedules, on one goroutine")
	}
	ranks := []int{1, 3, 8, 11}
	found := map[string]int{}
	for _, ref := range []string{"clip/system-buffer", "hp-lam/gam", "clip/pio"} {
		d, err := platforms.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		m, err := simulate.FromLayer(d.Layer, simulate.NoLimit)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range collective.Algorithms {
			for _, gamma := range []float64{0, 0.3} {
				if gamma > 0 && e.Params&collective.Gamma == 0 {
					continue
				}
				q, err := Calls{Collective: e.Collective, Algorithm: e.Name, Ranks: ranks,
					Sizes: []quantity.Bytes{1, 7, 1000, 1 << 16},
					Call:  collective.Call{Gamma: gamma}}.on(d)
				if err != nil {
					t.Fatal(err)
				}
				if e.Ranks > 0 {
					q.Ranks = []int{e.Ranks}
				}
				all, err := q.algorithms()
				if err != nil {
					t.Fatal(err)
				}
				cells, err := q.cells(t.Context(), all, m)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range cells {
					whole, by := timer{m: m, programs: newCompiled(false)}, timer{m: m, plain: true, programs: newCompiled(false)}
					want := c
					if ok, err := whole.simulate(context.Background(), &c, c.Call, false, 1<<20); !ok || err != nil {
						t.Fatal(ok, err)
					}
					c, want = want, c
					check := func(way string) {
						found[way]++
						if c.Time != want.Time {
							t.Errorf("%s: %s %s on %d ranks, %d B, γ %v by %s: %v, by its whole schedule %v", ref, c.Collective, c.Name, c.Ranks, c.Call.Bytes, gamma, way, float64(c.Time), float64(want.Time))
						}
					}
					for _, alone := range []bool{false, true} {
						if ok, err := by.simulate(context.Background(), &c, c.Call, alone, 1<<20); err != nil {
							t.Fatal(err)
						} else if ok {
							check(map[bool]string{false: "pattern", true: "one rank"}[alone])
						}
					}
					if larger, ok := by.largestShares(&c); ok {
						if ok, err := by.simulate(context.Background(), &c, larger, true, 1<<20); !ok || err != nil {
							t.Fatal(ok, err)
						}
						check("largest share")
					}
				}
			}
		}
	}
	t.Log(found)
	if len(found) != 3 {
		t.Error("not all ways are tried")
	}
}
