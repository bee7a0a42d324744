//go:build !js

package whatif

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// maxTableRows is the maximum number of rows of a sweep's table, which is held in
// memory and aligned as a whole. Longer sweeps go to a file.
const maxTableRows = 10_000

// SweepTable returns the rows, at most 10,000, for people: numbers of one column have one scale.
func SweepTable(s *Sweep, ctx context.Context) (table.Rows, error) {
	rows := table.Rows{}
	if s.Rows() > maxTableRows {
		return rows, usage.Fields(usage.Error{Err: fmt.Errorf("a table cannot have %.0f rows; "+
			"write them to a file of CSV or JSON Lines", s.Rows())}, "output", "format")
	}
	// Times without a size, such as the finish of a schedule, need no column of sizes
	// for people.
	size := table.HeadIf(Sized(s.Quantities), "size")
	heads := slices.Concat(list.Map(s.Ranges, rangeTitle), []string{size},
		list.Map(s.Quantities, func(q Quantity) string { return q.Kind.Title }))
	fixed := len(s.Ranges) + 1 // columns without a quantity
	for i, key := range s.Keys() {
		rows.Columns = append(rows.Columns, table.Column{Key: key, Head: heads[i]})
	}
	// Rows are chunks of the block's values, one per column.
	err := s.Run(ctx, nil, func(b *Block) error {
		for row := range slices.Chunk(b.Values, len(rows.Columns)) {
			cells := list.Map(row, func(v float64) any { return v })
			for k, q := range s.Quantities {
				value := row[fixed+k] / q.Kind.Dim.Column().Scale
				cells[fixed+k] = table.Shown(q.Kind.Dim, quantity.Alone(value))
			}
			rows.Data = append(rows.Data, cells)
		}
		return nil
	})
	for j := range s.Ranges {
		values := list.Map(rows.Data, func(row []any) float64 { return row[j].(float64) })
		scale := quantity.NewScale(quantity.DimNone, nil, 3, values...)
		rows.Columns[j].Text = func(v any) string { return scale.Number(v.(float64)) }
	}
	rows.Columns[len(s.Ranges)].Text = func(v any) string {
		return quantity.Bytes(v.(float64)).String()
	}
	rows.Doubts = NotesOf(s.Quantities)
	return rows, interrupted(err)
}

// StreamSweep writes the rows to w as they come, in one of [reports.StreamFormats]. What
// was written before an error stays written: a pipe cannot take it back.
func StreamSweep(s *Sweep, ctx context.Context, w io.Writer, format string) error {
	header, encode, err := table.NewRowEncoder(format, s.Keys())
	if err != nil {
		return err
	}
	if _, err := w.Write(header); err != nil {
		return err
	}
	return interrupted(s.Run(ctx, encode, func(b *Block) error {
		_, err := w.Write(b.Text)
		return err
	}))
}

// WriteSweep writes the rows to a file as they are computed. If it is interrupted, or the
// disk is full, the complete rows stay in NAME.partial, which the error names: hours
// of simulation are worth keeping. Without a complete row, nothing is kept.
func WriteSweep(s *Sweep, ctx context.Context, path, format string) error {
	header, encode, err := table.NewRowEncoder(format, s.Keys())
	if err != nil {
		return err
	}
	file, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	// Blocks are written whole, so complete counts whole rows only.
	complete := 0
	if _, err = file.Write(header); err == nil {
		err = s.Run(ctx, encode, func(b *Block) error {
			_, err := file.Write(b.Text)
			if err == nil {
				complete += b.Rows
			}
			return err
		})
	}
	switch {
	case err == nil:
		return file.Close()
	case complete == 0:
		file.Discard()
		return interrupted(err)
	case errors.Is(err, context.Canceled):
		err = usage.ErrInterrupted
	}
	part, keeping := file.Keep()
	if keeping != nil {
		return keeping
	}
	return fmt.Errorf("%w: %d of %.0f rows are complete in %q", err, complete, s.Rows(), part)
}

// interrupted words the error of a cancelled context for a user.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; nothing was written", usage.ErrInterrupted)
	}
	return err
}
