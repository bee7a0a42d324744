package program

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// The squares of the logarithms of both steps add.
func TestRatioWithin(t *testing.T) {
	const rounding = 1e-12
	step := quantity.Interval{Value: 100, Low: 100 / 1.1, High: 100 * 1.1}
	exact := quantity.Interval{Value: 50, Low: 50, High: 50}
	if in := ratioWithin(step, exact); math.Abs(in.Low-2/1.1) > rounding ||
		math.Abs(in.High-2.2) > rounding {
		t.Errorf("with an exact step: %v", in)
	}
	both := ratioWithin(step, step)
	if off := math.Log(both.High); math.Abs(off-math.Sqrt2*math.Log(1.1)) > rounding ||
		math.Abs(both.Low*both.High-1) > rounding {
		t.Errorf("of two steps that are 10 %% off: %v", both)
	}
}
