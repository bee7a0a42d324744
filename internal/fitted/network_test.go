package fitted

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// lawTime is the time of a tree of NCCL on nodes of 8: a launch of 20 µs, 14 steps of 1 µs inside,
// 2·log₂ nodes of 6 µs between, and 2n bytes, which pass inside and between nodes at once.
func lawTime(nodes, n, step, links float64) float64 {
	const inside = 200e3 // bytes/µs
	rate := inside
	if nodes > 1 {
		rate = min(inside, links)
	}
	return 20 + 14 + 2*step*math.Log2(nodes) + 2*n/rate
}

// Of a law whose network is known, times on another network are inside of their intervals in 90 %
// of draws, and where the network decides, the value is near.
func TestChangedNetwork(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	inside, asked := 0, 0
	for _, by := range []network{{1, 0.5}, {1, 2}, {0.5, 1}} {
		d := Data{Of: entry("allreduce", "double-tree"), Statistic: Average}
		for _, nodes := range []int{1, 2, 4, 8} {
			for n := 1024.; n <= 1<<30; n *= 4 {
				noise := math.Exp(0.01 * random.NormFloat64())
				d.Points = append(d.Points, Point{Ranks: 8 * nodes, PerNode: 8, Count: 1,
					Size: quantity.Bytes(n), Time: quantity.Micros(lawTime(float64(nodes), n, 6, 50e3) * noise)})
			}
		}
		r, err := Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		for _, nodes := range []int{2, 8, 16} {
			for n := 1024.; n <= 1<<30; n *= 8 {
				at := Placement{Ranks: 8 * nodes, PerNode: 8}
				q, err := r.PredictAt(at, quantity.Bytes(n))
				if err != nil {
					t.Fatal(err)
				}
				v, err := r.Changed(q.Interval, at, quantity.Bytes(n), by.step, by.byte)
				if err != nil {
					t.Fatal(err)
				}
				truth := lawTime(float64(nodes), n, 6*by.step, 50e3/by.byte)
				if asked++; v.Low <= truth && truth <= v.High {
					inside++
				}
				if n == 1<<28 && nodes == 8 && math.Abs(v.Value/truth-1) > 0.15 {
					t.Errorf("%v: %.0f B on %d nodes take %.0f µs, and %.0f are predicted", by, n, nodes, truth, v.Value)
				}
			}
		}
	}
	if inside < asked*9/10 {
		t.Errorf("%d of %d times are inside", inside, asked)
	}
}

// Without a node alone, nothing says what is inside.
func TestChangedNeedsOneNode(t *testing.T) {
	d := Data{Of: entry("allreduce", "ring"), Statistic: Average}
	for _, nodes := range []int{2, 4} {
		for n := 1024.; n <= 1<<20; n *= 4 {
			d.Points = append(d.Points, Point{Ranks: 8 * nodes, PerNode: 8, Count: 1,
				Size: quantity.Bytes(n), Time: quantity.Micros(lawTime(float64(nodes), n, 6, 50e3))})
		}
	}
	r, err := Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Changed(quantity.Alone(quantity.Micros(1)), Placement{16, 8}, 1024, 1, 2)
	if err == nil || !strings.Contains(err.Error(), "measure allreduce on one node of 8 ranks") {
		t.Error(err)
	}
}
