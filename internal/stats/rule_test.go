package stats

import "testing"

// The differences 1, 2, 3 have the mean 2 and the standard error 1/√3; −1, 0, 2 have 1/3 and 0.88.
func TestAsGood(t *testing.T) {
	zero := []float64{0, 0, 0}
	for _, c := range []struct {
		errors []float64
		want   bool
	}{{[]float64{1, 2, 3}, false}, {[]float64{-1, 0, 2}, true}, {[]float64{-1, -2, -3}, true}, {zero, true}} {
		if got := AsGood(c.errors, zero); got != c.want {
			t.Errorf("%v: %v, want %v", c.errors, got, c.want)
		}
	}
	if AsGood([]float64{1}, []float64{0}) || !AsGood([]float64{1}, []float64{1}) {
		t.Error("of one pair, the smaller error is better")
	}
}
