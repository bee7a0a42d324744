package fleet

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// q = min over j ≥ i of p_j·n/j, of probabilities in order (Benjamini and Hochberg 1995).
func TestQValues(t *testing.T) {
	for _, c := range []struct{ p, q []float64 }{
		{[]float64{0.01, 0.02, 0.03, 0.5}, []float64{0.04, 0.04, 0.04, 0.5}},
		{[]float64{0.001, 0.04, 0.045, 0.9, 1}, []float64{0.005, 0.075, 0.075, 1, 1}},
		{[]float64{0.2}, []float64{0.2}},
	} {
		got := qValues(c.p)
		if !slices.EqualFunc(got, c.q, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%v: %v, want %v", c.p, got, c.q)
		}
	}
}

// Each end of the interval of a reported node misses with a probability of the false discovery rate
// times the part of the tests that is reported (Benjamini and Yekutieli 2005): so many standard
// errors wide it is, on average over planted fleets. A node has 39 pairs, so 38 degrees of freedom,
// and its effect the noise's deviation over about √38.
func TestIntervalMisses(t *testing.T) {
	const nodes, fleets, noise = 40, 100, 0.01
	var width, want float64
	for s := range fleets {
		r := rand.New(rand.NewPCG(4, uint64(s)))
		u := make([]float64, nodes)
		u[7] = 0.02
		e := fileSummary{curves: measured("b", nodes, func(a, b int) float64 {
			return u[a] + u[b] + noise*r.NormFloat64()
		})}
		a, err := report([]fileSummary{e}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Findings {
			if f.Reported && f.Nodes[0] == "n07" && !f.Pair {
				width += (math.Log1p(f.Effect.Value) - math.Log1p(f.Effect.Low)) / noise * math.Sqrt(nodes-2)
				want += stats.StudentQuantile(0.05*float64(len(a.Findings))/float64(a.Tests),
					nodes-2)
			}
		}
	}
	// The deviation comes from 38 residuals of nodes' effects: √(1 − 2/40) of the noise's, and
	// 0.7
	// % less as the mean of roots. Twice the probability is 5 % less wide; the standard error of
	// 100 is 1.1 %.
	want *= math.Sqrt(1-2./nodes) * 0.993
	if want == 0 || math.Abs(width/want-1) > 0.025 {
		t.Errorf("intervals are %.3f of their width", width/want)
	}
}
