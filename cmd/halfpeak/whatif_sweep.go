package main

import (
	"context"

	"github.com/spf13/cobra"

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
func (o sweepOutput) run(ctx context.Context, cmd *cobra.Command, q whatif.SweepQuestion) error {
	q.Picture = o.plot != ""
	switch {
	case o.plot != "" && o.path == "" && o.format == "":
		q.Write = whatif.NoRows
	case o.stream != "":
		q.Write = func(ctx context.Context, s *whatif.Sweep) error {
			if o.path == "" {
				return whatif.StreamSweep(ctx, s, cmd.OutOrStdout(), o.stream)
			}
			return whatif.WriteSweep(ctx, s, o.path, o.stream)
		}
	}
	s, err := q.Sweep()
	if err != nil {
		return err
	}
	progress := progress(cmd.ErrOrStderr(), int64(s.Count()), "rows")
	q.Watch = func(rows int) { progress(int64(rows)) }
	answer, err := whatif.Ask(ctx, q)
	progress(-1) // erases the bar, before anything is printed below it
	if err == nil && q.Write == nil {
		err = o.write(cmd, answer.Rows())
	}
	if err != nil {
		return err
	}
	return o.draw(o.units, func() (table.Picture, error) { return answer.Figure(), nil })
}
