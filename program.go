package halfpeak

import (
	"context"
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/ask/scaling"
	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/mpitrace"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Program is what the ranks of a parallel program do; its time is when the last rank is done.
type Program struct {
	Schedule *schedule.Schedule
	Map      programs.Placement // of ranks
	// Watch is told of each simulation of a study that has ended; nil: none.
	Watch func()

	input *programs.Input // that the schedule was read from; nil: none
}

var errNoSchedule = errors.New("a program without a schedule")

// read returns the program as package programs takes it.
func (p Program) read() (*programs.Input, error) {
	switch {
	case p.input != nil:
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
	if d.Layer.Model == nil {
		return e, fmt.Errorf("%s has measured collectives alone, and no messages", d.Asked())
	}
	s, err := programs.Run(ctx, in,
		programs.Question{
			Machines: []platforms.Design{d.Design},
			Eager:    simulate.NoLimit,
			Map:      p.Map,
		})
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
	call, err := in.Prepare(ctx, d.Design, p.Map, p.Watch)
	return d.Design, []whatif.Call{call}, err
}

// A Reading says how a program is read: one in Starlark by its ranks and parameters, and a trace by
// its region and scale; without FlopsPerSecond, Trace is [mpitrace.Defaults].
type Reading struct {
	Ranks  int
	Params []string                    // "NAME=VALUE" of parameters of main
	Print  func(rank int, text string) // what the program prints; nil: nothing
	Trace  mpitrace.Translation
}

// Read reads a program in Starlark (.star), or else a schedule in GOAL or the files of a trace. Its
// collectives without an algorithm are those of the library of the designs, if they have one.
func Read(ctx context.Context, names []string, o Reading, on ...Design) (p Program, err error) {
	library := programs.LibraryOf(inner(on))
	if len(names) == 1 && scaling.IsProgram(names[0]) {
		p.input, err = scaling.Read(ctx, names[0],
			scaling.Reading{Ranks: o.Ranks, Params: o.Params, Print: o.Print, Library: library})
	} else {
		if o.Trace.FlopsPerSecond == 0 {
			o.Trace = mpitrace.Defaults
		}
		o.Trace.Collectives.Library = library
		p.input, err = programs.ReadInput(ctx, o.Trace, names...)
	}
	if p.input != nil {
		p.Schedule = p.input.Schedule
	}
	return p, err
}

// inner returns the designs as packages below have them.
func inner(designs []Design) []platforms.Design {
	return list.Map(designs, func(d Design) platforms.Design { return d.Design })
}
