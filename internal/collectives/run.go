package collectives

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Run is one collective as it was simulated. The result begins after Copying, the time in which
// each rank copies its own data.
type Run struct {
	Cell
	Time    quantity.Micros // when the last rank is done
	Result  *simulate.Result
	Copying quantity.Micros
}

// Simulate returns what each rank does in one call on a design: one algorithm, one number of ranks
// and one size, and at most one size of segments. The time is that of [Calls.On] by simulation, and
// so are the errors; a schedule of more operations than the calls allow is one too.
func (c Calls) Simulate(ctx context.Context, d platforms.Design) (*Run, error) {
	c.Simulated = true
	p, err := NewPlan(ctx, c, d)
	if err != nil {
		return nil, err
	}
	if len(p.Cells) == 0 {
		return nil, p.noCalls()
	}
	s := p.source.(described)
	cell, most := p.Cells[len(p.Cells)-1], c.maxOps(1) // whole messages come first
	program, err := programOf(ctx, cell.Entry, cell.Ranks, standing{cell.Call, false, most})
	if err != nil {
		return nil, err
	}
	if program == nil {
		return nil, fmt.Errorf("%s %s on %d ranks with %s has more than %d operations; "+
			"take fewer ranks, or larger segments",
			cell.Collective, cell.Name, cell.Ranks, cell.Size(), most)
	}
	run := &Run{Cell: cell, Copying: s.copies(cell.Size())}
	run.Result, err = program.Run(ctx, simulate.Setup{Machine: s.on, Record: true})
	if err != nil {
		return nil, err
	}
	finish, _ := run.Result.Finish()
	run.Time = finish + run.Copying
	return run, nil
}
