package program

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Simulation is a schedule that was run. Runs is empty for a distribution, Times
// for anything else.
type Simulation struct {
	Name     string // of the schedule
	Schedule *schedule.Schedule
	Runs     []MachineRun
	Why      *simulate.Why     // if Reasons were asked for
	Times    []quantity.Micros // of many runs, if they were asked for
	Seed     uint64            // of the first of them
	asked    int               // how many runs
	Wall     time.Duration     // that the simulation took
	Table    Table
	// NoInterval says what is known of the errors of times on machines, in place of an interval;
	// nil by LogGOPS parameters.
	NoInterval []remark.Note
	Notes      []remark.Note

	off string // what is known of the errors, in a clause
}

// A MachineRun is the run of a schedule on one machine.
type MachineRun struct {
	Machine string // a layer, or "LogGOPS"
	Result  *simulate.Result
	// Path is that of the rank that finishes last, and OnPath what it consists of; nil if no table
	// needs it.
	Path   *simulate.Path
	OnPath *OnPath
}

// OnPath divides the time of a critical path, in ticks.
type OnPath struct{ Computing, Noise, Messages uint64 }

// onPath divides the critical path of a result.
func onPath(r *simulate.Result, noise bool) (*OnPath, error) {
	if noise { // which only the steps of messages show
		path, err := r.Path()
		if err != nil {
			return nil, err
		}
		s := path.Shares
		return &OnPath{s.Compute, s.Noise, s.Sum() - s.Compute - s.Noise}, nil
	}
	computing, before, err := r.Computed()
	return &OnPath{computing, before, slices.Max(r.Ranks) - computing - before}, err
}

// messages returns the number of messages. Each has one send, so receives are not counted again.
func (s *Simulation) messages() (n int) {
	for _, op := range s.Schedule.Ops() {
		if op.Kind == schedule.Send {
			n++
		}
	}
	return n
}

// attained returns the time that a part q of the runs attains.
func (s *Simulation) attained(q float64) quantity.Micros {
	return stats.Attained(slices.Sorted(slices.Values(s.Times)), q)
}

// tolerancesOf returns the tolerances of a parameter by its letter; nil on a machine
// that is not LogGOPS, and for a share without a parameter. A tolerance is the value
// of the parameter at which the finish is later by one of growths.
func tolerancesOf(w *simulate.Why, letter string) []simulate.Tolerance {
	for _, list := range w.Tolerances {
		if list[0].Parameter == letter {
			return list
		}
	}
	return nil
}

// Growths are the delays of the finish for which [Reasons] give the tolerance of
// parameters.
var Growths = []float64{0.01, 0.05, 0.10}

// run runs a schedule on the machines. If ctx ends many runs, the simulation has the times of those
// before the first that is not complete, and comes with the error.
func (q Question) run(ctx context.Context, in *Input) (*Simulation, error) {
	s := &Simulation{Name: in.Name, Schedule: in.Schedule, Seed: q.Run.Seed, asked: q.Runs,
		Table:      q.Table,
		NoInterval: noInterval(q.On), Notes: slices.Clone(in.Notes),
		off: in.offBy(q.On, q.Reading.Ranks)}
	s.NoInterval = append(slices.Clone(in.Uncertain), s.NoInterval...)
	names, machines, err := s.machinesOf(in, in.Schedule.Ranks(), q)
	if err != nil {
		return nil, err
	}
	var p *simulate.Program
	several := len(machines) > 1
	// These tables have many columns or rows for one machine; a comparison of
	// machines has one row each.
	if several && (q.Runs > 1 || q.Table != Finishes) {
		return nil,
			fmt.Errorf("%d machines: totals, reasons and distributions are of one", len(machines))
	}
	// A trace is of a real program, whose user wants to know what its communication costs. Only a
	// recorded path tells, and LogGOPSim's rules cannot be recorded.
	byMachine := q.Table == Finishes && (several || in.Trace && q.Run.Rules == simulate.Default)
	// Recording takes memory for every operation, so only a table of paths asks for it.
	noise := q.Run.Noise != simulate.Noise{}
	q.Run.Record, q.Run.Computed = q.Run.Record || byMachine && noise, byMachine && !noise
	// Wall is the simulation alone, without reading the schedule or placing ranks.
	began := time.Now()
	for i, m := range machines {
		of := in
		if len(q.On) > 0 {
			if of, err = in.on(ctx, q.On[i], q.Map); err == nil {
				err = noMessages(of.Schedule, q.On[i])
			}
			if err != nil {
				return nil, err
			}
		}
		if p == nil || of.Schedule != s.Schedule {
			if p, err = simulate.New(of.Schedule); err != nil {
				return nil, err
			}
			s.Schedule = of.Schedule
		}
		run := q.Run
		run.Machine = m
		other := s.inOtherOrder(ctx, p, run)
		err := s.run(ctx, p, run, names[i], q, byMachine)
		// With one machine the user knows which failed.
		if err != nil && several {
			err = fmt.Errorf("%s: %w", names[i], err)
		}
		if ctx.Err() != nil && len(s.Times) > 0 {
			return s, err
		}
		if err != nil {
			return nil, err
		}
		s.noteOrder(names[i], several, <-other)
		if n := len(s.Runs); n > 0 && len(q.On) > 0 && s.Runs[n-1].Result.Assumed {
			s.noteAssumed(names[i])
		}
	}
	s.Wall = time.Since(began)
	return s, nil
}

// noteAssumed says that a machine has not measured which ranks large messages need.
func (s *Simulation) noteAssumed(name string) {
	s.Notes = append(s.Notes, remark.MovesBeside(name))
}

// run adds the answer of the machine of this name. byMachine: its row has the path.
func (s *Simulation) run(ctx context.Context, p *simulate.Program, run simulate.Setup,
	name string, q Question, byMachine bool) (err error) {
	switch {
	case q.Runs > 1:
		s.Times, err = p.Runs(ctx, run, q.Runs)
	case q.Table == Reasons:
		if s.Why, err = p.Why(ctx, run, Growths...); err == nil {
			s.Runs = append(s.Runs,
				MachineRun{Machine: name, Result: s.Why.Result, Path: s.Why.Path})
		}
	default:
		one := MachineRun{Machine: name}
		if one.Result, err = p.Run(ctx, run); err == nil && byMachine {
			one.OnPath, err = onPath(one.Result, run.Noise != simulate.Noise{})
		}
		s.Runs = append(s.Runs, one)
	}
	return err
}

// maxReversed is the number of steps above which a run in the other order is given up. Up to it, it
// takes some hundredths of a second; more would be felt.
const maxReversed = 1 << 19

// An otherOrder is the finish with what happens at one moment in the opposite order; 0 if it is not
// known. costly is set if that is for its cost.
type otherOrder struct {
	finish quantity.Micros
	costly bool
}

// inOtherOrder runs a program beside its simulation, with what happens at one moment in the
// opposite order. LogGOPSim's rules have one order, and noise hides such differences.
func (s *Simulation) inOtherOrder(ctx context.Context, p *simulate.Program,
	run simulate.Setup) <-chan otherOrder {
	other := make(chan otherOrder, 1)
	if run.Rules != simulate.Default || run.Noise != (simulate.Noise{}) {
		other <- otherOrder{}
		return other
	}
	if len(s.Schedule.Ops()) > maxReversed {
		other <- otherOrder{costly: true}
		return other
	}
	run.Reversed, run.Record, run.Computed = true, false, false
	run.Progress, run.Steps = nil, maxReversed
	go func() {
		// A program that cannot end in this order, as with wildcards, has no finish to compare.
		r, err := p.Run(ctx, run)
		o := otherOrder{costly: errors.Is(err, simulate.ErrSteps)}
		if err == nil {
			o.finish, _ = r.Finish()
		}
		other <- o
	}()
	return other
}

// noteOrder adds a note if the finish of the last run hangs on the order of simultaneous events.
func (s *Simulation) noteOrder(machine string, several bool, other otherOrder) {
	if other.costly {
		s.Notes = remark.Add(s.Notes, remark.OrderNotTried())
	}
	if len(s.Runs) == 0 || other.finish == 0 {
		return
	}
	finish, _ := s.Runs[len(s.Runs)-1].Result.Finish()
	if finish.String() == other.finish.String() {
		return // equal as printed
	}
	if !several {
		machine = ""
	}
	s.Notes = append(s.Notes, remark.Simultaneous(finish, other.finish).About(machine))
}

// machinesOf returns the machines of the options with their names, and adds notes
// about them. LogGOPS has no machine: its parameters are in the options of the run.
func (s *Simulation) machinesOf(in *Input, ranks int, q Question) (
	names []string, machines []simulate.Machine, err error) {
	if len(q.On) == 0 {
		if q.Run.Rules == simulate.Default && q.Run.LogGOPS == simulate.Defaults {
			s.Notes = append(s.Notes, remark.Defaults())
		}
		return []string{"LogGOPS"}, []simulate.Machine{nil}, nil
	}
	for _, d := range q.On {
		if d.Layer.Model == nil {
			d.Layer = messagesOf(d.Platform)
		}
		if d.Layer.Model == nil {
			names, machines = append(names, d.Asked()), append(machines, simulate.LogGOPS{})
			continue
		}
		m, err := placed.Machine(d.Machine(), d.Layer, q.Map, ranks, q.Eager)
		if err != nil {
			return nil, nil, err
		}
		names, machines = append(names, d.Name()), append(machines, m)
		s.Notes = append(s.Notes, placed.Blocking(d.Machine(), d.Layer)...)
		if d.Whole {
			s.Notes = append(s.Notes,
				remark.Described(placed.Shape(d.Machine(), q.Map)+".").About(d.Name()))
			continue
		}
		// Below that, the ranks may well have a node each.
		const few = 8
		if real := in.Trace || in.Marks != nil; real && ranks > few {
			s.Notes = append(s.Notes, remark.NoLevels(d.Layer.Ref()))
		}
		// Without overheads computation and communication overlap fully, so a finish can be too
		// early. A layer that has none at a small and at a large size has none at all.
		send, receive := d.Layer.Model.Overheads(1)
		longSend, longReceive := d.Layer.Model.Overheads(1 << 20)
		if send+receive+longSend+longReceive == 0 {
			s.Notes = append(s.Notes, remark.NoOverheads(d.Layer.Ref()))
		}
	}
	return names, machines, nil
}
