package program

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync/atomic"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/calls"
)

// maxSteps bounds the steps of the interpreter, in all ranks: some minutes. A loop over a range of
// 10¹² ends with an error and not next month.
const maxSteps = 20_000_000_000

// maxRanks bounds the ranks of a program: each has a few kilobytes while it runs.
const maxRanks = 1 << 20

// Options say how a program is run.
type Options struct {
	Ranks int // 1 to 2²⁰
	// Collectives are the algorithms of collectives for which the program names none; the zero value
	// stands for [calls.Usual].
	Collectives calls.Collectives
	// MaxCalls is the largest number of calls of all ranks, above 0; 0 stands for no limit.
	MaxCalls int
	// Print, unless it is nil, is called for each print of the program.
	Print func(rank int, text string)
}

// Schedule runs the program on each rank, and returns its operations and marks. Errors name the
// line and the rank. The end of the context ends it at once.
func (p *Program) Schedule(ctx context.Context, o Options) (*schedule.Schedule, *Marks, error) {
	if o.Ranks < 1 || o.Ranks > maxRanks {
		return nil, nil, fmt.Errorf("%s: the number of ranks must be 1 to %d (got %d)", p.name,
			maxRanks, o.Ranks)
	}
	if o.Collectives == nil {
		o.Collectives = calls.Usual
	}
	x := &run{Options: o, program: p, markNumbers: map[string]uint16{}}
	x.addGroup(&group{size: o.Ranks})
	defer context.AfterFunc(ctx, x.interrupt)()
	err := x.takeTurns(ctx)
	for _, r := range x.ranks {
		r.stop() // the coroutines of ranks that wait; no effect on others
	}
	if err != nil {
		return nil, nil, err
	}
	return x.emit(ctx)
}

// A run is a program that its ranks run one after the other. A rank that needs to know what others
// call, as at a split, waits as a coroutine until they have come there.
type run struct {
	Options
	program     *Program
	ranks       []*rank
	groups      []*group
	calls       int
	steps       uint64
	marks       []string
	markNumbers map[string]uint16
	running     atomic.Pointer[starlark.Thread]
}

// A rank runs the program.
type rank struct {
	*run
	number   int
	tape     tape
	requests int        // operations with a request so far
	open     []*request // requests without a wait
	comms    []*comm
	thread   *starlark.Thread
	next     func() (struct{}, bool) // runs the rank until it waits or ends
	stop     func()
	yield    func(struct{}) bool
	at       *split // where the rank waits; nil if it does not
	err      error
}

func (x *run) interrupt() {
	if t := x.running.Load(); t != nil {
		t.Cancel("interrupted")
	}
}

// takeTurns runs all ranks to their ends.
func (x *run) takeTurns(ctx context.Context) error {
	for number := range x.Ranks {
		r := &rank{run: x, number: number}
		r.next, r.stop = iter.Pull(r.main)
		x.ranks = append(x.ranks, r)
		if err := r.resume(ctx); err != nil {
			return err
		}
	}
	for {
		var waits []*rank
		resumed := false
		for _, r := range x.ranks {
			switch {
			case r.at == nil:
			case !r.at.complete():
				waits = append(waits, r)
			default:
				resumed, r.at = true, nil
				if err := r.resume(ctx); err != nil {
					return err
				}
			}
		}
		switch {
		case resumed:
		case len(waits) > 0:
			return x.stuck(waits[0])
		default:
			return x.unequalEnds()
		}
	}
}

// resume runs the rank until it waits or ends.
func (r *rank) resume(ctx context.Context) error {
	if r.thread != nil {
		r.running.Store(r.thread)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	r.next()
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.err
}

// errStopped ends a rank whose run has failed elsewhere.
var errStopped = errors.New("stopped")

// main runs the program on the rank; each yield waits for other ranks.
func (r *rank) main(yield func(struct{}) bool) {
	r.yield = yield
	r.thread = &starlark.Thread{
		Name: fmt.Sprintf("rank %d", r.number),
		Print: func(_ *starlark.Thread, text string) {
			if r.Print != nil {
				r.Print(r.number, text)
			}
		},
		OnMaxSteps: func(t *starlark.Thread) {
			t.Cancel(fmt.Sprintf("the program takes more than %d steps", maxSteps))
		},
	}
	r.thread.SetMaxExecutionSteps(maxSteps - r.steps)
	r.running.Store(r.thread)
	var params []starlark.Tuple
	for _, p := range r.program.params {
		params = append(params, starlark.Tuple{starlark.String(p.name), p.value})
	}
	world := r.newComm(r.groups[0], r.number)
	_, err := starlark.Call(r.thread, r.program.main, starlark.Tuple{world}, params)
	r.steps += r.thread.ExecutionSteps()
	if err == nil && len(r.open) > 0 {
		err = fmt.Errorf("%s:%d: no wait for the request of this call",
			r.program.name, r.open[0].line)
	}
	if err != nil {
		r.err = r.failed(err)
	}
	r.thread, r.open = nil, nil
}

// failed returns an error with its line, then its rank.
func (r *rank) failed(err error) error {
	text := strings.ReplaceAll(located(err).Error(), "Starlark computation cancelled: ", "")
	place, message, found := strings.Cut(text, ": ")
	if !found {
		return fmt.Errorf("%s: rank %d: %s", r.program.name, r.number, text)
	}
	return fmt.Errorf("%s: rank %d: %s", place, r.number, message)
}

// count counts a call against the limit, and notes that it is in the tape.
func (r *rank) count(c code, line uint32) error {
	if r.calls++; r.MaxCalls > 0 && r.calls > r.MaxCalls {
		return fmt.Errorf("more than %d calls; take fewer ranks or steps", r.MaxCalls)
	}
	r.tape.call(c, line)
	return nil
}

// stuck returns the error of a split that some ranks of its communicator do not call.
func (x *run) stuck(r *rank) error {
	s := r.at
	for place := range s.group.size {
		if !s.here[place] {
			other := s.group.rankAt(place)
			if at := x.ranks[other].at; at != nil {
				return fmt.Errorf("%s:%d: rank %d waits for rank %d to call split, which waits at "+
					"another one, in line %d", x.program.name, s.line, r.number, other, at.line)
			}
			return fmt.Errorf("%s:%d: rank %d waits for rank %d to call split, but that ends "+
				"without it", x.program.name, s.line, r.number, other)
		}
	}
	return nil
}

// unequalEnds returns an error if a rank has called fewer collectives of a communicator than
// another rank has.
func (x *run) unequalEnds() error {
	for _, r := range x.ranks {
		for _, c := range r.comms {
			if c.calls < len(c.group.calls) {
				next := &c.group.calls[c.calls]
				return fmt.Errorf("%s:%d: rank %d calls %s, but rank %d ends without it; all "+
					"ranks of a communicator must call the same collectives", x.program.name,
					next.line, next.rank, next.name, r.number)
			}
		}
		r.comms = nil
	}
	return nil
}
