package calibrate

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Shares are told apart from equal ones, and from none, if the rate of the farther message is at
// least shared times that of the nearer one, and below equal times.
const (
	shared = 0.05
	equal  = 0.9
)

// findShares sets the power of its latency by which a message between hosts has a smaller share of
// what it shares with another one, from a message to the nearest host, alone and beside one to the
// farthest. Until the nearer one has arrived, the other one has sent as much as delays it.
func (c *Calibration) findShares() {
	var times [2]quantity.Micros
	for _, r := range c.Rows {
		if r.Measure == nearFar && r.Pairs <= len(times) {
			times[r.Pairs-1] = r.Time
		}
	}
	var ways []float64 // from the first host: each has the distances to those before it
	for host, at := 1, 0; at < len(c.Distances); host, at = host+1, at+host {
		ways = append(ways, c.Distances[at])
	}
	if times[0] <= 0 || times[1] <= 0 || len(ways) == 0 {
		return
	}
	near, far := slices.Min(ways), slices.Max(ways)
	bytes := float64(times[0]) - 2*near // the time is that of an answer too
	if bytes <= 0 || near <= 0 {
		return
	}
	if rate := float64(times[1]-times[0]) / bytes; rate >= shared && rate < equal {
		c.byLatency = min(math.Log(rate)/math.Log(near/far), 1)
	}
}
