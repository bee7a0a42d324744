//go:build !js

package whatif

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/reports/table"
)

// NoRows computes the rows for the figure alone, and keeps none, however many there are.
func NoRows(ctx context.Context, s *Sweep) error { return interrupted(s.Run(ctx, nil, nil)) }

// StreamSweep writes the rows to w as they come, in one of [table.StreamFormats]. What
// was written before an error stays written: a pipe cannot take it back.
func StreamSweep(ctx context.Context, s *Sweep, w io.Writer, format string) error {
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
func WriteSweep(ctx context.Context, s *Sweep, path, format string) error {
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
	return fmt.Errorf("%w: %d of %.0f rows are complete in %q", err, complete, s.Count(), part)
}

// interrupted words the error of a cancelled context for a user.
func interrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%w; nothing was written", usage.ErrInterrupted)
	}
	return err
}
