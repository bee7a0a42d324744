package collective_test

import (
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	sim "github.com/halfpeak/halfpeak/engine/simulate"
)

// Nobody leaves a barrier before all have entered it, whoever is late: in a loop whose first
// part is a long computation of one rank, all are done after it.
func TestDefaultBarrier(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 4, 5, 7, 8, 13, 32, 63, 64, 100, 256, 300, 600} {
		for _, late := range []int{0, ranks / 2, ranks - 1} {
			calc := collective.LateRank(late)
			s, err := calc.Loop(ranks, collective.Call{}, collective.DefaultBarrier(ranks), 2)
			if err != nil {
				t.Fatal(err)
			}
			p, err := sim.New(s)
			if err != nil {
				t.Fatal(err)
			}
			r, err := p.Run(t.Context(), sim.Setup{LogGOPS: sim.LogGOPS{Latency: 1, EagerLimit: sim.NoLimit}})
			if err != nil {
				t.Fatal(err)
			}
			for rank, finish := range r.Ranks {
				if r.Micros(finish) < 1000 {
					t.Errorf("%d ranks, %d late: rank %d leaves at %v", ranks, late, rank, r.Micros(finish))
				}
			}
		}
	}
}

// A loop of one part is the collective, and later parts wait for earlier ones.
func TestLoop(t *testing.T) {
	e, err := collective.Find("bcast", "binomial")
	if err != nil {
		t.Fatal(err)
	}
	c := collective.Call{Bytes: 1000}
	once, err := e.Algorithm.Schedule(8, c)
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for parts := 1; parts <= 5; parts++ {
		s, err := e.Algorithm.Loop(8, c, collective.DefaultBarrier(8), parts)
		if err != nil {
			t.Fatal(err)
		}
		if parts == 1 && len(s.Ops()) != len(once.Ops()) {
			t.Errorf("%d operations, of the collective %d", len(s.Ops()), len(once.Ops()))
		}
		p, err := sim.New(s)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(t.Context(), sim.Setup{LogGOPS: sim.Defaults})
		if err != nil {
			t.Fatal(err)
		}
		finish, _ := r.Finish()
		if float64(finish) <= last {
			t.Errorf("%d parts end at %v, one less at %v", parts, float64(finish), last)
		}
		last = float64(finish)
	}
	if _, err := e.Algorithm.Loop(4, collective.Call{Root: 4}, collective.DefaultBarrier(4), 2); err == nil {
		t.Error("a root beyond the ranks")
	}
}
