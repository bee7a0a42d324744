package program

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/remark"
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
	Notes    []remark.Note   // of a trace, see package mpitrace
	// Uncertain says what is uncertain of measured collectives.
	Uncertain []remark.Note

	// choices are those of its collectives. With others it is read again; nil: a schedule in GOAL,
	// which has its own.
	choices collective.Choices
	at      where
	meshed  bool               // some of its collectives are timed by the machine
	joint   *collectives.Joint // the times of those that were measured; nil: none
	unit    string
	counted float64 // units of work of the program, in all
	again   func(context.Context, collective.Choices, where) (*Input, error)
}

// A where is the machine of an input.
type where struct {
	platforms.Design
	Map   machine.Placement
	costs platforms.Costs    // of the design, or changed ones
	key   string             // of the design; "" with changed costs
	joint *collectives.Joint // of a program's collectives that were measured there; nil: none
	end   collectives.End    // of their intervals
}

// whereOn returns the machine of a design.
func whereOn(d platforms.Design, at machine.Placement) where {
	key := d.Asked() + " " + d.Name()
	for _, c := range d.Changes {
		key += " " + c.Text
	}
	return where{Design: d, Map: at, costs: d.Costs(), key: key, joint: collectives.JointOf(d)}
}

// on returns the input whose collectives are those of a design: by its library, and with the local
// work of its ranks.
func (in *Input) on(ctx context.Context, d platforms.Design, at machine.Placement) (*Input, error) {
	on := whereOn(d, at)
	on.end = in.at.end
	return in.with(ctx, choicesOn(d, at, in.choices), on)
}

// with returns the input with collectives by these choices.
func (in *Input) with(ctx context.Context, c collective.Choices, at where) (*Input, error) {
	timed := in.meshed || in.joint != nil || at.joint != nil
	same := !timed || at.key != "" && at.key == in.at.key && at.end == in.at.end
	if in.again == nil || same && c == in.choices {
		return in, nil
	}
	return in.again(ctx, c, at)
}

// choicesOn returns the choices with the library of a design, its nodes, and the local work of its
// ranks.
func choicesOn(d platforms.Design, at machine.Placement, c collective.Choices) collective.Choices {
	c.Library, c.Combine, c.Copy = d.Platform.Library, 0, 0
	costs := d.Costs()
	c.Flops, c.Memory = costs.Flops/1e3, float64(costs.Memory)/1e3
	var of []int
	c.PerNode, c.Rails, of = placed.Nodes(d.Machine(), at)
	if c.On = (collective.Numbers{}); len(of) > 0 {
		c.On = collective.NumbersOf(of)
	}
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
	timed := r.meshed || r.joint != nil
	if timed { // the times of its collectives are of all costs
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
	if err != nil || timed {
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

// Prepare returns the program ready to be timed with other costs of the design that it returns, on
// which it runs once, and fails if it cannot run. If the design is a whole platform with levels,
// ranks run on its machine. If it has measured collectives and no messages, the returned one has a
// layer "network", whose changes scale what is between nodes, see [collectives.Joint.OnNetwork].
// Each value is another simulation, and the limits of the finish are the parts of its critical
// path. The end of the context ends all simulations at once. Each simulation that has ended is told
// to watch, unless that is nil.
func (in *Input) Prepare(ctx context.Context, d platforms.Design, on machine.Placement,
	watch func()) (platforms.Design, study.Call, error) {
	in, err := in.on(ctx, d, on)
	if err != nil {
		return d, study.Call{}, err
	}
	measured := d.Layer.Model == nil
	if measured {
		if d, in, err = in.onNetwork(ctx, d, on); err != nil {
			return d, study.Call{}, err
		}
	}
	designs := []platforms.Design{d}
	call := study.Call{Name: study.Finish, Of: in.Name, Off: in.offBy(designs, nil),
		Notes: append(noInterval(designs), in.Notes...)}
	switch {
	case measured:
		call.Notes = append(slices.Concat(call.Notes, in.Uncertain), remark.NetworkScales())
	case in.joint != nil:
		call.Notes = append(slices.Concat(call.Notes, in.Uncertain), remark.CollectivesStay())
	}
	again := &runnable{Input: in, made: map[localWork]*simulate.Program{}}
	call.Run = func(c platforms.Costs, parts bool) (f study.Finished, err error) {
		// Without messages, no machine is asked for their times.
		var m simulate.Machine = simulate.LogGOPS{}
		if !measured {
			layer := d.Layer
			layer.Model = c.Layer
			// Times of a platform include its rendezvous, so the simulation adds none.
			m, err = placed.Machine(c.Machine, layer, on, in.Schedule.Ranks(), simulate.NoLimit)
			if err != nil {
				return f, err
			}
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
		call.Notes = append(call.Notes, remark.Described(placed.Shape(m, on)+".").About(d.Name()))
	}
	if _, err := call.Run(d.Costs(), false); err != nil {
		return d, call, fmt.Errorf("%s: %w", in.Name, err)
	}
	return d, call, nil
}

// offBy states the known errors of its times on these machines, on the most of some numbers of
// ranks and its own. Measured collectives have intervals of their own.
func (in *Input) offBy(on []platforms.Design, ranks []int) string {
	most := slices.Max(append([]int{0}, ranks...))
	if in.Schedule != nil { // else it runs in parts
		most = max(most, in.Schedule.Ranks())
	}
	if in.joint != nil {
		on = nil
		if why := in.joint.Unbounded(); why != "" {
			return "no interval: " + why
		}
		if of, widest := in.joint.Widest(); isWide(widest) {
			return fmt.Sprintf("%s, and %s %s", offBy(on, most), of, timesOf(widest))
		}
	}
	return offBy(on, most)
}

// onNetwork returns a program of measured collectives alone, whose times change with the network of
// the design that it returns.
func (in *Input) onNetwork(ctx context.Context, d platforms.Design, on machine.Placement) (
	platforms.Design, *Input, error) {
	if err := noMessages(in.Schedule, d); err != nil {
		return d, nil, err
	}
	if in.joint == nil {
		return d, nil, fmt.Errorf("%s: it calls no collective, and %s has no layer for messages",
			in.Name, d.Asked())
	}
	d, joint, err := in.joint.OnNetwork(ctx)
	if err != nil {
		return d, nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	at := whereOn(d, on)
	at.joint, at.key = joint, ""
	in, err = in.with(ctx, in.choices, at)
	return d, in, err
}

// messagesOf returns the first layer that has the times of messages, beside measured collectives;
// without any, its model is nil.
func messagesOf(p platforms.Platform) platforms.Layer {
	for _, l := range p.Layers {
		if l.Messages() == nil {
			return l
		}
	}
	return platforms.Layer{}
}

// noMessages returns an error if a schedule has messages, and only collectives were measured of the
// machine.
func noMessages(s *schedule.Schedule, d platforms.Design) error {
	if d.Layer.Model != nil || messagesOf(d.Platform).Model != nil {
		return nil
	}
	send := func(o schedule.Op) bool { return o.Kind == schedule.Send }
	if i := slices.IndexFunc(s.Ops(), send); i >= 0 {
		at := s.Line(uint32(i))
		if at != "" {
			at += ": "
		}
		return fmt.Errorf("%s%s has measured collectives and no layer for messages; fit them "+
			"with a log of sendrecv_perf of nccl-tests, or add a layer to the file", at,
			d.Asked())
	}
	return nil
}
