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
	Map   string // how its ranks were placed: see [machine.Machine.Place]
	Times        // NaN is what was not measured
}

// A Set is points made ready to be predicted again and again, which takes about 100 B for each
// message of their loops.
type Set struct {
	Points []Point
	loops  []*Loop
}

// NewSet makes points ready. The errors are those of calls that the algorithm does not take.
func NewSet(points []Point) (*Set, error) {
	s := &Set{points, make([]*Loop, len(points))}
	for i, p := range points {
		var err error
		if s.loops[i], err = p.loop(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Predict is what the benchmark prints for each point, on all processors. The errors are a machine
// that is none or has too few cores, and that of the context.
func (s *Set) Predict(ctx context.Context, m machine.Machine) ([]Times, error) {
	times := make([]Times, len(s.Points))
	return times, parallel.Each(ctx, len(s.Points), maxWorkers, func(ctx context.Context, i int) (err error) {
		times[i], err = s.loops[i].on(ctx, m, s.Points[i])
		return err
	})
}

// Predict is what the benchmark prints for each point on each of the machines, by machine. The
// errors are those of [NewSet] and [Set.Predict].
func Predict(ctx context.Context, points []Point, machines ...machine.Machine) ([][]Times, error) {
	times := make([][]Times, len(machines))
	for i := range times {
		times[i] = make([]Times, len(points))
	}
	return times, parallel.Each(ctx, len(points), maxWorkers, func(ctx context.Context, i int) error {
		l, err := points[i].loop()
		for j, m := range machines {
			if err == nil {
				times[j][i], err = l.on(ctx, m, points[i])
			}
		}
		return err
	})
}

// loop is the loop of the point.
func (p Point) loop() (*Loop, error) {
	l, err := NewLoop(p.Entry, p.Ranks, p.Call)
	if err != nil {
		return nil, fmt.Errorf("%s of %d B among %d ranks: %w", p.Name, p.Call.Bytes, p.Ranks, err)
	}
	return l, nil
}

// on runs the loop of a point on a machine.
func (l *Loop) on(ctx context.Context, m machine.Machine, p Point) (Times, error) {
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

// maxWorkers bounds the loops that run at a time: each takes the memory of a schedule.
const maxWorkers = 8
