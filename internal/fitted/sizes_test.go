package fitted

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// linear is the time in µs of recursive doubling in steps of 5 µs and 1 ns/B.
func linear(ranks int, n quantity.Bytes) quantity.Micros {
	return quantity.Micros(math.Log2(float64(ranks)) * (5 + float64(n)/1000))
}

// Steps and bytes of recursive doubling grow alike with the ranks, so only sizes separate them. At
// 64 KiB a step is 7 % of the time, and at 8 KiB 38 %: a third of the prediction follows the line,
// and the interval holds the time. At sizes of 1 KiB and less the times are nearly constant, and at
// 8 KiB bytes are half of them.
func TestBeyondMeasuredSizes(t *testing.T) {
	for _, c := range []struct{ from, to, asked quantity.Bytes }{
		{64 << 10, 8 << 20, 8 << 10},
		{8, 1 << 10, 4 << 10},
	} {
		d := Data{Of: entry("allreduce", ""), Statistic: Slowest}
		for _, ranks := range []int{4, 8, 16} {
			for n := c.from; n <= c.to; n *= 2 {
				d.Points = append(d.Points, Point{Ranks: ranks, PerNode: 1, Size: n, Time: linear(ranks, n), Count: 1})
			}
		}
		d.Of = entry(d.Of.Collective, "recursive-doubling")
		r, err := Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, ranks := range []int{8, 32} {
			p, err := r.predict(ranks, c.asked)
			want := float64(linear(ranks, c.asked))
			if err != nil || !(p.Low <= want && want <= p.High) || math.Abs(p.Value/want-1) > 0.3 {
				t.Errorf("%v on %d ranks: %v in %v to %v, %v; want %v", c.asked, ranks, p.Value, p.Low, p.High, err, want)
			}
		}
	}
}

// One size shows no slope. A message much larger than halfSize takes its time for bytes, and one
// much smaller takes it for steps.
func TestBeyondOneSize(t *testing.T) {
	for _, c := range []struct {
		measured, asked quantity.Bytes
		factor          float64
	}{
		{512 << 20, 64 << 20, 0.125},
		{64, 8, 1},
		{8, 64, 1},
	} {
		d := Data{Of: entry("allreduce", ""), Statistic: Slowest}
		for _, ranks := range []int{8, 64} {
			d.Points = append(d.Points, Point{Ranks: ranks, PerNode: 1, Size: c.measured, Time: 100, Count: 1})
		}
		r, err := Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.predict(8, c.asked)
		if err != nil || math.Abs(p.Value/(100*c.factor)-1) > 0.015 {
			t.Errorf("%v from %v: %v, %v; want %v µs", c.asked, c.measured, p.Value, err, 100*c.factor)
		}
	}
}

// Calls that jump by more than in proportion to their size on eight nodes, and not on two, are of a
// library that changes its algorithm, as ABCI's Open MPI does: it is named, and from this size on
// intervals on more nodes are wider. A protocol that changes on all nodes alike, and one disturbed
// call, are no such change.
func TestLibraryChanges(t *testing.T) {
	const at = 16 << 10
	fit := func(slower func(nodes int, n quantity.Bytes) float64) *Result {
		d := Data{Of: entry("allreduce", ""), Statistic: Slowest}
		for _, nodes := range []int{2, 8} {
			for n := quantity.Bytes(64); n <= 1<<20; n *= 2 {
				us := math.Log2(float64(nodes)) * (5 + 2e-3*float64(n)) * slower(nodes, n)
				d.Points = append(d.Points, Point{Ranks: nodes, PerNode: 1, Size: n,
					Time: quantity.Micros(us), Count: 1})
			}
		}
		r, err := Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	kinds := map[string]func(nodes int, n quantity.Bytes) float64{
		"none": func(int, quantity.Bytes) float64 { return 1 },
		"on all nodes": func(_ int, n quantity.Bytes) float64 {
			return map[bool]float64{true: 1.5, false: 1}[n >= at]
		},
		"one disturbed call": func(nodes int, n quantity.Bytes) float64 {
			return map[bool]float64{true: 3, false: 1}[nodes == 8 && n == at]
		},
		"on eight nodes": func(nodes int, n quantity.Bytes) float64 {
			return map[bool]float64{true: 1.6, false: 1}[nodes == 8 && n >= at]
		},
	}
	up := map[string]float64{}
	for kind, slower := range kinds {
		r := fit(slower)
		changes := kind == "on eight nodes"
		if named := strings.Contains(r.Accuracy(), quantity.Bytes(at).String()); named != changes {
			t.Errorf("%s: %q", kind, r.Accuracy())
		}
		p, err := r.predict(32, 64<<10)
		if err != nil {
			t.Fatal(err)
		}
		up[kind] = math.Log(p.High / p.Value)
	}
	if up["on eight nodes"] < 1.3*up["on all nodes"] {
		t.Errorf("upper half widths: %v", up)
	}
}
