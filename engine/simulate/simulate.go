package simulate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/halfpeak/halfpeak/internal/memory"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/model/quantity"
)

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

	record *record // nil: none was kept
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
	r, err := p.begin(ctx, o)
	if err != nil {
		return nil, err
	}
	defer r.giveBack()
	if err := r.loop(r); err != nil {
		return nil, err
	}
	return r.result(), r.end().deadlock()
}

// A simulation is a run by some rules.
type simulation interface {
	rules
	loop(by rules) error
	result() *Result
	end() ending
	giveBack() // of what it has borrowed
}

func (p *Program) begin(ctx context.Context, o Setup) (simulation, error) {
	if o.Rules == LogGOPSim {
		return newPeer(ctx, p, o)
	}
	r := &run{}
	err := r.renew(ctx, p, o)
	if err == nil {
		r.start()
	}
	return r, err
}

// finishes returns a result with the finish times of the ranks, by their processors.
func (k *kernel) finishes(by Rules) *Result {
	res := &Result{Ranks: make([]uint64, k.s.Ranks()), Rules: by, Events: uint64(k.num)}
	for rank := range res.Ranks {
		res.Ranks[rank] = slices.Max(k.clock[rank*k.stride:][:len(k.cpus.list)])
	}
	return res
}

// result returns the finish times of the ranks, also by their NICs, and what was observed.
func (r *run) result() *Result {
	res := r.finishes(Default)
	for rank := range res.Ranks {
		res.Ranks[rank] = max(res.Ranks[rank], r.out[rank])
	}
	if r.record != nil {
		r.record.close()
	}
	slices.SortFunc(r.marks, func(a, b MarkEnd) int { return cmp.Compare(a.Op, b.Op) })
	res.Marks, res.Parts, res.Assumed, res.record = r.marks, r.tally, r.assumed, r.record
	return res
}

func (r *peer) result() *Result { return r.finishes(LogGOPSim) }

func (r *peer) end() ending {
	return ending{kernel: &r.kernel, isRendezvous: func(i uint32) bool {
		return r.ops[i].Size > r.S
	}}
}

func (r *run) end() ending {
	return ending{kernel: &r.kernel, joined: r.joined, isRendezvous: func(i uint32) bool {
		op := &r.ops[i]
		return r.costs.of(r.nodes[i].rank, op.Peer, op.Size).rendezvous
	}}
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
