package collectives

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Run is one collective as it was simulated.
type Run struct {
	Timing
	Result *simulate.Result
}

// A RunQuestion asks for what each rank does in the one call of a [Question]: its calls have one
// algorithm, one number of ranks and one size, and at most one size of segments.
type RunQuestion Question

// Simulate answers the question. The time is that of [Question.Compute], and so are the errors; a
// schedule of more operations than the question allows is one too.
func (r RunQuestion) Simulate(ctx context.Context) (*Run, error) {
	q := Question(r)
	_, machine, cells, err := q.prepared()
	if err != nil {
		return nil, err
	}
	run := &Run{Timing: cells[len(cells)-1]} // whole messages come first
	p, err := programOf(ctx, run.Entry, run.Ranks, standing{run.Call, false, q.Operations})
	if err != nil {
		return nil, err
	}
	if p == nil {
		return nil, fmt.Errorf("%s %s on %d ranks with %s has more than %d operations; take fewer ranks, or larger segments",
			run.Collective, run.Name, run.Ranks, quantity.Bytes(run.Call.Bytes), q.Operations)
	}
	if run.Result, err = p.Run(ctx, simulate.Options{Machine: machine, Record: true}); err != nil {
		return nil, err
	}
	run.Time, _ = run.Result.Finish()
	run.From = Simulated
	return run, nil
}
