package stats

import (
	"math"
	"testing"
)

// The weights returned are those that follow from the fit: here a mean about which distant values
// weigh less.
func TestReweighted(t *testing.T) {
	values := []float64{1, 1.1, 0.9, 1.2, 7}
	mean := func(w []float64) float64 {
		var m Moments
		for i, v := range values {
			m.Add(0, v, w[i])
		}
		return m.Y
	}
	weigh := func(fit float64, w []float64) {
		for i, v := range values {
			w[i] = 1 / (1 + (v-fit)*(v-fit))
		}
	}
	w := []float64{1, 1, 1, 1, 1}
	fit := Reweighted(w, mean, weigh)
	want := make([]float64, len(values))
	weigh(fit, want)
	for i := range w {
		if math.Abs(w[i]/want[i]-1) > 1e-11 {
			t.Errorf("weight %d is %v, want %v", i, w[i], want[i])
		}
	}
	if fit < 1 || fit > 1.3 {
		t.Errorf("the mean is %v: the value 7 counts too much", fit)
	}
}
