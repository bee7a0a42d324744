// The page runs no programs: with Starlark it would be an eighth larger.

//go:build !js

package halfpeak

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/program"
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

// Input returns the program as package program takes it.
func (p Program) Input() (*theprogram.Input, error) {
	switch {
	case p.input != nil && p.input.Schedule == p.Schedule:
		return p.input, nil
	case p.Schedule == nil || p.Schedule.Ranks() < 1:
		return nil, errNoSchedule
	}
	return &theprogram.Input{Name: "program", Schedule: p.Schedule}, nil
}

func (p Program) ask(ctx context.Context, d Design) (e Estimate, err error) {
	in, err := p.Input()
	if err != nil {
		return e, err
	}
	if d.Layer.Model != nil { // a program of measured collectives needs no messages
		if err := d.Messages(); err != nil {
			return e, err
		}
	}
	setup := theprogram.Setup{Eager: simulate.NoLimit, Map: p.Map}
	s, err := theprogram.Run(ctx, in, setup, d.Design)
	if err != nil {
		return e, err
	}
	t, _ := s.Runs[0].Result.Finish()
	return Estimate{Interval: quantity.Alone(t), Method: Simulated, Notes: s.Notes,
		NoInterval: strings.TrimPrefix(s.NoInterval[0], "No interval of the model's error: ")}, nil
}

func (p Program) prepare(ctx context.Context, d Design) (platforms.Design, []study.Call, error) {
	in, err := p.Input()
	if err != nil {
		return d.Design, nil, err
	}
	if err := d.Messages(); err != nil {
		return d.Design, nil, err
	}
	call, err := in.Prepare(ctx, d.Design, p.Map, p.Watch)
	return d.Design, []study.Call{call}, err
}

// Name returns the name of the program's files.
func (p Program) Name() string {
	in, err := p.Input()
	if err != nil {
		return ""
	}
	return in.Name
}

// Run runs a program on the machines of designs, or without any by the LogGOPS parameters of the
// setup; see [programs.Run]. An error says which program it is.
func Run(ctx context.Context, p Program, o theprogram.Setup, on ...Design) (
	*theprogram.Simulation, error) {
	in, err := p.Input()
	if err != nil {
		return nil, err
	}
	for _, d := range on {
		if d.Layer.Model == nil {
			continue // a program of measured collectives needs no messages
		}
		if err := d.Messages(); err != nil {
			return nil, err
		}
	}
	s, err := theprogram.Run(ctx, in, o, inner(on)...)
	if err != nil {
		err = fmt.Errorf("%s: %w", in.Name, err)
	}
	return s, err
}

// A Reading says how a program is read.
type Reading = theprogram.Reading

// on returns how a program is read for designs: one in Starlark with the times of collectives that
// were measured, see [collectives.MeasuredTimes].
func on(ctx context.Context, designs []Design, names []string, r Reading) (_ Reading, err error) {
	if len(names) == 1 && program.Is(names[0]) {
		r.Time, r.Doubt, err = collectives.MeasuredTimes(ctx, inner(designs))
	}
	return r, err
}

// Read reads a program in Starlark (.star), or else a schedule in GOAL or the files of a trace, see
// [programs.Read]. Its collectives without an algorithm are those of the library of a design, if it
// has one.
func Read(ctx context.Context, names []string, r Reading, designs ...Design) (
	p Program, err error) {

	if r, err = on(ctx, designs, names, r); err != nil {
		return p, err
	}
	if p.input, err = theprogram.Read(ctx, names, r, inner(designs)...); p.input != nil {
		p.Schedule = p.input.Schedule
	}
	return p, err
}

// Scale runs a program in Starlark on numbers of ranks and on the machines of designs; see
// [programs.Scale].
func Scale(ctx context.Context, name string, r Reading, o theprogram.Setup, designs ...Design) (
	*theprogram.Scaling, error) {
	r, err := on(ctx, designs, []string{name}, r)
	if err != nil {
		return nil, err
	}
	return theprogram.Scale(ctx, name, r, o, inner(designs)...)
}

// FitRates fits the rates of a machine's [compute] to measured steps of a program in Starlark; see
// [theprogram.FitRates].
func FitRates(ctx context.Context, name string, r Reading, steps []theprogram.Step,
	memory quantity.MBps, d Design) (*theprogram.Rates, error) {
	r, err := on(ctx, []Design{d}, []string{name}, r)
	if err != nil {
		return nil, err
	}
	return theprogram.FitRates(ctx, name, r, steps, memory, d.Design)
}
