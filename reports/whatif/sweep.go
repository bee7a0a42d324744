//go:build !js

package whatif

import (
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A SweepQuestion asks for quantities at all values of ranges, the times of the design's calls or,
// without any, the one-way time, the gap and the bandwidth; nil sizes are [OneSize].
type SweepQuestion struct {
	Case
	Ranges []Range
	// Picture asks for a figure: of the first of the quantities that are asked for; if none is, of
	// the bandwidth.
	Picture bool
	// Write takes the rows as they are computed, with [StreamSweep], [WriteSweep] or [NoRows]; nil:
	// they are those of the answer, at most 10,000.
	Write func(context.Context, *Sweep) error
	Watch func(rows int) // is told of rows that are computed; nil: nobody is
}

// Sweep returns the sweep, of which nothing is computed.
func (q SweepQuestion) Sweep() (*Sweep, error) {
	s := &Sweep{Design: q.After, Ranges: q.Ranges, Sizes: q.sizesOr(OneSize)}
	s.Quantities = q.quantitiesOr("one_way", "gap", "bandwidth")
	if q.Quantities == nil && len(q.After.Calls) == 0 {
		if q.After.Layer.GapError() != nil {
			s.Quantities = q.quantitiesOr("one_way", "bandwidth")
		}
		s.Shown = len(s.Quantities) - 1
	}
	return s, s.check()
}

// Swept are the rows of a sweep.
type Swept struct {
	*Sweep
	rows    [][]float64 // as those of a [Block]
	collect collector   // of the figure; nil: none
	notes   []remark.Note
	// noInterval says what is known of the errors.
	noInterval string
	asked      bool // for these quantities
}

// maxTableRows is the maximum number of rows of a sweep's table, which is held in
// memory and aligned as a whole. Longer sweeps go to a file.
const maxTableRows = 10_000

func (q SweepQuestion) Ask(ctx context.Context) (*Swept, error) {
	s, err := q.Sweep()
	if err != nil {
		return nil, err
	}
	a := &Swept{Sweep: s, notes: NotesOf(s.Quantities),
		noInterval: q.After.noInterval(s.Quantities), asked: q.Quantities != nil}
	if q.Picture {
		if a.collect, err = newCollector(s); err != nil {
			return nil, usage.Error{Err: err}
		}
		s.Watch = append(s.Watch, a.collect.add)
	}
	if q.Watch != nil {
		s.Watch = append(s.Watch, func(b *Block) { q.Watch(b.Rows) })
	}
	if q.Write != nil {
		return a, q.Write(ctx, s)
	}
	if s.Count() > maxTableRows {
		return nil, usage.Fields(usage.Error{Err: fmt.Errorf("a table cannot have %.0f rows; "+
			"write them to a file of CSV or JSON Lines", s.Count())}, "output", "format")
	}
	// Rows are chunks of the block's values, one per column.
	err = s.Run(ctx, nil, func(b *Block) error {
		a.rows = slices.AppendSeq(a.rows, slices.Chunk(slices.Clone(b.Values), len(s.Keys())))
		return nil
	})
	return a, interrupted(err)
}
