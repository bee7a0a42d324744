//go:build linux

package live

import (
	"slices"
	"time"

	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// longest is how many messages the longest burst of a signature has.
const longest = 1024

// A Burst is a point of a signature with the 95 % interval of its median.
type Burst struct {
	programs.Burst
	Low, High quantity.Micros
}

// Signature measures the LogP signature with computations of deltas µs: the median of each point over 3 to
// 31 repeats, as many as the budget allows, without the cost of the clock.
func Signature(r Runner, deltas []float64, credits int, budget time.Duration) ([]Burst, error) {
	start := time.Now()
	var bursts []programs.Burst
	var intervals [][]quantity.Micros
	for i := 0; i < 3 || i < 31 && time.Since(start) < budget; i++ {
		result, err := r.Run(Job{Program: "signature", Size: 1, Count: longest, Deltas: deltas, Credits: credits})
		if err != nil {
			return nil, err
		}
		bursts = result.Bursts
		if intervals == nil {
			intervals = make([][]quantity.Micros, len(bursts))
		}
		for i, b := range bursts {
			intervals[i] = append(intervals[i], max(0, b.Interval-clockCost()/quantity.Micros(b.Messages)))
		}
	}
	points := make([]Burst, len(bursts))
	for i, b := range bursts {
		slices.Sort(intervals[i])
		points[i].Burst = b
		points[i].Interval, points[i].Low, points[i].High = Median(intervals[i])
	}
	return points, nil
}
