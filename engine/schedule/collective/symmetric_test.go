package collective_test

import (
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	engine "github.com/halfpeak/halfpeak/engine/simulate"
)

// One rank that stands for all takes as long as all do, to the last digit.
func TestAlone(t *testing.T) {
	most := 17 // two powers of two, and their neighbours
	if testing.Short() {
		most = 12
	}
	stood := map[string]int{}
	for _, e := range collective.Algorithms {
		for p := 1; p <= most; p++ {
			for _, c := range []collective.Call{{Bytes: 100, Gamma: 1}, {Bytes: 3, Fanout: 2}, {},
				{Bytes: uint64(12 * p), Gamma: 2}, {Bytes: uint64(12 * p), Segment: 4, Gamma: 1}} {
				alone, err := e.SymmetricSchedule(p, c)
				if err != nil && p != e.Ranks && e.Ranks != 0 {
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				if alone == nil {
					continue
				}
				stood[e.Collective+" "+e.Name]++
				program, err := engine.New(alone)
				if err != nil {
					t.Fatal(err)
				}
				all := programOf(t, e, p, c)
				for _, w := range wires {
					if got, want := timeOf(t, program, w), timeOf(t, all, w); got != want {
						t.Errorf("%s %s, %s, %d ranks, %+v: one takes %v, all %v", e.Collective, e.Name, w.name, p, c, got, want)
					}
				}
			}
		}
	}
	t.Log(stood)
	for _, e := range collective.Algorithms {
		if e.IsSymmetric() && stood[e.Collective+" "+e.Name] == 0 {
			t.Errorf("%s %s: no rank ever stands for all", e.Collective, e.Name)
		}
	}
}

// A ring with shares of two sizes takes as long as one whose shares all have the larger size,
// to the last digit: on wires whose gaps are at most the time of a message.
func TestLargestShares(t *testing.T) {
	for _, name := range []string{"ring", "segmented-ring"} {
		e, err := collective.Find("allreduce", name)
		if err != nil {
			t.Fatal(err)
		}
		for p := 1; p <= 24; p++ {
			for _, c := range []collective.Call{{Bytes: 100}, {Bytes: 333, Gamma: 3}, {Bytes: 25}, {Bytes: 800, Element: 8}} {
				larger, share, ok := e.LargestShares(p, c)
				if !ok {
					t.Fatalf("%s, %d ranks, %+v has no equal shares", name, p, c)
				}
				if larger.Bytes < c.Bytes || larger.Bytes != share*uint64(p) || larger.Bytes-c.Bytes >= uint64(p)*max(c.Element, 1) {
					t.Fatalf("%s, %d ranks: %d bytes become %d", name, p, c.Bytes, larger.Bytes)
				}
				equal, shares := programOf(t, e, p, larger), programOf(t, e, p, c)
				for _, w := range wires {
					if got, want := timeOf(t, equal, w), timeOf(t, shares, w); got != want {
						t.Errorf("%s, %s, %d ranks, %+v: larger shares take %v, the shares %v", name, w.name, p, c, got, want)
					}
				}
			}
		}
	}
	scatter, err := collective.Find("bcast", "scatter-ring")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, ok := scatter.LargestShares(8, collective.Call{Bytes: 100}); ok {
		t.Error("a broadcast is no ring of shares alone")
	}
}

// A pattern has the operations of the call, and their sizes.
func TestPattern(t *testing.T) {
	for _, e := range collective.Algorithms {
		held := 0
		for p := 1; p <= 17; p++ {
			if e.Ranks != 0 && e.Ranks != p {
				continue
			}
			for _, n := range []uint64{1, 2, 3, 8, 77, 1000} {
				c := collective.Call{Bytes: n, Root: p / 2}
				pattern, size, ok := e.Pattern(c)
				if !ok {
					continue
				}
				held++
				want, err := e.Schedule(p, c)
				if err != nil {
					t.Fatal(err)
				}
				got, err := e.Schedule(p, pattern)
				if err != nil {
					t.Fatal(err)
				}
				ops := slices.Clone(got.Ops())
				for i := range ops {
					ops[i].Size = size(ops[i].Size)
				}
				if !slices.Equal(ops, want.Ops()) {
					t.Fatalf("%s %s on %d ranks, %d bytes: other operations", e.Collective, e.Name, p, n)
				}
				for i := range ops {
					if !slices.Equal(got.AfterDone(uint32(i)), want.AfterDone(uint32(i))) {
						t.Fatalf("%s %s on %d ranks, %d bytes: operation %d has others after it", e.Collective, e.Name, p, n, i)
					}
				}
			}
		}
		if held == 0 && !e.HasShares() && e.Params&collective.Shape == 0 {
			t.Errorf("%s %s never has a pattern", e.Collective, e.Name)
		}
	}
}
