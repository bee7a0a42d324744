package program

import (
	"context"
	"fmt"
	"iter"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// maxRanks bounds the ranks of a program: each has a few kilobytes while it runs.
const maxRanks = 1 << 20

// Schedule runs the program on each rank, and returns its operations and marks. Errors name the
// line and the rank. The end of the context ends it at once.
func (p *Program) Schedule(ctx context.Context, o Options) (*schedule.Schedule, *schedule.Marks,
	error) {
	if o.Ranks < 1 || o.Ranks > maxRanks {
		return nil, nil, fmt.Errorf("%s: the number of ranks must be 1 to %d (got %d)", p.name,
			maxRanks, o.Ranks)
	}
	x := &run{Options: o, program: p, markNumbers: map[string]uint16{}}
	x.addGroup(&group{size: o.Ranks})
	err := x.run(ctx, p.name, func() error {
		defer func() {
			for _, r := range x.ranks {
				r.stop() // the coroutines of ranks that wait; no effect on others
			}
		}()
		return x.takeTurns(ctx)
	})
	if err != nil {
		return nil, nil, err
	}
	return x.emit(ctx)
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
		r.now(r.thread)
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

// main runs the program on the rank; each yield waits for other ranks.
func (r *rank) main(yield func(struct{}) bool) {
	r.yield = yield
	r.thread = r.newThread(fmt.Sprintf("rank %d", r.number), func(text string) {
		if r.Print != nil {
			r.Print(r.number, text)
		}
	})
	var params []starlark.Tuple
	for _, p := range r.program.params {
		params = append(params, starlark.Tuple{starlark.String(p.name), p.value})
	}
	world, _ := r.newComm(r.groups[0], r.number) // no error: it is the first one
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
		for _, m := range r.members {
			if m.calls < len(m.group.calls) {
				next := &m.group.calls[m.calls]
				return fmt.Errorf("%s:%d: rank %d calls %s, but rank %d ends without it; all "+
					"ranks of a communicator must call the same collectives", x.program.name,
					next.line, next.rank, next.name, r.number)
			}
		}
		r.members = nil
	}
	return nil
}
