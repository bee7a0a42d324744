package collective

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Crossover is a change of the best algorithm at a size, or at a number of ranks.
type Crossover struct {
	Over   string // "size" for these ranks, or "ranks" for this size
	Before Timing // the best of one byte or one rank less
	Best   Timing // the best here
}

// crossovers returns the changes of the best between neighbours among the times: to the byte, and
// if asked to the rank. It does not see an algorithm that is the best only between two neighbours.
// It searches by bisection where the best is another at two neighbours, and times only places
// between them.
func crossovers(ctx context.Context, t *Times, overRanks bool) ([]Crossover, error) {
	if !t.Several() {
		return nil, usage.Fields(fmt.Errorf("crossovers need several algorithms"), "algorithm")
	}
	s := search{times: t, known: map[Place]Timing{}}
	for _, c := range t.Times {
		if c.Best {
			s.known[c.Place()] = c
		}
	}
	allRanks, sizes := t.Axes()
	for _, ranks := range allRanks {
		for i := range len(sizes) - 1 {
			along := func(n int) Place { return Place{Ranks: ranks, Size: quantity.Bytes(n)} }
			err := s.bisect(ctx, "size", int(sizes[i]), int(sizes[i+1]), along)
			if err != nil {
				return nil, err
			}
		}
	}
	for _, size := range sizes {
		for i := 0; overRanks && i < len(allRanks)-1; i++ {
			along := func(n int) Place { return Place{Ranks: n, Size: size} }
			err := s.bisect(ctx, "ranks", allRanks[i], allRanks[i+1], along)
			if err != nil {
				return nil, err
			}
		}
	}
	return s.found, nil
}

// A search looks for crossovers. It keeps the best of each place: neighbouring bisections share
// their ends.
type search struct {
	times *Times
	known map[Place]Timing // the best
	found []Crossover
}

// best returns the best at a place; a timing without a name if it is not known.
func (s *search) best(ctx context.Context, p Place) (Timing, error) {
	if c, ok := s.known[p]; ok {
		return c, nil
	}
	found, err := s.times.At(ctx, p)
	if err != nil {
		return Timing{}, err
	}
	for _, c := range found {
		// A call that one algorithm alone can take was not compared; that algorithm is the best.
		if c.Best || !c.Compared {
			s.known[p] = c
		}
	}
	return s.known[p], nil
}

// bisect adds the changes after from, up to to; along returns the place of a number between them.
//
// Each round finds the first change after from, by halving an interval whose ends differ, and goes
// on behind it. A round times lg(to − from) places, and there is one round for each change.
func (s *search) bisect(ctx context.Context, over string, from, to int,
	along func(int) Place) error {
	last, err := s.best(ctx, along(to))
	if err != nil {
		return err
	}
	for {
		before, err := s.best(ctx, along(from))
		if err != nil || before.Name == "" || before.SameAs(last.Cell) {
			return err
		}
		first, here, high := before, last, to
		for low := from; high-low > 1; {
			middle := low + (high-low)/2
			c, err := s.best(ctx, along(middle))
			if err != nil {
				return err
			}
			if c.SameAs(first.Cell) {
				low, before = middle, c
			} else {
				high, here = middle, c
			}
		}
		if here.Name == "" {
			return nil
		}
		s.found = append(s.found, Crossover{over, before, here})
		from = high
	}
}
