package stats

import (
	"math"
	"testing"
)

// Table of the percentage points of the t-distribution (Abramowitz and Stegun, table 26.10, to the
// three digits that it prints).
func TestT(t *testing.T) {
	for dof, want := range map[float64]float64{0.5: 12.706, 1: 12.706, 2: 4.303, 3: 3.182, 5: 2.571, 10: 2.228, 30: 2.042, 120: 1.980, 1e9: 1.960} {
		if got := T95(dof); math.Abs(got-want) > 5.1e-4 {
			t.Errorf("T95(%v) = %.4f, want %.3f", dof, got, want)
		}
	}
	// Between whole numbers it falls.
	before := math.Inf(1)
	for dof := 1.0; dof < 40; dof += 0.3 {
		if now := T95(dof); now >= before {
			t.Errorf("T95(%v) = %v, T95(%v) = %v", dof, now, dof-0.3, before)
		} else {
			before = now
		}
	}
}

func BenchmarkT(b *testing.B) {
	for b.Loop() {
		T95(3.7)
	}
}
