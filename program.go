// The page runs no programs: with Starlark it would be an eighth larger.

//go:build !js

package halfpeak

import (
	"context"
	"errors"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
)

// A Program is what the ranks of a parallel program do; its time is when the last rank is done.
type Program struct {
	Schedule *schedule.Schedule
	Map      machine.Placement // of ranks
	// Watch is told of each simulation of a study that has ended; nil: none.
	Watch func()

	input *theprogram.Input // that Read read the schedule from; nil: none
}

var errNoSchedule = errors.New("a program without a schedule")

// read returns the program as package program takes it.
func (p Program) read() (*theprogram.Input, error) {
	switch {
	case p.input != nil && p.input.Schedule == p.Schedule:
		return p.input, nil
	case p.Schedule == nil || p.Schedule.Ranks() < 1:
		return nil, errNoSchedule
	}
	return &theprogram.Input{Name: "program", Schedule: p.Schedule}, nil
}

func (p Program) ask(ctx context.Context, d Design) (e Estimate, err error) {
	in, err := p.read()
	if err != nil {
		return e, err
	}
	on, err := d.OfRanks()
	if err != nil {
		return e, err
	}
	a, err := theprogram.Question{Input: in, On: []platforms.Design{on},
		Eager: simulate.NoLimit, Map: p.Map}.Ask(ctx)
	if err != nil {
		return e, err
	}
	s := a.Simulations[0]
	t, _ := s.Runs[0].Result.Finish()
	return Estimate{Interval: quantity.Alone(t), Method: Simulated, Notes: remark.Texts(s.Notes),
		NoInterval: s.NoInterval[0].String()}, nil
}

func (p Program) prepare(ctx context.Context, d Design) (platforms.Design, []study.Call, error) {
	in, err := p.read()
	if err != nil {
		return d.Design, nil, err
	}
	on, err := d.OfRanks()
	if err != nil {
		return d.Design, nil, err
	}
	of, call, err := in.Prepare(ctx, on, p.Map, p.Watch)
	return of, []study.Call{call}, err
}

// Read reads a program in Starlark (.star), or else a schedule in GOAL or the files of a trace; see
// [theprogram.Read]. Its collectives without an algorithm are those of the library of a design, if
// it has one.
func Read(ctx context.Context, names []string, r theprogram.Reading, designs ...Design) (
	p Program, err error) {
	if p.input, err = theprogram.Read(ctx, names, r, inner(designs)...); p.input != nil {
		p.Schedule = p.input.Schedule
	}
	return p, err
}
