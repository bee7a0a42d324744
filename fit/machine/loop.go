package machine

import (
	"context"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Times holds a collective's times as benchmarks such as OSU's print them, in µs: the minimum, mean
// and maximum over ranks of the mean time that a rank spends in the call. Unmeasured times are NaN.
type Times struct{ Min, Average, Max quantity.Micros }

// A Loop is a benchmark's loop over a call, prepared for simulation: [collective.Algorithm.Loop]
// with the barrier of [collective.DefaultBarrier]. It must not be run concurrently.
type Loop struct {
	before, after *simulate.Program // without the last call, and with it
}

// warmCalls is the number of calls before the timed one. On the machine of the tests the third
// takes as long as the ninth inside a node, to 0.01 %. On two nodes, whose NICs still carry
// messages of the calls before, it may take up to half more or less.
const warmCalls = 2

// NewLoop returns the loop over a call of the algorithm on ranks ranks. It returns an error if the
// algorithm does not support the call.
func NewLoop(e collective.Entry, ranks int, c collective.Call) (*Loop, error) {
	if err := e.Check(ranks, c); err != nil {
		return nil, err
	}
	if e.Params&collective.Root == 0 {
		c.Root = 0
	}
	var l Loop
	for i, p := range []**simulate.Program{&l.before, &l.after} {
		s, err := e.Algorithm.Loop(ranks, c, collective.DefaultBarrier(ranks), 2*warmCalls+i)
		if err != nil {
			return nil, err
		}
		if *p, err = simulate.New(s); err != nil {
			return nil, err
		}
	}
	return &l, nil
}

// Run returns the times that the benchmark would print on machine m.
func (l *Loop) Run(ctx context.Context, m simulate.Machine) (Times, error) {
	before, err := l.before.Run(ctx, simulate.Options{Machine: m})
	if err != nil {
		return Times{}, err
	}
	after, err := l.after.Run(ctx, simulate.Options{Machine: m})
	if err != nil {
		return Times{}, err
	}
	t := Times{Min: quantity.Micros(math.Inf(1))}
	for rank := range after.Ranks {
		took := after.Micros(after.Ranks[rank] - min(before.Ranks[rank], after.Ranks[rank]))
		t.Min, t.Max = min(t.Min, took), max(t.Max, took)
		t.Average += took / quantity.Micros(len(after.Ranks))
	}
	return t, nil
}
