package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// A sweepOutput holds the flags of a sweep's output: tables, pictures, and rows as a stream.
type sweepOutput struct {
	*output
	*plotting
	stream string // the format in which rows go out as they are computed; "": as a table
}

// run computes a sweep into a stream, a file, a table or only a picture.
func (o sweepOutput) run(ctx context.Context, cmd *cobra.Command, s *whatif.Sweep) error {
	pictureOnly, stream := o.plot != "" && o.path == "" && o.format == "", o.stream
	// Before the run: the picture is collected on the way.
	var picture func() table.Picture
	var err error
	if o.plot != "" {
		if picture, err = whatif.DrawSweep(s); err != nil {
			return usage.Error{Err: err}
		}
	}
	progress := progress(cmd.ErrOrStderr(), int64(s.Rows()), "rows")
	s.Watch = append(s.Watch, func(b *whatif.Block) { progress(int64(b.Rows)) })
	var rows table.Rows
	switch {
	case pictureOnly: // keeps no rows, however many there are
		err = interrupted(ctx, s.Run(ctx, nil, nil))
	case stream != "" && o.path == "":
		err = whatif.StreamSweep(s, ctx, cmd.OutOrStdout(), stream)
	case stream != "":
		err = whatif.WriteSweep(s, ctx, o.path, stream)
	default:
		rows, err = whatif.SweepTable(s, ctx)
	}
	progress(-1) // erases the bar, before anything is printed below it
	if err == nil && !pictureOnly && stream == "" {
		err = o.write(cmd, rows)
	}
	if err != nil {
		return err
	}
	return o.draw(o.units, func() (table.Picture, error) { return picture(), nil })
}
