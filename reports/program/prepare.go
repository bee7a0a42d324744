package program

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/platforms"
)

// An Input is a schedule that was read.
type Input struct {
	Name     string // of its file or files, for errors
	Schedule *schedule.Schedule
	Trace    bool            // it was a trace of a real program
	Marks    *schedule.Marks // of a program in Starlark; else nil
	Notes    []string        // of a trace, see package mpitrace
	// Uncertain says what is uncertain of measured collectives.
	Uncertain string

	// choices are those of its collectives. With others it is read again; nil: a schedule in GOAL,
	// which has its own.
	choices collective.Choices
	at      where
	meshed  bool // some of its collectives are timed by the machine
	unit    string
	counted float64 // units of work of the program, in all
	again   func(context.Context, collective.Choices, where) (*Input, error)
}

// A where is the machine of an input.
type where struct {
	platforms.Design
	Map   machine.Placement
	costs platforms.Costs // of the design, or changed ones
	key   string          // of the design; "" with changed costs
}

// whereOn returns the machine of a design.
func whereOn(d platforms.Design, at machine.Placement) where {
	key := d.Asked() + " " + d.Name()
	for _, c := range d.Changes {
		key += " " + c.Text
	}
	return where{d, at, d.Costs(), key}
}

// on returns the input whose collectives are those of a design: by its library, and with the local
// work of its ranks.
func (in *Input) on(ctx context.Context, d platforms.Design, at machine.Placement) (*Input, error) {
	return in.with(ctx, choicesOn(d, at, in.choices), whereOn(d, at))
}

// with returns the input with collectives by these choices, whose named algorithms are its own.
func (in *Input) with(ctx context.Context, c collective.Choices, at where) (*Input, error) {
	same := !in.meshed || at.key != "" && at.key == in.at.key
	if in.again == nil || same && alike(c, in.choices) {
		return in, nil
	}
	return in.again(ctx, c, at)
}

// alike reports whether choices are the same, but for the named algorithms, which a program keeps.
func alike(a, b collective.Choices) bool {
	a.Named, b.Named = nil, nil
	return reflect.DeepEqual(a, b)
}

// choicesOn returns the choices with the library of a design, its nodes, and the local work of its
// ranks.
func choicesOn(d platforms.Design, at machine.Placement, c collective.Choices) collective.Choices {
	c.Library, c.Combine, c.Copy = d.Platform.Library, 0, 0
	costs := d.Costs()
	c.Flops, c.Memory = costs.Flops/1e3, float64(costs.Memory)/1e3
	c.PerNode, c.Rails = placed.Nodes(d.Machine(), at)
	if d.Layer.Model != nil {
		c = withWork(c, costs)
	}
	return c
}

// withWork returns the choices with the local work of ranks at these costs.
func withWork(c collective.Choices, costs platforms.Costs) collective.Choices {
	c.Combine, c.Copy = costs.Combine.Nanos(), costs.Copy.Nanos()
	c.Flops, c.Memory = costs.Flops/1e3, float64(costs.Memory)/1e3
	return c
}

// A runnable is an input that is run again with other costs. Its collectives contain the local work
// of the ranks, so that each change of it needs another schedule.
type runnable struct {
	*Input
	mutex sync.Mutex
	made  map[localWork]*simulate.Program
}

// localWork are the times of a byte in the collectives of a schedule, in ns/B, and the rates of a
// program's own computations, a ns.
type localWork struct{ combine, copy, flops, memory float64 }

// maxKept is the number of schedules that are kept: each may have millions of operations, and a
// sweep of the local work needs one for each of its values.
const maxKept = 4

// under returns the program with the local work of these costs.
func (r *runnable) under(ctx context.Context, costs platforms.Costs) (*simulate.Program, error) {
	c := withWork(r.choices, costs)
	if r.again == nil {
		c = r.choices // a schedule in GOAL says by itself what its ranks compute
	}
	work := localWork{c.Combine, c.Copy, c.Flops, c.Memory}
	at := r.at
	if r.meshed { // the times of its collectives are of all costs
		at.costs, at.key = costs, ""
	} else {
		r.mutex.Lock()
		p := r.made[work]
		r.mutex.Unlock()
		if p != nil {
			return p, nil
		}
	}
	in, err := r.with(ctx, c, at)
	if err != nil {
		return nil, err
	}
	p, err := simulate.New(in.Schedule)
	if err != nil || r.meshed {
		return p, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.made) >= maxKept {
		clear(r.made)
	}
	r.made[work] = p
	return p, nil
}

// Prepare returns the program ready to be timed with other costs of a design, on which it runs
// once, and fails if it cannot run. If the design is a whole platform with levels, ranks run on its
// machine. Each value is another simulation, and the limits of the finish are the parts of its
// critical path. The end of the context ends all simulations at once. Each simulation that has
// ended is told to watch, unless that is nil.
func (in *Input) Prepare(ctx context.Context, d platforms.Design, on machine.Placement,
	watch func()) (study.Call, error) {

	in, err := in.on(ctx, d, on)
	if err != nil {
		return study.Call{}, err
	}
	call := study.Call{Name: study.Finish, Of: in.Name, Off: offBy(),
		Notes: append(noInterval([]platforms.Design{d}), in.Notes...)}
	again := &runnable{Input: in, made: map[localWork]*simulate.Program{}}
	call.Run = func(c platforms.Costs, parts bool) (f study.Finished, err error) {
		layer := d.Layer
		layer.Model = c.Layer
		// Times of a platform include its rendezvous, so the simulation adds none.
		m, err := placed.Machine(c.Machine, layer, on, in.Schedule.Ranks(), simulate.NoLimit)
		if err != nil {
			return f, err
		}
		p, err := again.under(ctx, c)
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
			f.Parts, err = study.Parts(r, 0)
		}
		return f, err
	}
	if m := d.Machine(); len(m.Levels) > 0 {
		call.Notes = append(call.Notes, d.Name()+": "+placed.Shape(m, on)+".")
	}
	if _, err := call.Run(d.Costs(), false); err != nil {
		return call, fmt.Errorf("%s: %w", in.Name, err)
	}
	return call, nil
}
