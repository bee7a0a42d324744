package fitted

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

var (
	someRanks = []int{2, 3, 4, 8, 12, 32}
	someSizes = []quantity.Bytes{1 << 10, 8 << 10, 64 << 10, 1 << 20}
)

// synthetic is what an algorithm's schedule takes at α + nβ, with base, and with noise of so much.
func synthetic(t *testing.T, e engine.Entry, of Statistic, base, alpha, beta, noise float64, random *rand.Rand) Data {
	t.Helper()
	m, err := simulate.FromLayer(platforms.Layer{Model: &model.Linear{Beta: quantity.Micros(alpha), Tau: quantity.MicrosPerByte(beta)}}, simulate.NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	d := Data{Of: entry(e.Collective, ""), Statistic: of}
	for _, p := range someRanks {
		for _, n := range someSizes {
			s, err := e.Schedule(p, engine.Call{Bytes: uint64(n)})
			if err != nil {
				t.Fatal(err)
			}
			program, err := simulate.New(s)
			if err != nil {
				t.Fatal(err)
			}
			r, err := program.Run(context.Background(), simulate.Setup{Machine: m})
			if err != nil {
				t.Fatal(err)
			}
			last, _ := r.Finish()
			time := float64(last)
			if of == Average {
				time = 0
				for _, ticks := range r.Ranks {
					time += float64(r.Micros(ticks)) / float64(p)
				}
			}
			time = (base + time) * math.Exp(noise*random.NormFloat64())
			d.Points = append(d.Points, Point{Ranks: p, Size: n, Time: quantity.Micros(time), Count: 1})
		}
	}
	return d
}

// The parameters of a form that is made from a schedule are those that the schedule was simulated
// with, for each algorithm that has a message, on 2 to 32 ranks with 1 % of noise. Those
// that libraries cut into segments are left out, and bounds, which no library runs.
func TestFindsParameters(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	const base, alpha, beta, noise = 2, 3, 0.001, 0.01
	random := rand.New(rand.NewPCG(1, 2))
	tested := 0
	for _, e := range engine.Algorithms {
		if _, cut := segmented[e.Name]; cut || e.Ranks != 0 || e.Params&engine.Shape != 0 || e.Bound || e.Collective == "barrier" {
			continue
		}
		tested++
		for _, of := range Statistics {
			d := synthetic(t, e, of, base, alpha, beta, noise, random)
			d.Of = entry(d.Of.Collective, e.Name)
			r, err := Fit(d)
			if err != nil {
				t.Errorf("%s %s: %v", e.Collective, e.Name, err)
				continue
			}
			p := r.Parameters()[0]
			tolerance := 0.15 // noise: steps that change little with the ranks are told badly from the base
			if !additive(t, e, of, alpha, beta) {
				tolerance = 0.2 // the longest path is another one for α than for β
			}
			off := max(math.Abs(float64(p.Between.Value)/alpha-1), math.Abs(float64(p.Beta.Value)/beta-1))
			if !(off <= tolerance) {
				t.Errorf("%s %s, %s: base %.3g, α %.3g, β %.3g, median error %.3f", e.Collective, e.Name, of,
					float64(p.Base.Value), float64(p.Between.Value), float64(p.Beta.Value), p.Median)
			}
		}
	}
	if tested < 10 {
		t.Errorf("only %d algorithms were tested", tested)
	}
}

// additive says whether the times of the schedule are the sum of those of α and of β, within 1 %.
func additive(t *testing.T, e engine.Entry, of Statistic, alpha, beta float64) bool {
	for _, p := range synthetic(t, e, of, 0, alpha, beta, 0, rand.New(rand.NewPCG(0, 0))).Points {
		s := formNamed(t, e.Collective, e.Name, of).shape(p.Ranks)
		if sum := s.steps*alpha + float64(p.Size)*s.volume*beta; math.Abs(sum/float64(p.Time)-1) > 0.01 {
			return false
		}
	}
	return true
}

// The 95 % intervals hold: of the parameters, and of one more measurement between the ranks and
// sizes that were measured, and beyond, of 100 runs with 5 % of noise.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	const base, alpha, beta, noise, runs = 2, 3, 0.001, 0.05, 100
	random := rand.New(rand.NewPCG(3, 4))
	e, err := engine.Find("bcast", "binomial")
	if err != nil {
		t.Fatal(err)
	}
	exact := synthetic(t, e, Slowest, base, alpha, beta, 0, random)
	var held [3]float64
	var inside [2]float64
	for run := range runs {
		d := exact
		d.Points = slices.Clone(d.Points)
		for i := range d.Points {
			d.Points[i].PerNode = 1
			d.Points[i].Time *= quantity.Micros(math.Exp(noise * random.NormFloat64()))
		}
		d.Of = entry(d.Of.Collective, "binomial")
		r, err := Fit(d)
		if err != nil {
			t.Fatal(err)
		}
		g := r.Parameters()[0]
		for i, in := range []bool{
			float64(g.Base.Low) <= base && base <= float64(g.Base.High),
			float64(g.Between.Low) <= alpha && alpha <= float64(g.Between.High),
			float64(g.Beta.Low) <= beta && beta <= float64(g.Beta.High),
		} {
			if in {
				held[i] += 1. / runs
			}
		}
		const few = runs / 2 // learning takes longer
		if run >= few {
			continue
		}
		for i, c := range []struct {
			ranks int
			n     float64
		}{{10, 2 << 10}, {128, 64 << 10}, {28, 512 << 10}, {20, 4 << 20}} {
			p, err := r.predict(c.ranks, quantity.Bytes(c.n))
			if err != nil {
				t.Fatal(err)
			}
			time := (base + math.Ceil(math.Log2(float64(c.ranks)))*(alpha+beta*c.n)) * math.Exp(noise*random.NormFloat64())
			if float64(p.Low) <= time && time <= float64(p.High) {
				inside[i%2] += 1. / few / 2
			}
		}
	}
	t.Logf("base, α, β %.3f; predictions between and beyond %.3f", held, inside)
	for i, name := range []string{"base", "α", "β"} {
		if held[i] < 0.91 { // 95 % less what the choice of weights costs
			t.Errorf("the intervals of %s hold it in %.1f %%", name, 100*held[i])
		}
	}
	if inside[0] < 0.9 || inside[1] < 0.9 { // 2.3 standard deviations of 100
		t.Errorf("predictions hold in %.3f", inside)
	}
}
