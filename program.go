// The page runs no programs: with Starlark it would be an eighth larger.

//go:build !js

package halfpeak

import (
	"context"
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/ask/collectives"
	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/ask/scaling"
	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/mpitrace"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Program is what the ranks of a parallel program do; its time is when the last rank is done.
type Program struct {
	Schedule *schedule.Schedule
	Map      programs.Placement // of ranks
	// Watch is told of each simulation of a study that has ended; nil: none.
	Watch func()

	input *programs.Input // that Read read the schedule from; nil: none
}

var errNoSchedule = errors.New("a program without a schedule")

// read returns the program as package programs takes it.
func (p Program) read() (*programs.Input, error) {
	switch {
	case p.input != nil && p.input.Schedule == p.Schedule:
		return p.input, nil
	case p.Schedule == nil:
		return nil, errNoSchedule
	}
	return &programs.Input{Name: "program", Schedule: p.Schedule}, nil
}

func (p Program) ask(ctx context.Context, d Design) (e Estimate, err error) {
	in, err := p.read()
	if err != nil {
		return e, err
	}
	if err := d.Messages(); err != nil {
		return e, err
	}
	s, err := programs.Run(ctx, in, programs.Setup{Eager: simulate.NoLimit, Map: p.Map}, d.Design)
	if err != nil {
		return e, err
	}
	t, _ := s.Runs[0].Result.Finish()
	return Estimate{Interval: quantity.Alone(t), Method: Simulated, Notes: s.Notes,
		NoInterval: "no program was measured on this machine"}, nil
}

func (p Program) prepare(ctx context.Context, d Design) (platforms.Design, []whatif.Call, error) {
	in, err := p.read()
	if err != nil {
		return d.Design, nil, err
	}
	if err := d.Messages(); err != nil {
		return d.Design, nil, err
	}
	call, err := in.Prepare(ctx, d.Design, p.Map, p.Watch)
	return d.Design, []whatif.Call{call}, err
}

// Name returns the name of the program's files.
func (p Program) Name() string {
	in, err := p.read()
	if err != nil {
		return ""
	}
	return in.Name
}

// Run runs a program on the machines of designs, or without any by the LogGOPS parameters of the
// setup; see [programs.Run]. An error says which program it is.
func Run(ctx context.Context, p Program, o programs.Setup, on ...Design) (
	*programs.Simulation, error) {
	in, err := p.read()
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
	s, err := programs.Run(ctx, in, o, inner(on)...)
	if err != nil {
		err = fmt.Errorf("%s: %w", in.Name, err)
	}
	return s, err
}

// A Reading says how a program is read: one in Starlark by its ranks and parameters, and a trace by
// its region and scale.
type Reading struct {
	Ranks  []int                       // one number, or for [Scale] several
	Params []string                    // "NAME=VALUE" of parameters of main
	Print  func(rank int, text string) // what the program prints; nil: nothing
	Trace  mpitrace.Translation        // without FlopsPerSecond it is [mpitrace.Defaults]
}

// on returns how a program in Starlark is read for designs: with the times of collectives that were
// measured on one of them, see [collectives.MeasuredTimes].
func (r Reading) on(ctx context.Context, designs []Design) (scaling.Reading, error) {
	times, err := collectives.MeasuredTimes(ctx, inner(designs))
	return scaling.Reading{Ranks: r.Ranks, Params: r.Params, Print: r.Print,
		Library: libraryOf(designs), Time: times}, err
}

// Read reads a program in Starlark (.star), or else a schedule in GOAL or the files of a trace. Its
// collectives without an algorithm are those of the library of the designs, if they have one.
func Read(ctx context.Context, names []string, r Reading, on ...Design) (p Program, err error) {
	if len(names) == 1 && scaling.IsProgram(names[0]) {
		var reading scaling.Reading
		if reading, err = r.on(ctx, on); err == nil {
			p.input, err = scaling.Read(ctx, names[0], reading)
		}
	} else {
		if r.Trace.FlopsPerSecond == 0 {
			r.Trace = mpitrace.Defaults
		}
		r.Trace.Collectives.Library = libraryOf(on)
		p.input, err = programs.ReadInput(ctx, r.Trace, names...)
	}
	if p.input != nil {
		p.Schedule = p.input.Schedule
	}
	return p, err
}

// Scale runs a program in Starlark on numbers of ranks and on the machines of designs; see
// [scaling.Scale].
func Scale(ctx context.Context, name string, r Reading, o programs.Setup, on ...Design) (
	*scaling.Scaling, error) {
	reading, err := r.on(ctx, on)
	if err != nil {
		return nil, err
	}
	return scaling.Scale(ctx, name, reading, o, inner(on)...)
}

// libraryOf returns the library of collectives of all designs; none if it is not known, or if they
// have several.
func libraryOf(designs []Design) (l collective.Library) {
	for i, d := range designs {
		if i > 0 && d.Platform.Library != l {
			return collective.Library{}
		}
		l = d.Platform.Library
	}
	return l
}
