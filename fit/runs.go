package fit

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Runs merges tables that are runs of one measurement and of one kind. Each size that all tables
// have gets one sample, with the mean of the runs and their scatter.
func Runs(tables ...*benchfile.Table) (*benchfile.Table, error) {
	if len(tables) == 0 {
		return nil, fmt.Errorf("%w: no runs", ErrNoData)
	}
	all := *tables[0]
	all.Samples, all.Rows = nil, 0
	for _, t := range tables {
		if t.Kind != all.Kind {
			return nil, fmt.Errorf("%s and %s are not runs of one measurement: a %v and a %v", all.Name(), t.Name(), all.Kind, t.Kind)
		}
		all.Quantum = max(all.Quantum, t.Quantum)
		all.Rows += t.Rows
	}
	bySize := map[quantity.Bytes][]benchfile.Sample{}
	for _, t := range tables {
		for _, s := range t.Samples {
			bySize[s.Size] = append(bySize[s.Size], s)
		}
	}
	for _, first := range tables[0].Samples {
		runs := bySize[first.Size]
		if len(runs) < len(tables) {
			continue
		}
		s := first
		s.Count, s.Mean, s.Variance, s.Median = int64(len(runs)), 0, 0, 0
		for _, r := range runs {
			s.Mean += r.Mean / quantity.Micros(len(runs))
			s.Min, s.Max = min(s.Min, r.Min), max(s.Max, r.Max)
		}
		for _, r := range runs {
			s.Variance += math.Pow(float64(r.Mean-s.Mean), 2) / math.Max(1, float64(len(runs)-1))
		}
		all.Samples = append(all.Samples, s)
	}
	if len(all.Samples) == 0 {
		return nil, fmt.Errorf("%w: the %d runs have no size in common", ErrNoData, len(tables))
	}
	return &all, nil
}
