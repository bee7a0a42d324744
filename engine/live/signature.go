//go:build linux

package live

import (
	"slices"
	"time"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

const longest = 1024

// Signature measures the LogP signature with computations of deltas µs. Each point is the median
// over 3 to 31 repeats, as many as the budget allows, with its 95 % interval and without the cost
// of the clock.
func Signature(r Runner, deltas []float64, credits int, budget time.Duration) ([]benchfile.Burst, error) {
	start := time.Now()
	var bursts []benchfile.Burst
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
	for i := range bursts {
		slices.Sort(intervals[i])
		b := &bursts[i]
		b.Interval, b.Low, b.High = Median(intervals[i])
	}
	return bursts, nil
}
