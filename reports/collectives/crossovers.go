package collectives

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// A crossover is a change of the best algorithm at a size, or at a number of ranks.
type crossover struct {
	Over   string // "size" for these ranks, or "ranks" for this size
	Before Timing // the best of one byte or one rank less
	Best   Timing // the best here
}

// crossovers returns the changes of the best between neighbours among the times that were asked
// for: to the byte, and to the rank. It does not see an algorithm that is the best only between two
// neighbours. The errors are those of Compute.
func (t *Times) Crossovers(ctx context.Context, q Asker) ([]crossover, error) {
	return t.crossovers(ctx, q, true)
}

// crossovers finds the changes by bisection where the best is another at two neighbours, over ranks
// if these are asked for. It takes the known times as a start, so that only places between them are
// computed.
func (t *Times) crossovers(ctx context.Context, q Asker, overRanks bool) ([]crossover, error) {
	if !q.calls().several() {
		return nil, usage.Fields(fmt.Errorf("crossovers need several algorithms"), "algorithm")
	}
	s := search{Asker: q, known: map[place]Timing{}}
	for _, c := range t.Times {
		if c.Best {
			s.known[c.place()] = c
		}
	}
	allRanks, sizes := t.axes()
	for _, ranks := range allRanks {
		for i := range len(sizes) - 1 {
			along := func(n int) place { return place{ranks, quantity.Bytes(n)} }
			err := s.bisect(ctx, "size", int(sizes[i]), int(sizes[i+1]), along)
			if err != nil {
				return nil, err
			}
		}
	}
	for _, size := range sizes {
		for i := 0; overRanks && i < len(allRanks)-1; i++ {
			along := func(n int) place { return place{n, size} }
			err := s.bisect(ctx, "ranks", allRanks[i], allRanks[i+1], along)
			if err != nil {
				return nil, err
			}
		}
	}
	return s.found, nil
}

// A search looks for crossovers of a question. It keeps the best of each place:
// neighbouring bisections share their ends.
type search struct {
	Asker
	known map[place]Timing // the best
	found []crossover
}

// best returns the best at a place, by asking the question about that place alone,
// without progress: the number of places that a search asks about is not known in
// advance.
func (s *search) best(ctx context.Context, p place) (Timing, error) {
	if c, ok := s.known[p]; ok {
		return c, nil
	}
	calls := s.calls()
	calls.Ranks, calls.Sizes = []int{p.ranks}, []quantity.Bytes{p.size}
	found, err := s.about(calls, true).Compute(ctx)
	if err != nil {
		return Timing{}, err
	}
	for _, c := range found.Times {
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
// on behind it. A round takes lg(to − from) questions, and there is one round for each change.
func (s *search) bisect(ctx context.Context, over string, from, to int,
	along func(int) place) error {
	last, err := s.best(ctx, along(to))
	if err != nil {
		return err
	}
	// Another size of segments is another line in a library's rules, so it counts as a change.
	same := func(a, b Timing) bool {
		return a.Name == b.Name && a.Call.Segment == b.Call.Segment
	}
	for {
		before, err := s.best(ctx, along(from))
		if err != nil || same(before, last) {
			return err
		}
		first, here, high := before, last, to
		for low := from; high-low > 1; {
			middle := low + (high-low)/2
			c, err := s.best(ctx, along(middle))
			if err != nil {
				return err
			}
			if same(c, first) {
				low, before = middle, c
			} else {
				high, here = middle, c
			}
		}
		s.found = append(s.found, crossover{over, before, here})
		from = high
	}
}

// CrossoverRows tabulates the crossovers of times on a platform.
func CrossoverRows(found []crossover, on string) reports.Rows {
	type change = crossover
	col := reports.Col[change]
	nextSlower := func(c change) any {
		return reports.OrAbsent(c.Best.NextSlower, c.Best.Next != nil)
	}
	rows := reports.TableOf(found,
		col("collective", "", func(c change) any { return c.Best.Collective }),
		col("over", "over", func(c change) any { return c.Over }),
		col("ranks", "ranks", func(c change) any { return c.Best.Ranks }),
		col("size_bytes", "size", func(c change) any { return c.Best.size() }),
		col("before", "previous best", func(c change) any { return c.Before.Name }),
		col("before_segment_bytes", "segment",
			func(c change) any { return segment(c.Before) }).Ranked(1),
		col("best", "new best", func(c change) any { return c.Best.Name }),
		col("segment_bytes", "segment", func(c change) any { return segment(c.Best) }).Ranked(1),
		col("time_us", "time", func(c change) any { return c.Best.Time }),
		col("next_slower_percent", "runner-up slower by", nextSlower).Texted(percentText),
	)
	rows.Notes = append(rows.Notes, on)
	if len(found) == 0 {
		rows.Notes = append(rows.Notes,
			"The same algorithm is the best for all of these sizes and ranks.")
	}
	return rows
}
