package calibrate

import (
	"fmt"
	"math"
	"testing"
)

// A message to the nearest of six hosts on a line takes longer beside one to the farthest, five
// times as far, by what that sends meanwhile: as much with equal shares, a fifth where shares follow
// the latency, and nothing if they share no link.
func TestSharesByLatency(t *testing.T) {
	for _, test := range []struct{ sent, want float64 }{{1, 0}, {0.2, 1}, {0.447, 0.5}, {0, 0}} {
		text := calibrationOf(6, func(i, j int) float64 { return math.Abs(float64(i - j)) },
			func(int) float64 { return 100 })
		const bytes = 1000.
		for pairs, time := range []float64{bytes + 2, bytes + 2 + test.sent*bytes} {
			text += fmt.Sprintf("near_far,cluster,in,%d,1048576,0,1,9,%[2]g,%[2]g,%[2]g,%[2]g,%[2]g,"+
				"%[2]g,0\n", pairs+1, time)
		}
		c := calibration(t, text)
		if got := c.messages(0).ByLatency; math.Abs(got-test.want) > 0.01 {
			t.Errorf("the far one sends %v: by_latency %.3f, want %v", test.sent, got, test.want)
		}
	}
}
