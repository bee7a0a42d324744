package collective

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// doublings are times of an algorithm on one rank a node that are proportional to steps.
func doublings(t *testing.T, name, algorithm string, steps func(ranks int) float64, counts ...int) *Result {
	t.Helper()
	d := Data{Collective: name, Statistic: Slowest}
	for _, ranks := range counts {
		for n := quantity.Bytes(8); n <= 4096; n *= 8 {
			d.Points = append(d.Points, Point{Ranks: ranks, PerNode: 1, Size: n, Time: quantity.Micros(steps(ranks)), Count: 1})
		}
	}
	r, err := FitToPredict(d, Options{Algorithm: algorithm})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Beyond two numbers of nodes, steps take longer on more nodes, by stepGrowth for an octave; three
// numbers of nodes would show it.
func TestStepsGrow(t *testing.T) {
	steps := func(ranks int) float64 { return 10 * math.Log2(float64(ranks)) }
	for _, c := range []struct {
		counts []int
		want   float64
	}{
		{[]int{4, 8}, steps(32) * math.Exp(2*stepGrowth)},
		{[]int{2, 4, 8}, steps(32)},
	} {
		p, err := doublings(t, "allreduce", "recursive-doubling", steps, c.counts...).Predict(32, 64)
		if err != nil {
			t.Fatal(err)
		}
		if e := float64(p.Time)/c.want - 1; math.Abs(e) > 0.02 { // interpolation has a part, too
			t.Errorf("from %v nodes: %v, want %.3g µs", c.counts, p.Time, c.want)
		}
	}
}

// On one number of ranks a linear scatter is faster than a binomial one. On eight times as many its
// schedule has nine times as many steps, and the binomial's two: the choice follows the schedules if
// both are known, and else copies.
func TestChoiceFollowsSchedules(t *testing.T) {
	const at = 64
	flat := func(us float64) func(int) float64 { return func(int) float64 { return us } }
	for _, known := range []bool{true, false} {
		linear, binomial := "linear", "binomial"
		if !known {
			binomial = ""
		}
		all := []*Result{doublings(t, "scatter", linear, flat(10), 8), doublings(t, "scatter", binomial, flat(12), 8)}
		var predictions []Prediction
		for _, r := range all {
			p, err := r.Predict(at, 64)
			if err != nil {
				t.Fatal(err)
			}
			predictions = append(predictions, p)
		}
		c := Choose(all, predictions, Placement{at, 1}, 64)
		if want := map[bool]int{true: 1, false: 0}[known]; c.Index != want || c.Copied == known {
			t.Errorf("known %v: %+v of %v and %v", known, c, predictions[0].Time, predictions[1].Time)
		}
	}
}
