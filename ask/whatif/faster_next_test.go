package whatif

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Which of two next measurements takes less time is what drawing them from their intervals says.
func TestNextFaster(t *testing.T) {
	a, b := Of(sharedtest.Must(t, platforms.Open, "../../internal/reports/testdata/my.toml")), Of(sharedtest.Must(t, platforms.Open, "../../internal/reports/testdata/slower.toml"))
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
