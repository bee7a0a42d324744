package judge

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// TestScore has errors and intervals that can be counted by hand.
func TestScore(t *testing.T) {
	none := math.NaN()
	all := []Answer{
		{Machine: "a", Measured: 100, Interval: quantity.Interval{Value: 110, Low: 100, High: 200}},
		{Machine: "a", Measured: 100, Interval: quantity.Interval{Value: 50, Low: 25, High: 75}},
		{Machine: "b", Measured: 1, Interval: quantity.Interval{Value: 100, Low: none, High: none}},
		{Machine: "b", Measured: 1, Interval: quantity.Interval{Value: 1, Low: 1, High: math.Inf(1)}},
	}
	s := Of("", all)
	if s.Machines != 2 || s.Answers != 4 || s.Intervals != 2 || s.Right != 0.5 {
		t.Errorf("%+v", s)
	}
	near := func(got, want float64) {
		t.Helper()
		if math.Abs(got/want-1) > 1e-12 { // sums of a few doubles
			t.Errorf("%v, want %v", got, want)
		}
	}
	near(s.Log, (math.Log(1.1)+math.Log(2)+MaxLog)/4)
	near(s.Width, 2.5)
	near(s.Score, (math.Log(2)+math.Log(3)+40*math.Log(100./75))/2)
	m := Mean("", ByMachine(all))
	near(m.Log, ((math.Log(1.1)+math.Log(2))/2+MaxLog/2.)/2)
	near(m.Right, 0.5) // machine b has no interval
}

// TestScoreIsProper holds that the interval of the quantiles has the least score: of a normal
// distribution, 2 × 1.96 deviations.
func TestScoreIsProper(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var values []float64
	for range 20000 {
		values = append(values, math.Exp(0.3*random.NormFloat64()))
	}
	of := func(z float64) float64 {
		var all []Answer
		for _, v := range values {
			all = append(all, Answer{Measured: v, Interval: quantity.Interval{
				Value: 1, Low: math.Exp(-0.3 * z), High: math.Exp(0.3 * z)}})
		}
		return Of("", all).Score
	}
	right := of(1.96)
	for _, z := range []float64{1.5, 2.5} {
		if of(z) <= right {
			t.Errorf("%v deviations: score %v, not above %v", z, of(z), right)
		}
	}
}

// TestHalves holds that every published machine is in one half by its name, and that the means of
// the halves are apart.
func TestHalves(t *testing.T) {
	names := map[string]bool{"ABCI, switches": true} // made from files of ABCI
	calls, err := published.Calls()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		names[c.Machine] = true
	}
	for name := range names {
		if slices.Contains(chosen, name) == slices.Contains(reported, name) {
			t.Errorf("%s is in both halves or in none", name)
		}
	}
	all := []Answer{
		{Machine: "LUMI", Measured: 1, Interval: quantity.Interval{Value: 1, Low: 1, High: 2}},
		{Machine: "ORFEO", Measured: 3, Interval: quantity.Interval{Value: 1, Low: 1, High: 2}},
		{Machine: "simulated torus", Measured: 1,
			Interval: quantity.Interval{Value: 1, Low: 1, High: 8}},
	}
	got := ByHalf("q", all)
	if len(got) != 3 || got[0].Name != "q, chosen on" || got[0].Right != 0 || got[1].Right != 1 ||
		got[2].Width != 8 {
		t.Errorf("%+v", got)
	}
}
