package program

import (
	"context"
	"fmt"
	"iter"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// threadRank is the name by which a thread has its rank.
const threadRank = "rank"

// maxRanks bounds the ranks of a program: each has a few kilobytes while it runs.
const maxRanks = 1 << 20

// Schedule runs the program on each rank, and returns its operations and marks. Errors name the
// line and the rank. The end of the context ends it at once.
func (p *Program) Schedule(ctx context.Context, o Options) (*schedule.Schedule, *schedule.Marks,
	error) {
	c, err := p.Calls(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return c.Schedule(ctx)
}

// runs runs the program on each rank, or once for the ranks of a class.
func (p *Program) runs(ctx context.Context, o Options, shared bool) (*run, error) {
	x := &run{Options: o, program: p, of: make([]*rank, o.Ranks), markNumbers: map[string]uint16{}}
	x.addGroup(&group{size: o.Ranks})
	return x, x.run(ctx, p.name, func() error {
		defer func() {
			for _, r := range x.ranks {
				r.stop() // the coroutines of ranks that wait; no effect on others
			}
		}()
		alone := newClass(o.Ranks).ranks
		if shared && p.shared != nil {
			var err error
			if alone, err = x.shared(ctx, alone); err != nil {
				return err
			}
		}
		return x.takeTurns(ctx, alone)
	})
}

// newRank returns a rank that has not begun.
func (x *run) newRank(number int) *rank {
	r := &rank{run: x, number: number}
	r.next, r.stop = iter.Pull(r.main)
	return r
}

// add makes a rank one of those of the run, for itself or for its class.
func (x *run) add(r *rank) {
	x.ranks = append(x.ranks, r)
	if r.class == nil {
		x.of[r.number] = r
		return
	}
	for _, number := range r.class.ranks {
		x.of[number] = r
	}
}

// takeTurns runs ranks to their ends.
func (x *run) takeTurns(ctx context.Context, ranks []int32) error {
	for _, number := range ranks {
		r := x.newRank(int(number))
		x.add(r)
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
		if r.single() == nil && r.Print != nil {
			r.printed = true
			r.Print(r.number, text)
		}
	})
	r.thread.SetLocal(threadRank, r)
	var params []starlark.Tuple
	for _, p := range r.program.params {
		params = append(params, starlark.Tuple{starlark.String(p.name), p.value})
	}
	world, _ := r.newComm(r.groups[0], r.number) // no error: it is the first one
	main := r.program.main
	if r.class != nil {
		main = r.program.shared
	}
	_, err := starlark.Call(r.thread, main, starlark.Tuple{world}, params)
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
			if at := x.of[other].at; at != nil {
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
	for _, r := range x.of {
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
