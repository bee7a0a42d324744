package table

import (
	"math"
	"testing"
)

// Times that are printed alike are equally fast; little is in percent, much a factor without an
// exponent.
func TestFaster(t *testing.T) {
	for ratio, want := range map[float64]string{
		1: "equally fast", 1.0000048: "equally fast", 1.0076: "0.76 % faster", 1.37: "1.37 × faster", 2: "2 × faster", 1024: "1020 × faster",
		math.Inf(1): "faster",
	} {
		if got := Faster(ratio); got != want {
			t.Errorf("%v: %q, want %q", ratio, got, want)
		}
	}
}
