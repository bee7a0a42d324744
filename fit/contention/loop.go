package contention

import (
	"context"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Times are what a benchmark such as OSU's prints of a collective: over the ranks, the least, the
// mean and the greatest of the mean time that a rank spends in the call, in µs. NaN is what was not
// measured.
type Times struct{ Min, Average, Max quantity.Micros }

// A Loop is a benchmark's loop over a call, made ready: [collective.Algorithm.Loop] with the
// barrier of [collective.DefaultBarrier]. One at a time may run it.
type Loop struct {
	before, after *simulate.Program // up to the last call, and with it
}

// warm is how many calls come before the one that is timed. On the machine of the tests the third
// takes as long as the ninth inside a node, to 0.01 %. On two nodes, whose NICs still carry messages
// of the calls before, it may take up to half more or less.
const warm = 2

// NewLoop is the loop over a call of the algorithm among so many ranks. The error is that of a call
// that the algorithm does not take.
func NewLoop(e collective.Entry, ranks int, c collective.Call) (*Loop, error) {
	if err := e.Check(ranks, c); err != nil {
		return nil, err
	}
	if e.Params&collective.Root == 0 {
		c.Root = 0
	}
	var l Loop
	for i, p := range []**simulate.Program{&l.before, &l.after} {
		s, err := e.Algorithm.Loop(ranks, c, collective.DefaultBarrier(ranks), 2*warm+i)
		if err != nil {
			return nil, err
		}
		if *p, err = simulate.New(s); err != nil {
			return nil, err
		}
	}
	return &l, nil
}

// Run is what the benchmark prints on the machine.
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
