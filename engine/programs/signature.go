package programs

import (
	"fmt"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Signature measures the LogP signature [hplam, §4.2; figure 4.1]: node 0 issues bursts of requests
// to node 1, one burst for each number of messages and each Δ. The clock of a burst stops when its
// last request is issued, whether or not the reply has arrived. All replies arrive before the next
// burst.
func Signature(ep *engine.Endpoint, messages []int, deltas []quantity.Micros) (bursts []benchfile.Burst, err error) {
	take := ep.Handle(func(*engine.Message) {})
	if ep.Node() != 0 {
		return nil, nil
	}
	for _, delta := range deltas {
		for _, count := range messages {
			if count < 1 {
				return nil, fmt.Errorf("a burst must have at least 1 message (got %d)", count)
			}
			start := ep.Now()
			for range count {
				if err := ep.Request(1, take); err != nil {
					return nil, err
				}
				ep.Compute(delta)
			}
			bursts = append(bursts, benchfile.Burst{Messages: count, Delta: delta, Interval: per(ep, start, count)})
			if err := ep.Flush(); err != nil {
				return nil, err
			}
		}
	}
	return bursts, nil
}
