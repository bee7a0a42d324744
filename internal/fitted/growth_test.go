package fitted

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// doublings are times of an algorithm on one rank a node that are proportional to steps.
func doublings(t *testing.T, name, algorithm string, steps func(ranks int) float64, counts ...int) *Result {
	t.Helper()
	d := Data{Of: entry(name, ""), Statistic: Slowest}
	for _, ranks := range counts {
		for n := quantity.Bytes(8); n <= 4096; n *= 8 {
			d.Points = append(d.Points, Point{Ranks: ranks, PerNode: 1, Size: n, Time: quantity.Micros(steps(ranks)), Count: 1})
		}
	}
	d.Of = entry(d.Of.Collective, algorithm)
	r, err := Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// On one number of ranks a linear scatter is faster than a binomial one. On eight times as many its
// schedule has nine times as many steps, and the binomial's two: the choice follows the schedules,
// also if only the linear one is known.
func TestChoiceFollowsSchedules(t *testing.T) {
	const at = 64
	flat := func(us float64) func(int) float64 { return func(int) float64 { return us } }
	for _, known := range []bool{true, false} {
		linear, binomial := "linear", "binomial"
		if !known {
			binomial = ""
		}
		all := []*Result{doublings(t, "scatter", linear, flat(10), 8), doublings(t, "scatter", binomial, flat(12), 8)}
		if !known {
			all[1].Foreign = "another"
		}
		var predictions []Prediction
		for _, r := range all {
			p, err := r.predict(at, 64)
			if err != nil {
				t.Fatal(err)
			}
			predictions = append(predictions, p)
		}
		if c := Choose(predictions); c.Index != 1 {
			t.Errorf("known %v: %+v of %v and %v", known, c, predictions[0].Value, predictions[1].Value)
		}
	}
}

// Calls on the fewest nodes that are disturbed, as Perlmutter's are, do not become a base of many
// steps: on more nodes a ring takes its steps.
func TestBaseOfFewSteps(t *testing.T) {
	const step = 4.0
	ring := func(ranks int) float64 {
		us := step * float64(maxBase+ranks-1)
		if ranks == 2 {
			us *= 1.6
		}
		return us
	}
	p, err := doublings(t, "allgather", "ring", ring, 2, 4, 8).predict(64, 64)
	if err != nil {
		t.Fatal(err)
	}
	if e := float64(p.Value)/ring(64) - 1; math.Abs(e) > 0.1 { // -26 % if the base has no bound
		t.Errorf("%v, want %.3g µs, off by %.0f %%", p.Value, ring(64), 100*e)
	}
}

// Sizes eight times apart show latency and bandwidth, too: between them and beyond them, a line in
// the size is predicted as one, from one number of nodes and from two.
func TestSparseSizes(t *testing.T) {
	ring := func(ranks int, n quantity.Bytes) quantity.Micros {
		return quantity.Micros(float64(ranks-1) * (5 + 0.001*float64(n)))
	}
	for _, counts := range [][]int{{8}, {8, 16}} {
		d := Data{Of: entry("allgather", ""), Statistic: Slowest}
		for _, ranks := range counts {
			for n := quantity.Bytes(64); n <= 2<<20; n *= 8 {
				d.Points = append(d.Points, Point{Ranks: ranks, PerNode: 1, Size: n, Time: ring(ranks, n), Count: 1})
			}
		}
		d.Of = entry(d.Of.Collective, "ring")
		r, err := Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []quantity.Bytes{8 << 10, 1 << 20, 16 << 20} {
			p, err := r.predict(8, n)
			if err != nil {
				t.Fatal(err)
			}
			// Interpolation between the logs of times, which is no line, has a part.
			if e := float64(p.Value/float64(ring(8, n))) - 1; math.Abs(e) > 0.2 {
				t.Errorf("%v nodes, %s: %v, want %v, off by %.0f %%", counts, n, p.Value, ring(8, n), 100*e)
			}
		}
	}
}

// On fewer nodes than were measured, intervals are as wide as those as far beyond. On one node a call
// takes no longer than on two, and no times near 0.
func TestFewerNodes(t *testing.T) {
	steps := func(ranks int) float64 { return 10 * math.Log2(float64(ranks)) }
	r := doublings(t, "allreduce", "recursive-doubling", steps, 8, 16, 32)
	var widths []float64
	for _, ranks := range []int{4, 64} {
		p, err := r.predict(ranks, 64)
		if err != nil {
			t.Fatal(err)
		}
		widths = append(widths, math.Log(float64(p.High/p.Low)))
	}
	if math.Abs(widths[0]/widths[1]-1) > 0.1 {
		t.Errorf("widths of 4 and 64 nodes: %.2f, as logs", widths)
	}
	d := Data{Of: entry("bcast", ""), Statistic: Slowest}
	for _, ranks := range []int{150, 254} {
		for n := quantity.Bytes(8); n <= 4096; n *= 8 {
			d.Points = append(d.Points, Point{Ranks: ranks, PerNode: 128, Size: n, Time: quantity.Micros(40 + ranks/10), Count: 1})
		}
	}
	d.Of = entry(d.Of.Collective, "binary")
	r, err := Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := r.predict(126, 64); err != nil || p.Value < 5 || p.Value > 60 || p.NoInterval == "" {
		t.Errorf("126 ranks of one node: %+v, %v", p, err)
	}
}

// From 1 and 4 ranks on each of two nodes, 8 have an interval that contains what the schedule
// takes. If 4 were faster than 1, 8 are not taken to be faster still.
func TestMoreRanksOnNodes(t *testing.T) {
	for _, four := range []float64{40, 12} {
		d := Data{Of: entry("allreduce", ""), Statistic: Slowest}
		for perNode, us := range map[int]float64{1: 20, 4: four} {
			for n := quantity.Bytes(8); n <= 4096; n *= 2 {
				d.Points = append(d.Points, Point{Ranks: 2 * perNode, PerNode: perNode, Size: n, Time: quantity.Micros(us), Count: 1})
			}
		}
		r, err := Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.PredictAt(Placement{Ranks: 16, PerNode: 8}, 64)
		if err != nil {
			t.Fatal(err)
		}
		if want := max(four, 50*four/40); p.Value < 0.75*want || !(p.Low < want && want < p.High) {
			t.Errorf("4 a node take %v µs, 8 a node: %+v", four, p)
		}
	}
}

// Two GPUs alone do not show which part of their time is the start of a kernel: most of it is
// assumed to be. A ring of 0.6 µs a step beside 6.6 µs then takes 10.2 µs on 4 GPUs and 15 on 8,
// not three and seven times as long as on 2.
func TestTwoRanksAlone(t *testing.T) {
	ring := func(ranks int) float64 { return 6.6 + 2*0.6*float64(ranks-1) }
	d := Data{Of: entry("allreduce", ""), Statistic: Slowest}
	for n := quantity.Bytes(8); n <= 4096; n *= 8 {
		d.Points = append(d.Points, Point{
			Ranks: 2, PerNode: 8, Size: n, Time: quantity.Micros(ring(2)), Count: 1,
		})
	}
	r, err := Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{4, 8} {
		p, err := r.predict(ranks, 64)
		if e := float64(p.Value)/ring(ranks) - 1; err != nil || math.Abs(e) > 0.3 { // the mean of a ring, a tree and recursive doubling
			t.Errorf("%d GPUs: %v, %v, want %.3g µs", ranks, p.Value, err, ring(ranks))
		}
	}
}

// Up to 8 ranks of unknown placement are taken to be on one node. What a second node costs was not
// measured then, so more ranks have no interval, whether their nodes are named or not.
func TestNoIntervalOnSecondNode(t *testing.T) {
	ring := func(ranks int) float64 { return 6.6 + 2*0.6*float64(ranks-1) }
	d := doublings(t, "allreduce", "ring", ring, 2, 4, 8).Data
	for i := range d.Points {
		d.Points[i].PerNode = 0
	}
	r, err := Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		at   Placement
		want string
	}{
		{Placement{Ranks: 8}, ""},
		{Placement{Ranks: 16}, "more than 8 ranks may take another node"},
		{Placement{Ranks: 16, PerNode: 8}, "only one node was measured"},
		{Placement{Ranks: 64, PerNode: 8}, "only one node was measured"},
	} {
		p, err := r.PredictAt(c.at, 64)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(p.NoInterval, c.want) || (c.want == "") != (p.NoInterval == "") {
			t.Errorf("%+v: %q, want %q", c.at, p.NoInterval, c.want)
		}
	}
}

// Three runs that differ by 20 % make an interval beyond them wider than three that do not differ.
func TestRunsWidenIntervals(t *testing.T) {
	var widths []float64
	for _, apart := range []float64{0, 0.2} {
		d := Data{Of: entry("allreduce", "ring"), Statistic: Slowest}
		for _, ranks := range []int{4, 8, 16} {
			for run := -1; run <= 1; run++ {
				for n := quantity.Bytes(8); n <= 4096; n *= 8 {
					us := float64(10*(ranks-1)) * math.Exp(apart*float64(run))
					d.Points = append(d.Points, Point{Ranks: ranks, PerNode: 1, Size: n,
						Time: quantity.Micros(us), Count: 1})
				}
			}
		}
		r, err := Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.predict(32, 64)
		if err != nil {
			t.Fatal(err)
		}
		widths = append(widths, math.Log(float64(p.High/p.Low)))
	}
	// One more run alone differs by 20 %: an interval of less than ± 40 % would miss one in 20.
	if widths[1] < 2*0.4 || widths[0] > 0.7*widths[1] {
		t.Errorf("widths of runs alike and 20 %% apart: %.2f, as logs", widths)
	}
}

// predict returns the time of the next call of n bytes on ranks that are placed as they were
// measured, by [Result.PlacementOf]. The error is that of [Result.PredictAt].
func (r *Result) predict(ranks int, n quantity.Bytes) (Prediction, error) {
	return r.PredictAt(r.PlacementOf(ranks), n)
}
