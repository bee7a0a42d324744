package fitted

import (
	"math"
	"testing"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// Steps and bytes of algorithms whose closed forms are known, on powers of two and other numbers:
// Thakur, Rabenseifner and Gropp 2005, and the sums of a root that sends to one after the other.
func TestShapes(t *testing.T) {
	lg := func(p float64) float64 { return math.Ceil(math.Log2(p)) }
	share := func(p float64) float64 { return (p - 1) / p }
	for _, c := range []struct {
		collective, name string
		ranks            []int
		steps, volume    func(p float64) float64
	}{
		{"allreduce", "ring", []int{2, 3, 16, 37, 512}, func(p float64) float64 { return 2 * (p - 1) }, func(p float64) float64 { return 2 * share(p) }},
		{"allreduce", "recursive-doubling", []int{2, 8, 64}, lg, lg},
		{"allreduce", "recursive-doubling", []int{3, 12, 65}, func(p float64) float64 { return lg(p) + 1 }, func(p float64) float64 { return lg(p) + 1 }},
		{"allreduce", "rabenseifner", []int{4, 256}, func(p float64) float64 { return 2 * lg(p) }, func(p float64) float64 { return 2 * share(p) }},
		{"bcast", "binomial", []int{2, 5, 32, 100}, lg, lg},
		{"bcast", "linear", []int{2, 5, 100}, func(p float64) float64 { return p - 1 }, func(p float64) float64 { return p - 1 }},
		{"allgather", "bruck", []int{2, 6, 33}, lg, func(p float64) float64 { return p - 1 }},
		{"alltoall", "pairwise", []int{2, 6, 33}, func(p float64) float64 { return p - 1 }, func(p float64) float64 { return p - 1 }},
		{"allgather", "linear", []int{2, 10}, func(p float64) float64 { return 2 * (p - 1) }, func(p float64) float64 { return p*p - 1 }},
	} {
		f := formNamed(t, c.collective, c.name, Slowest)
		for _, p := range c.ranks {
			got, n := f.shape(p), float64(p)
			if want := (shape{c.steps(n), c.volume(n)}); math.Abs(got.steps/want.steps-1) > 1e-6 || math.Abs(got.volume/want.volume-1) > 0.01 {
				t.Errorf("%s %s on %d ranks: %+v, want %+v", c.collective, c.name, p, got, want)
			}
		}
	}
}

// formNamed returns the form of an algorithm.
func formNamed(t *testing.T, collective, name string, of Statistic) *form {
	t.Helper()
	all, err := formsFor(Data{Of: entry(collective, name), Statistic: of}, false)
	if err != nil {
		t.Fatal(err)
	}
	return &all[0]
}

// Shapes that are continued from smaller powers of two are those of the schedules: within 1 % on
// powers of two, and on other numbers within the part by which these take another path.
func TestShapesGrow(t *testing.T) {
	for _, c := range []struct {
		collective, name string
		ranks            int
		tolerance        float64
	}{
		{"allgather", "neighbour-exchange", 256, 0.01}, {"allgather", "linear", 256, 0.01},
		{"alltoall", "linear", 128, 0.01}, {"reduce-scatter-block", "recursive-doubling", 256, 0.01},
		{"barrier", "dissemination", 256, 0.01}, {"bcast", "binomial", 200, 0.15},
		{"reduce-scatter-block", "recursive-doubling", 200, 0.5},
	} {
		for _, of := range Statistics {
			f := formNamed(t, c.collective, c.name, of)
			got, want := f.grown(c.ranks, c.ranks-1), f.shape(c.ranks)
			off := math.Abs(got.steps/want.steps - 1)
			if c.collective != "barrier" {
				off = max(off, math.Abs(got.volume/want.volume-1))
			}
			if !(off <= c.tolerance) {
				t.Errorf("%s %s on %d ranks, %s: %+v, want %+v", c.collective, c.name, c.ranks, of, got, want)
			}
		}
	}
}

// On nodes with several ranks, a rank's messages with each other rank are mostly between nodes; a
// tree has those of one rank a node.
func TestPlacesOfForms(t *testing.T) {
	for _, c := range []struct {
		collective, name string
		inside, between  float64 // of 16 ranks on 4 nodes
	}{
		{"bcast", "binomial", 2, 2}, {"bcast", "binary", 6 - 2, 2}, {"bcast", "linear", 3, 12},
		{"alltoall", "linear", 3, 12}, {"alltoall", "linear-sync", 3, 12}, {"gather", "linear", 3, 12},
		{"allgather", "ring", 12, 3}, {"allgather", "neighbour-exchange", 6, 2},
	} {
		f := formNamed(t, c.collective, c.name, Slowest)
		if got := f.at(place{16, 4}); got.inside != c.inside || got.between != c.between {
			t.Errorf("%s %s: %+v, want %v and %v", c.collective, c.name, got, c.inside, c.between)
		}
	}
}

// A fit of several nodes may be asked for one node: no form has a place that it fails on.
func TestOneNodeOfSeveral(t *testing.T) {
	for _, e := range engine.Algorithms {
		if e.Ranks != 0 || e.Params&engine.Shape != 0 {
			continue
		}
		for _, of := range Statistics {
			f := formNamed(t, e.Collective, e.Name, of)
			got := f.at(place{16, 1})
			if got.inside < 0 || !(got.inside+got.between > 0) || !(got.volume >= 0) {
				t.Errorf("%s %s: %+v", e.Collective, e.Name, got)
			}
		}
	}
}

// On numbers of ranks whose schedules are too large to build, an algorithm takes its own steps:
// with 2 µs each, a neighbour exchange of 4,096 ranks takes 4,096 µs. A fit of thousands of ranks
// builds no schedule.
func TestManyRanks(t *testing.T) {
	exchange := func(ranks int) float64 { return float64(ranks) }
	r := doublings(t, "allgather", "neighbour-exchange", exchange, 256, 512, 1024)
	p, err := r.predict(4096, 64)
	if err != nil || math.Abs(float64(p.Value)/4096-1) > 0.02 {
		t.Errorf("%v, %v: want 4096 µs", p.Value, err)
	}
	blocks := func(ranks int) float64 { return 10 * math.Log2(float64(ranks)) }
	r = doublings(t, "reduce-scatter-block", "recursive-doubling", blocks, 1024, 2048, 4096)
	if alpha := float64(r.Parameters()[0].Between.Value); math.Abs(alpha/10-1) > 0.1 {
		t.Errorf("α is %v µs, want 10", alpha)
	}
}
