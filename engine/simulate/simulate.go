package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/memory"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Rules define the meaning of the parameters where LogGOPS leaves it open.
type Rules int

const (
	Default   Rules = iota // what the model means; see the package comment
	LogGOPSim              // what LogGOPSim does, to the last nanosecond
)

var rulesNames = []string{"default", "loggopsim"}

func (r Rules) String() string { return rulesNames[r] }

// parseRules returns the rules of a name in rulesNames; another name is an error.
func parseRules(text string) (Rules, error) {
	if i := slices.Index(rulesNames, text); i >= 0 {
		return Rules(i), nil
	}
	return 0, fmt.Errorf("unknown rules %q%s", text, usage.Hint(text, rulesNames))
}

// A Setup holds the conditions of a run: the costs of messages, the rules and the noise.
type Setup struct {
	Rules   Rules
	LogGOPS LogGOPS // costs of messages if Machine is nil
	Machine Machine // nil: LogGOPS, as LogGOPSim's rules require
	Noise   Noise   // the zero value is no noise
	Seed    uint64  // of the noise and, with fair shares, of the ranks' starts within 10 ns

	// Reversed lets what happens at one moment happen in the opposite order: computations before
	// receives and sends, and what became ready last first. If that changes the finish, it hangs on
	// an order that the model does not know. The default rules only.
	Reversed bool

	// Record keeps what the run did, for [Result.Path] and [Result.Timeline]:
	// 48 bytes for each step of an operation, of which a message has four. The default rules only.
	Record bool

	// Computed keeps less than Record, for [Result.Computed]: 48 bytes for each computation. The
	// default rules without noise only.
	Computed bool

	// Parts keeps how long each rank computes and handles messages, for [Result.Parts]. The default
	// rules only.
	Parts bool

	// Instant lets joint operations take no time. The default rules only.
	Instant bool

	// Steps, if above 0, bounds the queue entries that a run takes and the rates that it computes.
	// It ends with ErrSteps soon after, so that a run that nobody needs costs no more.
	Steps uint64

	// Progress, if not nil, is called several times a second, from the goroutine of the run.
	Progress func(Progress)
}

// A Result is the outcome of a run.
type Result struct {
	// Ranks holds the finish time of each rank, in ticks since the start. A tick is 1 ns under
	// LogGOPSim's rules, else 1 ps.
	Ranks []uint64
	Rules Rules

	// Events counts operations that became free, and messages (a rendezvous is four), as
	// LogGOPSim does.
	Events uint64

	Parts []Parts   // by rank, if the setup asks for them
	Marks []MarkEnd // by operation, by the default rules

	// Assumed reports whether calls that do not block had messages above the eager threshold of a
	// level whose [machine.Level.Handshake] was not measured.
	Assumed bool

	run *run // what it recorded
}

func (r Rules) ticks() float64 {
	if r == LogGOPSim {
		return nanos
	}
	return picos
}

// Micros converts a time in ticks of this result to µs.
func (r *Result) Micros(ticks uint64) quantity.Micros {
	return quantity.Micros(float64(ticks) / r.Rules.ticks())
}

// Finish returns the finish time of the schedule, and the first of the ranks that finish last.
func (r *Result) Finish() (t quantity.Micros, rank int) {
	rank = r.last()
	return r.Micros(r.Ranks[rank]), rank
}

func (r *Result) last() int { return slices.Index(r.Ranks, slices.Max(r.Ranks)) }

// Run runs the schedule. The result depends on the program and the options only.
//
// A schedule that cannot end gives a [*Deadlock] error, together with the result as far as it
// came. Other errors are options that contradict each other, parameters out of range, times
// beyond 26 days, and the context's, whose end ends the run at once.
func (p *Program) Run(ctx context.Context, o Setup) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r, err := p.newRun(ctx, o)
	if err != nil {
		return nil, err
	}
	defer r.giveBack()
	r.report, r.began, r.most = o.Progress, time.Now(), o.Steps
	if err := r.simulate(o); err != nil {
		return nil, err
	}
	return r.result(o)
}

// newRun returns a run that keeps what the setup asks for.
func (p *Program) newRun(ctx context.Context, o Setup) (*run, error) {
	if o.Record {
		err := memory.Check(fmt.Sprintf("the record of %d operations", len(p.ops)),
			float64(len(p.ops))*(schedule.OpBytes+runBytes+recordBytes))
		if err != nil {
			return nil, err
		}
	}
	r := newRun(ctx, p, o.Record)
	if o.Parts && o.Rules == Default {
		r.tally = make([]Parts, p.s.Ranks())
	}
	return r, nil
}

func (r *run) simulate(o Setup) error {
	r.noise = o.Noise.start(r.s.Ranks(), o.Seed, o.Rules.ticks()/nanos)
	if o.Rules == LogGOPSim {
		switch {
		case o.Machine != nil:
			return errors.New("LogGOPSim's rules require LogGOPS parameters and cannot use " +
				"another machine")
		case o.Reversed:
			return errors.New("LogGOPSim's rules have one order; leave out the rules")
		case o.Record || o.Computed:
			return errors.New("a run by LogGOPSim's rules cannot be recorded: " +
				"its clocks of one rank run apart; leave out the rules")
		}
		m, err := o.LogGOPS.inNanoseconds()
		if err != nil {
			return err
		}
		return r.loggopsim(m)
	}
	switch m := o.Machine.(type) {
	case nil:
		if err := o.LogGOPS.check(); err != nil {
			return err
		}
		r.costs.machine = o.LogGOPS
	case *levels:
		if r.s.Ranks() > m.ranks() {
			return fmt.Errorf("the schedule has %d ranks, but only %d have a place on the machine",
				r.s.Ranks(), m.ranks())
		}
		r.costs.machine = m.firstRanks(r.s.Ranks())
	default:
		r.costs.machine = m
	}
	r.shared = newSharing(r.costs.machine, r.names, r.fail)
	r.flows = newFlows(r.costs.machine, r.Program, o.Seed)
	r.recording, r.instant = o.Record || o.Computed, o.Instant
	r.brief = !o.Record
	if o.Reversed {
		r.order = firstFresh - 1
	}
	return r.model()
}

func (r *run) result(o Setup) (*Result, error) {
	res := &Result{Ranks: make([]uint64, r.s.Ranks()), Rules: o.Rules, Events: uint64(r.num)}
	for rank := range res.Ranks {
		clocks := r.clock[rank*r.stride:]
		for _, t := range clocks[:len(r.cpus.list)] {
			res.Ranks[rank] = max(res.Ranks[rank], t)
		}
		if o.Rules == Default {
			res.Ranks[rank] = max(res.Ranks[rank], r.out[rank])
		}
	}
	slices.SortFunc(r.marks, func(a, b MarkEnd) int { return cmp.Compare(a.Op, b.Op) })
	res.Marks, res.Parts, res.Assumed = r.marks, r.tally, r.assumed
	if o.Record || o.Computed {
		res.run = r
	}
	return res, r.findDeadlock()
}

// maxRuns is the maximum number of runs, whose finish times take 80 MB.
const maxRuns = 10_000_000

// Runs runs the schedule n times with different seeds, on all processors, and returns the finish
// times in the order of runs. Run i has a seed that depends on Setup.Seed and i alone, so the
// number of processors does not change the result. Each processor takes the memory of one run.
//
// The error is the first one of the runs. If ctx ends, Runs returns its cause with the finish times
// of the runs before the first that is not complete. Progress counts the operations of all runs.
func (p *Program) Runs(ctx context.Context, o Setup, n int) ([]quantity.Micros, error) {
	if n < 1 || n > maxRuns {
		return nil, fmt.Errorf("the number of runs must be 1 to %d (got %d)", maxRuns, n)
	}
	// A time, whether there is one, and a sorted copy.
	err := memory.Check(fmt.Sprintf("the finish times of %d runs", n), 17*float64(n))
	if err != nil {
		return nil, err
	}
	o.Record, o.Computed = false, false
	finished, ended := make([]quantity.Micros, n), make([]bool, n)
	began := time.Now()
	var before atomic.Uint64 // operations of runs that have ended
	var reports atomic.Bool  // a run, for all
	err = parallel.Each(ctx, n, 0, func(ctx context.Context, i int) error {
		mine := o
		mine.Seed, mine.Progress = seedOf(o.Seed, i), nil
		if o.Progress != nil && reports.CompareAndSwap(false, true) {
			defer reports.Store(false)
			mine.Progress = func(now Progress) {
				now.Done += before.Load()
				now.Total *= uint64(n)
				o.Progress(now)
			}
		}
		r, err := p.Run(ctx, mine)
		if err == nil {
			done := before.Add(uint64(len(p.ops)))
			finished[i], _ = r.Finish()
			ended[i] = true
			// A short run ends before it reports.
			if mine.Progress != nil && i%reportEvery == 0 {
				o.Progress(Progress{done, uint64(len(p.ops)) * uint64(n), time.Since(began)})
			}
		}
		return err
	})
	switch first := slices.Index(ended, false); {
	case err == nil:
		return finished, nil
	case ctx.Err() != nil:
		return finished[:max(first, 0)], err
	}
	return nil, err
}

// reportEvery is the number of runs from one report of a run's end to the next. The shortest runs
// take some µs, and a report a fraction of that.
const reportEvery = 64

func seedOf(seed uint64, i int) uint64 {
	r := random(seed ^ uint64(i)*0xA24BAED4963EE407)
	return r.next()
}
