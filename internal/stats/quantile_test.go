package stats

import (
	"math"
	"testing"
)

// The values of R's quantile(c(1, 2, 4, 8), p, type = 7), and what has no room to interpolate.
func TestQuantile(t *testing.T) {
	for p, want := range map[float64]float64{0: 1, 0.25: 1.75, 0.5: 3, 0.9: 6.8, 1: 8} {
		if got := QuantileOf([]float64{8, 1, 4, 2}, p); math.Abs(got-want) > 1e-15*want {
			t.Errorf("at %v: %v, want %v", p, got, want)
		}
	}
	if got := Quantile([]float64{3}, 0.7); got != 3 {
		t.Error(got)
	}
	if got := Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Error(got)
	}
}
