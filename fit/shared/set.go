package shared

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
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

// A Set is points made ready to be predicted again and again, which takes about 400 B for each message of
// their loops.
type Set struct {
	Points []Point
	loops  []*Loop
}

// NewSet makes points ready. The errors are those of calls that the algorithm does not take.
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

// Predict is what the benchmark prints for each point, on all processors. The errors are a machine
// that is none or has too few cores, and that of the context.
func (s *Set) Predict(ctx context.Context, m machine.Machine) ([]Times, error) {
	times := make([]Times, len(s.Points))
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var workers sync.WaitGroup
	next := make(chan int)
	for range min(runtime.GOMAXPROCS(0), 8) {
		workers.Go(func() {
			for i := range next {
				on, err := placed(m, s.Points[i])
				if err == nil {
					times[i], err = s.loops[i].Run(ctx, on)
				}
				if err != nil {
					stop(err)
				}
			}
		})
	}
	for i := range s.Points {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	return times, context.Cause(ctx)
}

func placed(m machine.Machine, p Point) (simulate.Machine, error) {
	places, err := m.Place(p.Map, p.Ranks)
	if err != nil {
		return nil, err
	}
	return simulate.FromMachine(m, places, simulate.NoLimit)
}
