package stats

import (
	"math"
	"testing"
)

func TestNonNegative(t *testing.T) {
	for _, c := range []struct {
		name             string
		x, y, w          []float64
		intercept, slope float64
	}{
		{"inside the bounds", []float64{1, 2, 4}, []float64{3, 5, 9}, []float64{1, 2, 3}, 1, 2},
		{"one x", []float64{3, 3}, []float64{1, 2}, []float64{1, 3}, 1.75, 0},
		{"falling: the weighted mean", []float64{1, 2}, []float64{4, 1}, []float64{1, 2}, 2, 0},
		{"below zero at 0: through the origin", []float64{1, 2}, []float64{1, 5}, []float64{2, 1}, 0, 2},
	} {
		var m Moments
		for i, x := range c.x {
			m.Add(x, c.y[i], c.w[i])
		}
		intercept, slope := m.NonNegative()
		if math.Abs(intercept-c.intercept) > 1e-12 || math.Abs(slope-c.slope) > 1e-12 {
			t.Errorf("%s: %v + %v x, want %v + %v x", c.name, intercept, slope, c.intercept, c.slope)
		}
	}
}
