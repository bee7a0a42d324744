package simulate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// maxRuns is the maximum number of runs, whose finish times take 80 MB.
const maxRuns = 10_000_000

// Runs runs the schedule n times with different seeds, on all processors, and returns
// when each run was finished, in the order of runs. Run i has a seed that depends on
// Options.Seed and i alone, so the result does not depend on how many processors there are. It
// takes the memory of one run for each of them.
//
// The error is the first one of the runs. Progress, if it is asked for, counts events of all runs.
func (p *Program) Runs(ctx context.Context, o Options, n int) ([]quantity.Micros, error) {
	if n < 1 || n > maxRuns {
		return nil, fmt.Errorf("the number of runs must be 1 to %d (got %d)", maxRuns, n)
	}
	o.Record = false
	finished := make([]quantity.Micros, n)
	var before atomic.Uint64 // events of runs that have ended
	var reports atomic.Bool  // a run, for all
	err := parallel.Each(ctx, n, 0, func(ctx context.Context, i int) error {
		mine := o
		mine.Seed, mine.Progress = seedOf(o.Seed, i), nil
		if o.Progress != nil && reports.CompareAndSwap(false, true) {
			defer reports.Store(false)
			mine.Progress = func(now Progress) {
				now.Events += before.Load()
				now.Total *= uint64(n)
				o.Progress(now)
			}
		}
		r, err := p.Run(ctx, mine)
		if err == nil {
			before.Add(r.Events)
			finished[i], _ = r.Finish()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return finished, nil
}

func seedOf(seed uint64, i int) uint64 {
	r := random(seed ^ uint64(i)*0xA24BAED4963EE407)
	return r.next()
}

// Quantile returns the smallest of the times that at least a fraction q of them does not exceed,
// 0 < q ≤ 1; NaN if there are no times.
func Quantile(times []quantity.Micros, q float64) quantity.Micros {
	if len(times) == 0 {
		return quantity.Micros(math.NaN())
	}
	sorted := slices.Sorted(slices.Values(times))
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}
