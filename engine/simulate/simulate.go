package simulate

import (
	"context"
	"fmt"
	"time"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Rules define the meaning of the parameters where LogGOPS leaves it open.
type Rules int

const (
	Default   Rules = iota // what the model means; see the package comment
	LogGOPSim              // what LogGOPSim does, to the last nanosecond
)

var rulesNames = []string{"default", "loggopsim"}

// RulesNames are the names that ParseRules reads.
func RulesNames() []string { return append([]string(nil), rulesNames...) }

func (r Rules) String() string { return rulesNames[r] }

// ParseRules reads the name of rules.
func ParseRules(text string) (Rules, error) {
	for i, name := range rulesNames {
		if name == text {
			return Rules(i), nil
		}
	}
	return 0, fmt.Errorf("unknown rules %q%s", text, nearest.Hint(text, rulesNames))
}

// Options control a run of a schedule.
type Options struct {
	Rules   Rules
	LogGOPS LogGOPS // costs of messages if Machine is nil
	Machine Machine // nil: LogGOPS, as LogGOPSim's rules require
	Noise   Noise   // the zero value is no noise
	Seed    uint64  // of the noise and, with fair shares, of the ranks' starts within 10 ns

	// Record keeps what the run did, for [Result.Path] and [Result.Timeline]:
	// 48 bytes for each step of an operation, of which a message has four. The default rules only.
	Record bool

	// Progress, if not nil, is called several times a second, from the goroutine of the run.
	Progress func(Progress)
}

// Progress reports how far a run has come.
type Progress struct {
	Events, Total uint64        // Total is an estimate; deadlocked schedules have fewer
	Elapsed       time.Duration // since the run began
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

// Finish returns the finish time of the schedule, in ticks, and the first of the ranks that finish
// last.
func (r *Result) Finish() (t quantity.Micros, rank int) {
	rank = r.last()
	return r.Micros(r.Ranks[rank]), rank
}

func (r *Result) last() int {
	last := 0
	for rank, t := range r.Ranks {
		if t > r.Ranks[last] {
			last = rank
		}
	}
	return last
}

// Run runs the schedule. The result depends on the program and the options only.
//
// A schedule that cannot end gives a [*Deadlock] error, together with the result as far as it
// came. Other errors are options that contradict each other, parameters out of range, times
// that pass 26 days, and that of the context, whose end ends the run at once.
func (p *Program) Run(ctx context.Context, o Options) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := newRun(ctx, p, o.Record)
	defer r.giveBack()
	r.progress, r.began = o.Progress, time.Now()
	return r.do(o)
}

func (r *run) do(o Options) (*Result, error) {
	micro := o.Rules.ticks()
	r.noise = o.Noise.start(r.s.Ranks(), o.Seed, micro/nanos)
	var err error
	switch {
	case o.Rules == LogGOPSim && o.Machine != nil:
		return nil, fmt.Errorf("LogGOPSim's rules require LogGOPS parameters and cannot use another machine")
	case o.Rules == LogGOPSim && o.Record:
		return nil, fmt.Errorf("a run by LogGOPSim's rules cannot be recorded: its clocks of one rank run apart; leave out the rules")
	case o.Rules == LogGOPSim:
		var m loggops
		if m, err = o.LogGOPS.inTicks(micro, true); err == nil {
			err = r.loggopsim(m)
		}
	default:
		r.costs.machine = o.Machine
		if o.Machine == nil {
			if err := o.LogGOPS.check(); err != nil {
				return nil, err
			}
			r.costs.machine = o.LogGOPS
		}
		if l, ok := o.Machine.(*levels); ok {
			if r.s.Ranks() > l.ranks() {
				return nil, fmt.Errorf("%d ranks, of which %d have a place on the machine", r.s.Ranks(), l.ranks())
			}
			r.costs.machine = l.among(r.s.Ranks())
		}
		r.shared = newSharing(r.costs.machine)
		r.flows = newFlows(r.costs.machine, len(r.ops), o.Seed)
		r.recording = o.Record
		err = r.model()
	}
	if err != nil {
		return nil, err
	}
	return r.result(o)
}

func (r *run) result(o Options) (*Result, error) {
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
	if o.Record {
		res.run = r
	}
	if stuck := r.findDeadlock(); stuck != nil {
		return res, stuck
	}
	return res, nil
}

// tickMask sets how often a run calls tick: every 8,192 entries.
const tickMask = 1<<13 - 1

func (r *run) tick() error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	if r.progress != nil {
		if now := time.Since(r.began); now-r.reported > 200*time.Millisecond {
			r.reported = now
			r.progress(Progress{uint64(max(0, int64(r.num)-int64(r.q.size))), uint64(len(r.ops) + r.msgs), now})
		}
	}
	return nil
}
