package program

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"go.starlark.net/starlark"
)

// maxRanks bounds the ranks of a program: each has a few kilobytes while it runs.
const maxRanks = 1 << 20

// runs runs the program on each rank, or once for the ranks of a class.
func (p *Program) runs(ctx context.Context, o Options, shared bool) (*Calls, error) {
	x := &Calls{Options: o, program: p, of: make([]*rank, o.Ranks),
		markNumbers: map[string]uint16{}}
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

// shared runs the program for classes of the ranks. It returns the ranks of no class.
func (x *Calls) shared(ctx context.Context, all []int32) (alone []int32, err error) {
	open := [][]int32{all}
	for runs := 0; len(open) > 0; runs++ {
		ranks := open[0]
		open = open[1:]
		if runs >= maxClasses || 4*runs > x.Ranks || len(ranks) == 1 {
			alone = append(alone, ranks...)
			continue
		}
		r := x.newRank(int(ranks[0]))
		c := &class{ranks: ranks, known: map[uint64][]uint64{}}
		r.class = c
		calls := x.calls
		if err := r.resume(ctx); ctx.Err() != nil {
			return nil, err
		}
		switch {
		case r.err == nil && !c.alone && c.way == nil:
			x.add(r)
			continue
		case c.alone || c.way == nil:
			alone = append(alone, ranks...)
		default:
			open = append(open, c.parts()...)
			slices.SortFunc(open, func(a, b []int32) int { return cmp.Compare(a[0], b[0]) })
		}
		r.stop()
		x.calls = calls
	}
	slices.Sort(alone)
	return alone, nil
}

// newRank returns a rank that has not begun.
func (x *Calls) newRank(number int) *rank {
	r := &rank{Calls: x, number: number}
	r.next, r.stop = iter.Pull(r.main)
	return r
}

// add makes a rank one of those of the run, for itself or for its class.
func (x *Calls) add(r *rank) {
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
func (x *Calls) takeTurns(ctx context.Context, ranks []int32) error {
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
func (x *Calls) stuck(r *rank) error {
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
func (x *Calls) unequalEnds() error {
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
