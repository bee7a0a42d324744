package whatif

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Crossings of two that cost nearly the same are one sentence; a crossing alone has its size.
func TestNearCrossingsAreOneSentence(t *testing.T) {
	c := &Crossover{}
	for i, n := range []quantity.Bytes{100, 700, 20000, 50000} {
		o := Overtaking{Below: "a", Beyond: "b", Probability: math.NaN(), Interval: quantity.Alone(n),
			Crossing: model.Crossing{Size: n, Near: quantity.Interval{Value: float64(n), Low: 1, High: 1 << 20}}}
		if i%2 == 1 {
			o.Below, o.Beyond = "b", "a"
		}
		c.Overtakings = append(c.Overtakings, o)
	}
	if got, want := strings.Join(c.Sentences(), "|"), "a and b are within 5 % of each other from 1 B to 1 MiB, and cross there 4 times; a is faster beyond."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.Overtakings = c.Overtakings[:1]
	if got, want := strings.Join(c.Sentences(), "|"), "a is faster up to 100 B, b beyond; within 5 % of each other from 1 B to 1 MiB."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
