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

// An interval is wide if a side is beyond that of measured programs; one without an upper end has a
// lower factor alone.
func TestWideInterval(t *testing.T) {
	for _, c := range []struct {
		quantity.Interval
		wide bool
		text string
	}{
		{quantity.Interval{Value: 100, Low: 88, High: 135}, false, "0.88 to 1.35 times"},
		{quantity.Interval{Value: 100, Low: 87, High: 110}, true, "0.87 to 1.1 times"},
		{quantity.Interval{Value: 100, Low: 95, High: 400}, true, "0.95 to 4 times"},
		{quantity.Interval{Value: 100, Low: 50, High: math.Inf(1)}, true, "at least 0.5 times"},
		{quantity.Interval{}, false, ""},
		{quantity.Alone(100.), false, ""},
	} {
		if isWide(c.Interval) != c.wide {
			t.Errorf("%v: wide is %v", c.Interval, !c.wide)
		}
		if c.text != "" && timesOf(c.Interval) != c.text {
			t.Errorf("%v: %q, want %q", c.Interval, timesOf(c.Interval), c.text)
		}
	}
}
