package whatif

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Which of two next measurements takes less time is what drawing them from their intervals says.
func TestNextFaster(t *testing.T) {
	a, b := Of(sharedtest.Must(t, platforms.Open, "../table/testdata/my.toml")), Of(sharedtest.Must(t, platforms.Open, "../table/testdata/slower.toml"))
	sizes := []quantity.Bytes{100, 4096, 50000, 4 << 20}
	got, err := nextFaster(a, b, sizes, Sampling{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := nextFaster(b, a, sizes, Sampling{})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 0))
	draw := func(f *forecast.Forecast) float64 {
		z := random.NormFloat64() / 1.959964
		if z < 0 {
			return f.Value * math.Pow(f.Value/f.Low, z)
		}
		return f.Value * math.Pow(f.High/f.Value, z)
	}
	for i, n := range sizes {
		const draws = 20000
		faster := 0
		for range draws {
			if draw(a.Forecast(n)) < draw(b.Forecast(n)) {
				faster++
			}
		}
		// The standard error of a share is at most √(1/4/20000) = 0.0035, four of them 0.014; the
		// sides of an interval differ by little, which the formula neglects in part.
		if part := float64(faster) / draws; math.Abs(got[i]-part) > 0.02 {
			t.Errorf("%s: %v, drawn %v", n, got[i], part)
		}
		if math.Abs(got[i]+back[i]-1) > 1e-12 || got[i] <= 0.5 {
			t.Errorf("%s: %v that the faster one is, %v that the other", n, got[i], back[i])
		}
	}
}

// Which of two calls takes less time follows from the intervals of their parameters, with Φ(Δ/σ), or
// from those of the next call if both are predicted from measurements. A changed call errs as the
// one before does, so that there is no probability.
func TestFasterCall(t *testing.T) {
	call := func(d Design, within float64) Design {
		c := study.Call{Name: study.Finish, Of: "a call", Run: func(c platforms.Costs, _ bool) (study.Finished, error) {
			return study.Finished{Time: c.Layer.OneWay(1)}, nil
		}}
		if within > 0 {
			c.Within = func(_ platforms.Costs, v float64) quantity.Interval {
				return quantity.Interval{Value: v, Low: v / within, High: v * within}
			}
		}
		return Of(d.Design, c)
	}
	line := func(name, beta string) Design {
		return design(t, name, "model = \"linear\"\nbeta = \""+beta+"\"\ntau = \"0us/KiB\"")
	}
	ask := func(a, b Design) *Uncertainty {
		u, err := predictBoth(b, a)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	a, b := line("a", "10us ± 1.959964us"), line("b", "11us ± 1.959964us")
	want := 0.5 * math.Erfc(-1/math.Sqrt2/math.Sqrt2) // σ = √2 µs, Δ = 1 µs
	u := ask(call(a, 0), call(b, 0))
	if len(u.Faster) != 1 || math.Abs(u.Faster[0]-want) > 0.04 || u.Measured || !u.Sampled {
		t.Errorf("by parameters: %+v, want %v", u.Faster, want)
	}
	// ln(11/10) over √2 standard deviations of ln(1.2)/1.96.
	want = 0.5 * math.Erfc(-math.Log(1.1)/(math.Log(1.2)/1.959964)/2)
	u = ask(call(a, 1.2), call(b, 1.2))
	if len(u.Faster) != 1 || math.Abs(u.Faster[0]-want) > 0.002 || !u.Measured || u.Sampled {
		t.Errorf("by measurements: %+v, want %v", u.Faster, want)
	}
	before := call(a, 1.2)
	after, err := before.Set("beta=9us")
	if err != nil {
		t.Fatal(err)
	}
	u, err = predictBoth(before, after)
	if err != nil || u.Faster != nil {
		t.Errorf("a change: %+v, %v", u, err)
	}
}
