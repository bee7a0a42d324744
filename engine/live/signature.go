package live

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// signatureRepeats is how often each point of a signature is measured, and longest how many messages
// its longest burst has.
const (
	signatureRepeats = 31
	longest          = 1024
)

// Signature measures the LogP signature with computations of deltas µs: the median of each point.
func Signature(r Runner, deltas []float64, credits int) ([]programs.Burst, error) {
	var bursts []programs.Burst
	var intervals [][]quantity.Micros
	for range signatureRepeats {
		result, err := r.Run(Job{Program: "signature", Size: 1, Count: longest, Deltas: deltas, Credits: credits})
		if err != nil {
			return nil, err
		}
		bursts = result.Bursts
		if intervals == nil {
			intervals = make([][]quantity.Micros, len(bursts))
		}
		for i, b := range bursts {
			intervals[i] = append(intervals[i], b.Interval)
		}
	}
	for i := range bursts {
		slices.Sort(intervals[i])
		bursts[i].Interval, _, _ = Median(intervals[i])
	}
	return bursts, nil
}
