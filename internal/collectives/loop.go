package collectives

import (
	"context"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// warmCalls is the number of calls before the timed one. On the machine of the tests the third
// call takes as long as the ninth inside a node, to 0.01 %. On two nodes, whose NICs still carry
// messages of earlier calls, it may differ by up to half.
const warmCalls = 2

// loop times a cell as OSU's benchmarks do: in a loop of barriers and calls, where each rank
// counts the time from when it leaves the barrier to when it leaves the call. Time is the maximum
// over ranks, as the benchmark's max column, and Average the mean.
func (c Cell) loop(ctx context.Context, m simulate.Machine) (e Estimate, err error) {
	call := c.Call
	if err := c.Check(c.Ranks, call); err != nil {
		return e, err
	}
	if c.Params&collective.Root == 0 {
		call.Root = 0
	}
	// Two loops that differ by the last call. What a rank takes for that call is the difference
	// between its two finishes.
	before, err := runLoop(ctx, m, c.Algorithm, c.Ranks, call, 2*warmCalls)
	if err != nil {
		return e, err
	}
	after, err := runLoop(ctx, m, c.Algorithm, c.Ranks, call, 2*warmCalls+1)
	if err != nil {
		return e, err
	}
	e.From = Looped
	for rank, end := range after.Ranks {
		// min, since ticks are unsigned: a rank may be done earlier if it no longer
		// waits for a neighbour.
		took := after.Micros(end - min(before.Ranks[rank], end))
		e.Time = max(e.Time, took)
		e.Average += took / quantity.Micros(len(after.Ranks))
	}
	return e, nil
}

// runLoop simulates a loop of that many parts, which are barriers and calls in turn.
// The barrier is Open MPI's default, since OSU's loop calls MPI_Barrier between the
// calls that it times.
func runLoop(ctx context.Context, m simulate.Machine, a collective.Algorithm, ranks int,
	call collective.Call, parts int) (*simulate.Result, error) {
	s, err := a.Loop(ranks, call, collective.DefaultBarrier(ranks), parts)
	if err != nil {
		return nil, err
	}
	p, err := simulate.New(s)
	if err != nil {
		return nil, err
	}
	return p.Run(ctx, simulate.Setup{Machine: m})
}
