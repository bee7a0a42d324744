package fitted

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Errors count by places that were held out of a fit, not by calls, and over the octaves to the fit:
// two calls of one place with errors of 0.2 and 0.4 have (0.04 + 0.16)/2 = 0.1, a call of another
// that is two octaves away has 0.01 over 2.
func TestSquares(t *testing.T) {
	near, far := place{8, 8}, place{32, 32}
	h := backTest{calls: []heldOut{
		{place: near, total: 3, octaves: 1, own: 0.2}, {place: near, total: 3, octaves: 1, own: -0.4},
		{place: far, total: 3, octaves: 2, own: 0.1},
	}}
	if sum, places := h.squares(3); math.Abs(sum-0.105) > 1e-12 || places != 2 {
		t.Errorf("%v at %v places, want 0.105 at 2", sum, places)
	}
}

// A single job a number of nodes has no repeats, but from four numbers the held-out ones show how
// much jobs differ: on a network whose jobs differ by 20 % intervals are wider than on a quiet one,
// in the mean over ten of each.
func TestHeldOutPlacesShowJobs(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	width := func(deviation float64) (mean float64) {
		const networks = 10
		for range networks {
			d := Data{Of: entry("allreduce", "ring"), Statistic: Slowest}
			for nodes := 4; nodes <= 32; nodes *= 2 {
				job := math.Exp(deviation * random.NormFloat64())
				for n := 256; n <= 1<<20; n *= 4 {
					p := float64(nodes)
					time := job * (2*(p-1)*5 + 2*float64(n)*(p-1)/p*1e-3)
					d.Points = append(d.Points, Point{Ranks: nodes, PerNode: 1,
						Size: quantity.Bytes(n), Time: quantity.Micros(time), Count: 1})
				}
			}
			r, err := Fit(d)
			if err != nil {
				t.Fatal(err)
			}
			q, err := r.predict(64, 4096)
			if err != nil {
				t.Fatal(err)
			}
			mean += math.Log(float64(q.High/q.Low)) / networks
		}
		return mean
	}
	quiet, shared := width(0.01), width(0.2)
	if t.Logf("%.2f and %.2f ×", math.Exp(quiet), math.Exp(shared)); shared < 1.5*quiet {
		t.Errorf("intervals are %.2f × wide on a quiet network and %.2f × on a shared one",
			math.Exp(quiet), math.Exp(shared))
	}
}

// Of two numbers of nodes, the second shows whether steps alone predict a machine: where it takes
// what the first foresees, intervals beyond are narrower than where it takes 1.5 times as long,
// though the same form describes both after the fit.
func TestSecondPlaceShowsTheMachine(t *testing.T) {
	width := func(second float64) float64 {
		d := Data{Of: entry("allreduce", "ring"), Statistic: Slowest}
		for _, nodes := range []int{4, 8} {
			for n := 256; n <= 1<<20; n *= 4 {
				p := float64(nodes)
				time := 2*p*5 + 2*float64(n)*(p-1)/p*1e-3 // one step for the base
				if nodes == 8 {
					time *= second
				}
				d.Points = append(d.Points, Point{Ranks: nodes, PerNode: 1,
					Size: quantity.Bytes(n), Time: quantity.Micros(time), Count: 1})
			}
		}
		r, err := Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		q, err := r.predict(16, 1024)
		if err != nil {
			t.Fatal(err)
		}
		return math.Log(float64(q.High / q.Low))
	}
	regular, other := width(1), width(1.5)
	t.Logf("%.2f and %.2f ×", math.Exp(regular), math.Exp(other))
	if other < 1.25*regular {
		t.Errorf("intervals are %.2f and %.2f × wide", math.Exp(regular), math.Exp(other))
	}
}
