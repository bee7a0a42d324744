package fitted

import (
	"math"
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
