package programs

import (
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// An Input is a schedule that was read.
type Input struct {
	Name     string // of its file or files, for errors
	Schedule *schedule.Schedule
	Trace    bool            // it was a trace of a real program
	Marks    *schedule.Marks // of a program in Starlark; else nil
	Notes    []string        // of a trace, see package mpitrace
}

// Prepare returns the program ready to be timed with other costs of a design, on which it runs
// once, and fails if it cannot run. If the design is a whole platform with levels, ranks run on its
// machine. Each value is another simulation, and the limits of the finish are the parts of its
// critical path. The end of the context ends all simulations at once. Each simulation that has
// ended is told to watch, unless that is nil.
func (in *Input) Prepare(ctx context.Context, d platforms.Design, on Placement, watch func()) (
	whatif.Call, error) {
	call := whatif.Call{Name: whatif.Finish, Of: in.Name, Notes: slices.Clone(in.Notes)}
	// The program is made ready once, and run for every point of a sweep.
	p, err := simulate.New(in.Schedule)
	if err != nil {
		return call, fmt.Errorf("%s: %w", in.Name, err)
	}
	call.Run = func(c platforms.Costs, parts bool) (f whatif.Finished, err error) {
		layer := d.Layer
		layer.Model = c.Layer
		// Times of a platform include its rendezvous, so the simulation adds none.
		m, err := MachineOf(c.Machine, layer, on, in.Schedule.Ranks(), simulate.NoLimit)
		if err != nil {
			return f, err
		}
		r, err := p.Run(ctx, simulate.Setup{Machine: m, Record: parts})
		if err != nil {
			return f, err
		}
		if watch != nil {
			watch()
		}
		f.Time, _ = r.Finish()
		if parts {
			f.Parts, err = Parts(r, 0)
		}
		return f, err
	}
	if m := d.Machine(); len(m.Levels) > 0 {
		call.Notes = append(call.Notes, d.Name()+": "+ShapeOf(m, on)+".")
	}
	if _, err := call.Run(d.Costs(), false); err != nil {
		return call, fmt.Errorf("%s: %w", in.Name, err)
	}
	return call, nil
}

// Parts returns the parts of the critical path of a recorded run, and of the local copy before it.
func Parts(r *simulate.Result, copying quantity.Micros) ([]whatif.Share, error) {
	path, err := r.Path()
	if err != nil {
		return nil, err
	}
	parts := list.Map(path.Shares.Parts(), func(part simulate.Share) whatif.Share {
		return whatif.Share{Owner: part.Name, OneWay: r.Micros(part.Ticks)}
	})
	if copying > 0 {
		parts = append(parts, whatif.Share{Owner: "copy", OneWay: copying})
	}
	return parts, nil
}
