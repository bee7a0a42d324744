package collective

import (
	"cmp"
	"context"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func linearLayer() platforms.Design {
	return platforms.Design{Layer: platforms.Layer{Platform: "a", Name: "b",
		Model: &model.Linear{Beta: 2, Tau: 0.5}}}
}

// Binomial takes ⌈lg p⌉(α + nβ), linear (p − 1)(α + nβ) (Thakur, Rabenseifner, Gropp 2005, 4.1).
func TestCollectiveTimes(t *testing.T) {
	for _, c := range []struct {
		name string
		want quantity.Micros
	}{{"binomial", 3 * 6}, {"linear", 7 * 6}} {
		got, err := Calls{Collective: "bcast", Algorithm: c.name, Ranks: []int{8},
			Sizes: []quantity.Bytes{8}}.On(context.Background(), linearLayer())
		if err != nil {
			t.Fatal(err)
		}
		if now := got.Times[0]; math.Abs(float64(now.Time-c.want)) > 1e-5 { // ticks are 1 ps
			t.Errorf("%s: %v %s, want %v", c.name, now.Time, now.From, c.want)
		}
	}
}

func TestCollectiveRules(t *testing.T) {
	got, err := Calls{Collective: "bcast", Algorithm: "linear", Ranks: []int{8, 2, 4},
		Sizes: []quantity.Bytes{64, 8}, Form: rules.OpenMPI}.On(context.Background(), linearLayer())
	if err != nil {
		t.Fatal(err)
	}
	all := collectives.Rules(got.Times)
	if len(all) != 1 {
		t.Fatalf("rules %+v, want one", all)
	}
	r := all[0]
	if r.Of.Collective != "bcast" || r.Of.Name != "linear" ||
		(r.Ranks != rules.Range{From: 2, To: 8}) || (r.Bytes != rules.Range{From: 8, To: 64}) {
		t.Errorf("rule %+v, want bcast linear from 2 to 8 ranks and from 8 to 64 bytes", r)
	}
}

// NCCL's ring pads a message of fewer bytes than ranks, and has no other algorithm for it: the rule
// for 8 bytes is the tree, and the boundary is where the ring is as fast, to the byte.
func TestRulesBoundaries(t *testing.T) {
	ctx := context.Background()
	ask := func(sizes ...quantity.Bytes) *Times {
		got, err := Calls{Collective: "allreduce", Algorithm: "all", Ranks: []int{64}, Sizes: sizes,
			Form: rules.NCCL}.On(ctx, linearLayer())
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	got := ask(stats.Doubled([]quantity.Bytes{8, 1 << 20})...)
	if _, sizes := got.Axes(); len(sizes) != 18 {
		t.Errorf("sizes %v, want the powers of two from 8 to 1 MiB", sizes)
	}
	refined, err := refined(ctx, got)
	if err != nil {
		t.Fatal(err)
	}
	all := collectives.Rules(refined)
	if len(all) != 2 || all[0].Of.Name != "double-tree" || all[1].Of.Name != "ring" || all[0].Bytes.From != 8 || all[1].Bytes.From != all[0].Bytes.To+1 {
		t.Fatalf("rules %+v, want a tree and from there the ring", all)
	}
	around := ask(quantity.Bytes(all[0].Bytes.To), quantity.Bytes(all[1].Bytes.From))
	for _, c := range around.Times {
		if want := map[bool]string{true: "double-tree", false: "ring"}[c.Call.Bytes == all[0].Bytes.To]; c.Best != (c.Name == want) {
			t.Errorf("%s at %d B: best is %v", c.Name, c.Call.Bytes, c.Best)
		}
	}
	ring := map[uint64]quantity.Micros{}
	small := ask(8, 64)
	for _, c := range small.Times {
		if c.Name == "ring" {
			ring[c.Call.Bytes] = c.Time
		}
	}
	if ring[8] != ring[64] {
		t.Errorf("the ring takes %v for 8 B and %v for 64 B on 64 ranks", ring[8], ring[64])
	}
	text, err := rulesOf(ctx, got, rules.NCCL, "tuner.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Unverified", "NCCL_TUNER_CONFIG_FILE=tuner.csv", "; -1 leaves channels", "allreduce,1048576,1048576,ring,simple,"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := rulesOf(ctx, small, rules.NCCL, ""); err == nil || !strings.Contains(err.Error(), "a line would force the protocol simple") {
		t.Errorf("rules for small messages: %v", err)
	}
}

func TestCollectiveStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	_, err := Calls{Collective: "bcast", Algorithm: "all", Ranks: []int{8},
		Sizes: []quantity.Bytes{8}}.On(ctx, linearLayer())
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
}

// The best of a call is an algorithm that runs itself, unless its substitute is not compared, and
// neither its runner-up nor the algorithm before a crossover runs the same.
func TestBestRuns(t *testing.T) {
	d, err := platforms.Open("hp-lam")
	if err != nil {
		t.Fatal(err)
	}
	runs := func(c Timing) string { return cmp.Or(c.RanAs, c.Name) }
	substitutes := 0
	names := map[string]bool{}
	for _, e := range collective.Algorithms {
		names[e.Collective] = true
	}
	for name := range names {
		for _, only := range []string{"", "ring,recursive-doubling"} {
			if only != "" && name != "allreduce" {
				continue
			}
			times, err := Calls{Collective: name, Algorithm: cmp.Or(only, "all"),
				Ranks: []int{3, 6, 8}, Sizes: []quantity.Bytes{1, 4, 64, 4096}}.On(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			has := map[string]bool{}
			for _, c := range times.Times {
				has[c.Name] = true
			}
			for _, c := range times.Times {
				if c.RanAs != "" {
					substitutes++
				}
				if c.Best && (has[c.RanAs] || c.Next != nil && runs(*c.Next) == runs(c)) {
					t.Errorf("%s of %v on %d: best is %s, run as %q, before %v", name, c.Size(),
						c.Ranks, c.Name, c.RanAs, c.Next)
				}
			}
			changes, err := crossovers(t.Context(), times, true)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range changes {
				if runs(c.Before) == runs(c.Best) {
					t.Errorf("%s: a crossover from %s to %s, which run the same", name,
						c.Before.Name, c.Best.Name)
				}
			}
		}
	}
	if substitutes == 0 {
		t.Error("no algorithm ran as another: nothing was tested")
	}
}

// A choice for one size becomes that of the sizes around it if the intervals do not tell the two
// apart; a rule begins where a crossover is also one of the sizes asked for.
func TestRulesOfSingleSizes(t *testing.T) {
	times := func(alone int, apart float64) []Timing {
		var all []Timing
		for i, size := range []uint64{4, 8, 16, 32, 64} {
			for k, name := range []string{"binary", "binomial"} {
				e, err := collective.Find("bcast", name)
				if err != nil {
					t.Fatal(err)
				}
				c := Timing{Cell: Cell{Entry: e, Ranks: 30, Call: collective.Call{Bytes: size}}}
				c.Compared, c.Best = true, (k == 0) == (i == alone)
				c.Within = quantity.Interval{Value: 3, Low: 2, High: 4}
				if !c.Best {
					c.Within = quantity.Interval{Value: 3 + apart, Low: 2 + apart, High: 4 + apart}
				}
				all = append(all, c)
			}
		}
		keepNeighbours(all)
		return all
	}
	for alone, want := range map[int]int{0: 2, 2: 3, 4: 2} {
		if got := collectives.Rules(times(alone, 1)); len(got) != 1 || got[0].Of.Name != "binomial" {
			t.Errorf("rules %+v, want binomial alone", got)
		}
		if got := collectives.Rules(times(alone, 3)); len(got) != want {
			t.Errorf("%d rules where the times tell algorithms apart, want %d", len(got), want)
		}
	}
}
