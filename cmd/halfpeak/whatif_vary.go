package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// manyRows is the number of rows beyond which more are written only when forced.
const manyRows = 1e9

// runVary makes the rows of a sweep and its picture.
func (o *whatifOptions) runVary(ctx context.Context, cmd *cobra.Command, d whatif.Design) error {
	s := whatif.Sweeping{Sweep: &whatif.Sweep{Design: d, Sizes: o.sizesOr(whatif.DefaultSize), Names: o.ofOr(whatif.DefaultNames()...)}}
	for _, text := range o.vary {
		r, err := d.ParseRange(text)
		if err != nil {
			return fmt.Errorf("--sweep %w", err)
		}
		s.Ranges = append(s.Ranges, r)
	}
	out, err := o.output(true)
	if err != nil {
		return err
	}
	shown := 0
	if len(o.of) == 0 && !o.finishes() {
		shown = len(s.Names) - 1 // bandwidth
	}
	pictureOnly, stream := o.plot != "" && o.path == "" && o.format.value == "", o.stream()
	switch rows := s.Rows(); {
	case rows > 1<<62:
		return fmt.Errorf("this makes %.3g rows, which cannot be counted; take fewer steps", rows)
	case rows > manyRows && !filesOf(cmd).Force:
		return fmt.Errorf("this makes %.3g rows, some %s; take fewer steps, or give --force", rows, s.Volume())
	case !pictureOnly && stream == "" && rows > whatif.MaxTableRows:
		return usagef("a table cannot have %.0f rows; give -o FILE.csv, .jsonl or .parquet, or --format csv", rows)
	}
	if o.plot != "" {
		if err := s.Draw(shown); err != nil {
			return usageError{err}
		}
	}
	s.Progress = terminal.Progress(cmd.ErrOrStderr(), int64(s.Rows()), "rows")
	var rows reports.Rows
	resumed := func(rows int64) { cmd.PrintErrf("%s: going on after %d of %.0f rows\n", o.path, rows, s.Rows()) }
	switch {
	case pictureOnly:
		err = s.Run(ctx)
	case stream != "" && o.path == "":
		err = s.Stream(ctx, cmd.OutOrStdout(), stream)
	case stream != "":
		err = s.File(ctx, filesOf(cmd), o.path, stream, resumed)
	default:
		rows, err = s.Table(ctx)
	}
	s.Progress(-1)
	if err == nil && !pictureOnly && stream == "" {
		err = out.write(cmd, rows)
	}
	if err != nil {
		return err
	}
	return o.draw(cmd, func() (reports.Picture, error) { return s.Picture(), nil })
}

// sizesOr are the sizes that were given, or others.
func (o *whatifOptions) sizesOr(others string) []quantity.Bytes {
	if o.sized {
		return o.sizes.sizes
	}
	return newSizes(others).sizes
}

// finishes reports whether there is the finish of a program.
func (o *whatifOptions) finishes() bool { return len(o.schedule) > 0 || o.collective.Collective != "" }

// ofOr are the quantities that were given, or others; of a schedule its finish.
func (o *whatifOptions) ofOr(others ...string) []string {
	switch {
	case len(o.of) > 0:
		return o.of
	case o.finishes():
		return o.finish
	}
	return others
}
