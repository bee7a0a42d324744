package collectives

import (
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
				q := Calls{Collective: e.Collective, Algorithm: e.Name, Ranks: ranks,
					Sizes: []quantity.Bytes{1, 7, 1000, 1 << 16},
					Call:  collective.Call{Gamma: gamma}}
				if e.Ranks > 0 {
					q.Ranks = []int{e.Ranks}
				}
				p, err := NewPlan(t.Context(), q, d)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range p.Cells {
					whole, by := timer{m: m, programs: newCompiled(false)}, timer{m: m, plain: true, programs: newCompiled(false)}
					want, err := whole.simulate(t.Context(), c, c.Call, false, 1<<20)
					if want.From == "" || err != nil {
						t.Fatal(want, err)
					}
					check := func(way string, got Estimate) {
						found[way]++
						if got.Time != want.Time {
							t.Errorf("%s: %s %s on %d ranks, %d B, γ %v by %s: %v, by its whole schedule %v", ref, c.Collective, c.Name, c.Ranks, c.Call.Bytes, gamma, way, float64(got.Time), float64(want.Time))
						}
					}
					for _, alone := range []bool{false, true} {
						if got, err := by.simulate(t.Context(), c, c.Call, alone, 1<<20); err != nil {
							t.Fatal(err)
						} else if got.From != "" {
							check(map[bool]string{false: "pattern", true: "one rank"}[alone], got)
						}
					}
					if larger, ok := by.largestShares(c); ok {
						got, err := by.simulate(t.Context(), c, larger, true, 1<<20)
						if got.From == "" || err != nil {
							t.Fatal(got, err)
						}
						check("largest share", got)
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
