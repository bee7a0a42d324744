package collectives

import (
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/study/simulations"
)

// A Run is one collective as it was simulated.
type Run struct {
	Timing
	Result *simulate.Result
}

// Simulate simulates one algorithm of a collective, for the first of the ranks and sizes, whole or
// in the first of the segments, and records what each rank does. Its time is that of [Compute]. The
// errors are those of Collective, and a schedule of more operations than the question allows.
func Simulate(ctx context.Context, q Question) (*Run, error) {
	q.Ranks, q.Sizes = q.Ranks[:1], q.Sizes[:min(1, len(q.Sizes))]
	all, err := q.algorithms()
	if err != nil {
		return nil, err
	}
	machine, err := simulations.MachineOf(q.Machine, q.Layer, q.Map, slices.Max(append([]int{1}, q.Ranks...)), simulate.NoLimit)
	if err != nil {
		return nil, err
	}
	cells, err := q.cells(all[:1], machine)
	if err != nil {
		return nil, err
	}
	r := &Run{Timing: cells[len(cells)-1]} // whole messages come first
	p, err := programOf(ctx, r.Entry, r.Ranks, standing{r.Call, false, q.Operations})
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fmt.Errorf("%s %s on %d ranks with %s has more than %d operations; take fewer ranks, or larger segments",
			r.Collective, r.Name, r.Ranks, quantity.Bytes(r.Call.Bytes), q.Operations)
	}
	if r.Result, err = p.Run(ctx, simulate.Options{Machine: machine, Record: true}); err != nil {
		return nil, err
	}
	r.Time, _ = r.Result.Finish()
	r.From = Simulated
	return r, nil
}
