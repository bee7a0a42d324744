package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// newSweep declares whatif sweep.
func newSweep() *cobra.Command {
	o := whatifOptions{streams: true}
	cmd := command("whatif sweep", wantArgs(2, -1, "a platform and ranges, as in "+
		`"halfpeak whatif sweep clip wire.tau=1us/KiB..8us/KiB/100"`), o.run(o.sweep))
	o.declare(cmd, table.StreamFormats[1:]...) // csv is among those of all tables
	o.declareSizes(cmd, whatif.OneSize)
	o.declareQuantity(cmd)
	o.declareFigure(cmd)
	o.declareCall(cmd)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) (
		[]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return completePlatforms(cmd, args, typed)
		}
		return paramsOf(cmd, args[0], "=")
	}
	return cmd
}

// sweep computes a sweep into a stream, a file, a table or only a picture.
func (o *whatifOptions) sweep(ctx context.Context, cmd *cobra.Command, args []string) (
	table.Answer, error) {
	about, err := o.about(ctx, args[0], args[1:]...)
	if err != nil {
		return nil, err
	}
	q := whatif.SweepQuestion{Case: about, Picture: o.plot != ""}
	for _, text := range args[1:] {
		r, err := about.After.ParseRange(text)
		if err != nil {
			return nil, err
		}
		q.Ranges = append(q.Ranges, r)
	}
	stream := o.stream()
	switch {
	case o.plot != "" && o.out.path == "" && o.out.format == "":
		q.Write = whatif.NoRows
	case stream != "" && o.out.path == "":
		q.Write = func(ctx context.Context, s *whatif.Sweep) error {
			return whatif.StreamSweep(ctx, s, cmd.OutOrStdout(), stream)
		}
	case stream != "":
		q.Write = func(ctx context.Context, s *whatif.Sweep) error {
			return whatif.WriteSweep(ctx, s, o.out.path, stream)
		}
	}
	o.written = q.Write != nil
	s, err := q.Sweep()
	if err != nil {
		return nil, err
	}
	o.bar(-1)
	o.bar = func(int64) {} // a sweep shows its rows
	rows := progress(o.stderr, int64(s.Count()), "rows")
	defer rows(-1)
	q.Watch = func(n int) { rows(int64(n)) }
	return q.Ask(ctx)
}
