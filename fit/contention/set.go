package contention

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/model/machine"
)

// A Point is a measured collective.
type Point struct {
	collective.Entry
	Ranks int
	Call  collective.Call
	Map   string // placement of the ranks: see [machine.Machine.Place]
	Times        // NaN if not measured
}

// A Set holds points with their loops, for repeated predictions. It takes about 100 B of memory for
// each message of the loops.
type Set struct {
	Points []Point
	loops  []*Loop
}

// NewSet prepares points. It returns an error if an algorithm does not support a point's call.
func NewSet(points []Point) (*Set, error) {
	s := &Set{points, make([]*Loop, len(points))}
	for i, p := range points {
		var err error
		if s.loops[i], err = NewLoop(p.Entry, p.Ranks, p.Call); err != nil {
			return nil, fmt.Errorf("%s of %d B among %d ranks: %w", p.Name, p.Call.Bytes, p.Ranks, err)
		}
	}
	return s, nil
}

// Predict returns the times that the benchmark would print for each point on machine m. Points are
// simulated in parallel. It returns an error if m is invalid or has too few cores, or ctx ends.
func (s *Set) Predict(ctx context.Context, m machine.Machine) ([]Times, error) {
	times := make([]Times, len(s.Points))
	return times, parallel.Each(ctx, len(s.Points), maxWorkers, func(ctx context.Context, i int) (err error) {
		times[i], err = s.loops[i].runPoint(ctx, m, s.Points[i])
		return err
	})
}

// runPoint places the ranks of point p on machine m and runs the loop.
func (l *Loop) runPoint(ctx context.Context, m machine.Machine, p Point) (Times, error) {
	places, err := m.Place(p.Map, p.Ranks)
	if err != nil {
		return Times{}, err
	}
	on, err := simulate.FromMachine(m, places, simulate.NoLimit)
	if err != nil {
		return Times{}, err
	}
	return l.Run(ctx, on)
}

// maxWorkers limits the loops that run in parallel, because each needs memory for its schedule.
const maxWorkers = 8
