package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/fleetflags"
	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/shard"
)

// fleetOutput holds the flags of an answer's output: the table and the picture.
type fleetOutput struct {
	output
	list choice
	plotting
}

func (o *fleetOutput) declare(cmd *cobra.Command) {
	o.output.declare(cmd)
	optional(cmd, &o.list, "list", "the table to print: the findings, the groups of comparable curves, or the skipped files; by default the first two", fleet.Lists()...)
	o.declarePlot(cmd, "draw nodes against nodes into this `file` (png, svg, pdf), ordered so that racks show")
}

func newFleet() *cobra.Command {
	var out fleetOutput
	var q fleet.Question
	var finish func(roots []string) error
	var which shard.Shard
	cmd := command("fleet", wantArgs(1, -1, `at least one folder or file of benchmark output, as in "halfpeak fleet night/"`), func(cmd *cobra.Command, args []string) error {
		if err := out.checkShard(which); err != nil {
			return err
		}
		if err := finish(args); err != nil {
			return err
		}
		ctx, stop := interruptible()
		progress := terminal.Progress(cmd.ErrOrStderr(), -1, "files")
		reader := fleet.Reader{Progress: func(n int) { progress(int64(n)) }}
		if which.Count > 0 {
			defer stop()
			defer progress(-1)
			return fleet.WritePart(ctx, filesOf(cmd), out.path, q, which, reader,
				func(files int64) { cmd.PrintErrf("%s: %d files were read before; reading the rest\n", out.path, files) })
		}
		in, err := fleet.Load(ctx, q.Roots, q.Before, q.Options, reader)
		progress(-1)
		stop()
		if err != nil {
			return err
		}
		return out.answer(cmd, in, q.Options)
	})
	out.declare(cmd)
	f := cmd.Flags()
	flags.Var(f, &which, shard.Parse, "I/N", "shard", "", "do this part of the work, as in 3/64, and write it to the -o file for merge")
	finish = fleetflags.Declare(f, &q)
	cmd.AddCommand(newFleetMerge())
	return cmd
}

func (o *fleetOutput) answer(cmd *cobra.Command, in fleet.Reading, asked fleet.Options) error {
	a, err := fleet.Analyse(in, asked)
	if err != nil {
		return err
	}
	if err := o.draw(cmd, func() (reports.Picture, error) { return a.Map() }); err != nil {
		return err
	}
	if err := o.tables(cmd, a); err != nil {
		return err
	}
	return a.Broken
}

func (o *fleetOutput) tables(cmd *cobra.Command, a *fleet.Answer) error {
	if ext := extension(o.path); o.format.value == "" && (ext == "html" || ext == "htm") {
		return filesOf(cmd).Write(o.path, func(w io.Writer) error { return a.Document().WriteHTML(w) })
	}
	switch {
	case o.list.value == "groups":
		return o.write(cmd, a.GroupRows())
	case o.list.value == "skipped":
		return o.write(cmd, a.SkippedRows())
	case o.list.value == "" && o.forPeople():
		return o.write(cmd, a.Tables()...)
	case o.forPeople():
		rows := a.WorstRows()
		rows.Notes = a.Notes
		return o.write(cmd, rows)
	}
	return o.write(cmd, a.FindingRows())
}

func newFleetMerge() *cobra.Command {
	var out fleetOutput
	cmd := command("fleet merge", wantArgs(1, -1, `the parts of all shards, as in "halfpeak fleet merge part-*"`), func(cmd *cobra.Command, args []string) error {
		in, asked, err := fleet.MergeParts(args)
		if err != nil {
			return err
		}
		return out.answer(cmd, in, asked.Options)
	})
	out.declare(cmd)
	return cmd
}

func (o *fleetOutput) checkShard(which shard.Shard) error {
	switch {
	case which.Count == 0:
		return nil
	case o.path == "":
		return usagef("--shard writes a part; name its file, as in -o part-%d", which.Index)
	case o.plot != "" || o.format.value != "" || o.list.value != "":
		return usagef("--shard writes a part; give --format, --list and --plot to \"halfpeak fleet merge\"")
	}
	return nil
}
