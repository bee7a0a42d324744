package study

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// CollectiveCrossovers are where the best algorithm changes.
type CollectiveCrossovers struct {
	Found []CollectiveCrossover
	On    string // what the times are of, in words
}

// A CollectiveCrossover is a size, or a number of ranks, from which on another algorithm is the best.
type CollectiveCrossover struct {
	Over   string         // "size" for these ranks, or "ranks" for this size
	Before CollectiveTime // the best of one byte or one rank less
	Best   CollectiveTime // the best here
}

// Crossovers searches for the changes of the best between neighbours among the times that were
// asked for: to the byte, and to the rank. Where the best is another at two neighbours, it finds the
// changes that lead from one to the other by bisection; it does not see one that comes and goes
// between two neighbours. The errors are those of [Collective].
func (t *CollectiveTimes) Crossovers(ctx context.Context, q CollectiveQuestion) (*CollectiveCrossovers, error) {
	if q.Algorithm != "all" && q.Algorithm != "best" {
		return nil, fmt.Errorf("crossovers are between several algorithms; take --algorithm all")
	}
	type place struct {
		ranks int
		size  quantity.Bytes
	}
	known := map[place]CollectiveTime{}
	for _, c := range t.Times {
		if c.Best {
			known[place{c.Ranks, quantity.Bytes(c.Call.Bytes)}] = c
		}
	}
	q.quick, q.Progress = true, nil
	at := func(p place) (CollectiveTime, error) {
		if c, ok := known[p]; ok {
			return c, nil
		}
		q.Ranks, q.Sizes = []int{p.ranks}, []quantity.Bytes{p.size}
		found, err := Collective(ctx, q)
		if err != nil {
			return CollectiveTime{}, err
		}
		for _, c := range found.Times {
			if c.Best || !c.Compared {
				known[p] = c
			}
		}
		return known[p], nil
	}
	same := func(a, b CollectiveTime) bool { return a.Name == b.Name && a.Call.Segment == b.Call.Segment }
	answer := &CollectiveCrossovers{On: t.On}
	// between appends the changes after from, up to to; along is a place between them.
	between := func(over string, from, to int, along func(int) place) error {
		for {
			first, err := at(along(from))
			if err != nil {
				return err
			}
			last, err := at(along(to))
			if err != nil || same(first, last) {
				return err
			}
			low, high := from, to
			for high-low > 1 {
				middle := low + (high-low)/2
				c, err := at(along(middle))
				if err != nil {
					return err
				}
				if same(c, first) {
					low = middle
				} else {
					high = middle
				}
			}
			before, err := at(along(low))
			if err != nil {
				return err
			}
			here, err := at(along(high))
			if err != nil {
				return err
			}
			answer.Found = append(answer.Found, CollectiveCrossover{over, before, here})
			from = high
		}
	}
	m := t.Map()
	for _, ranks := range m.Ranks {
		for i := range len(m.Sizes) - 1 {
			err := between("size", int(m.Sizes[i]), int(m.Sizes[i+1]), func(n int) place { return place{ranks, quantity.Bytes(n)} })
			if err != nil {
				return nil, err
			}
		}
	}
	for _, size := range m.Sizes {
		for i := range len(m.Ranks) - 1 {
			err := between("ranks", m.Ranks[i], m.Ranks[i+1], func(n int) place { return place{n, size} })
			if err != nil {
				return nil, err
			}
		}
	}
	return answer, nil
}

// Rows is the table of the crossovers.
func (c *CollectiveCrossovers) Rows() reports.Rows {
	type change = CollectiveCrossover
	segment := func(c CollectiveTime) any { return orAbsent(quantity.Bytes(c.Call.Segment), c.Call.Segment > 0) }
	rows := tableOf(c.Found,
		col("collective", "", func(c change) any { return c.Best.Collective }),
		col("over", "over", func(c change) any { return c.Over }),
		col("ranks", "ranks", func(c change) any { return c.Best.Ranks }),
		col("size_bytes", "size", func(c change) any { return quantity.Bytes(c.Best.Call.Bytes) }),
		col("before", "best before", func(c change) any { return c.Before.Name }),
		col("before_segment_bytes", "segment", func(c change) any { return segment(c.Before) }).ranked(1),
		col("best", "best from here on", func(c change) any { return c.Best.Name }),
		col("segment_bytes", "segment", func(c change) any { return segment(c.Best) }).ranked(1),
		col("time_us", "time", func(c change) any { return c.Best.Time }),
		col("next_slower_percent", "second slower by", func(c change) any { return orAbsent(c.Best.NextSlower, c.Best.Next != nil) }).texted(percentText("%.1f %%")),
	)
	rows.Notes = append(rows.Notes, c.On)
	if len(c.Found) == 0 {
		rows.Notes = append(rows.Notes, "The same algorithm is the best for all of these sizes and ranks.")
	}
	return rows
}
