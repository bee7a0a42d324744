package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// measured returns curves of a group of pairs of n nodes, each exp(y) times the usual.
func measured(name string, n int, y func(a, b int) float64) (curves []curveSummary) {
	for a := range n {
		for b := a + 1; b < n; b++ {
			v := y(a, b)
			if math.IsNaN(v) {
				continue
			}
			curves = append(curves, curveSummary{
				Group: Group{Benchmark: name, Nodes: 2, Sizes: 2, First: 1 << 20, Last: 1 << 22},
				Nodes: []string{fmt.Sprintf("n%02d", a), fmt.Sprintf("n%02d", b)},
				Tau:   quantity.MicrosPerByte(4e-5 * math.Exp(v)),
			})
		}
	}
	return curves
}

// In 16 groups the same pairs are disturbed, and the same nodes scatter. That is one night's noise
// and not sixteen: of 50 healthy fleets at most 4 have an alarm. At a true rate of 3 % more come in
// 1 of 50 such tests, and the seeds are fixed.
func TestStructuredNoise(t *testing.T) {
	fleets := 50
	if testing.Short() {
		fleets = 10
	}
	const n = 10
	for _, tails := range []Tails{Normal, Heavy, Skew} {
		for what, nodes := range map[string]float64{"pairs": 0, "nodes and pairs": 0.02} {
			alarms := 0
			for s := range fleets {
				r := rand.New(rand.NewPCG(6, uint64(s)))
				u, pair := make([]float64, n), map[[2]int]float64{}
				for a := range u {
					u[a] = nodes * tails.draw(r)
					for b := range a {
						pair[[2]int{b, a}] = 0.02 * tails.draw(r)
					}
				}
				var e fileSummary
				for g := range 16 {
					e.curves = append(e.curves,
						measured(fmt.Sprint("b", g), n, func(a, b int) float64 {
							return u[a] + u[b] + pair[[2]int{a, b}] + 0.005*tails.draw(r)
						})...)
				}
				a, err := report([]fileSummary{e}, nil, Options{})
				if err != nil {
					t.Fatal(err)
				}
				if len(a.Findings) > 0 {
					alarms++
				}
			}
			if alarms > 4 {
				t.Errorf("%s, %s: %d alarms in %d fleets", what, tails, alarms, fleets)
			}
		}
	}
}

// The interval of what is reported as slow is above 0: in a sparse fleet of four partners a node,
// in a full one, and in one of curves without pairs.
func TestIntervalAboveZero(t *testing.T) {
	reported := 0
	for s := range 90 {
		r := rand.New(rand.NewPCG(8, uint64(s)))
		u := make([]float64, 12)
		for a := range u {
			u[a] = 0.003 * Heavy.draw(r)
		}
		u[3] += []float64{0.05, 0.08, 0.15}[s%9/3]
		y := func(a, b int) float64 {
			if s%3 == 0 && (b-a) > 2 && (b-a) < 10 {
				return math.NaN()
			}
			return u[a] + u[b] + 0.01*Heavy.draw(r)
		}
		e := fileSummary{curves: measured("b", len(u), y)}
		if s%3 == 1 {
			for i := range e.curves {
				e.curves[i].Nodes, e.curves[i].Group.Nodes = e.curves[i].Nodes[:1], 1
			}
		}
		a, err := report([]fileSummary{e}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Findings {
			if reported++; !(f.Effect.Low > 0) {
				t.Errorf("%s: %v (%v to %v), q %v", f.subject(), f.Effect.Value, f.Effect.Low, f.Effect.High, f.Q)
			}
		}
	}
	if reported < 20 {
		t.Errorf("%d findings", reported)
	}
}
