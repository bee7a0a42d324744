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

// fleetOutput says how the answer of a fleet is shown.
type fleetOutput struct {
	output
	list choice
	plotting
}

func (o *fleetOutput) declare(cmd *cobra.Command) {
	o.output.declare(cmd)
	enum(cmd, &o.list, "list", "the table to print: the findings, the groups of comparable curves, or the skipped files; by default the first two", fleet.Lists()...)
	o.list.old = map[string]string{"left": "skipped"}
	o.list.value, cmd.Flags().Lookup("list").DefValue = "", ""
	o.declarePlot(cmd, "draw nodes against nodes into this `file` (png, svg, pdf), ordered so that racks show")
}

func newFleet() *cobra.Command {
	var out fleetOutput
	var q fleet.Question
	var finish func(roots []string) error
	var which shard.Shard
	cmd := &cobra.Command{
		Use:   "fleet DIR|FILE…",
		Short: "Find the slow nodes and pairs of nodes of a cluster",
		Long: `Fleet reads folders of benchmark output, fits each curve, and reports the nodes and pairs of nodes
that are significantly slower than comparable ones: by how much, with an interval. The expected
share of false alarms among the findings is at most --fdr. If a node is slow, its pairs are not
listed separately.

It reads the formats of "halfpeak fit", also in tar archives, concatenated in one file, in logs of
pods (kubectl logs --prefix) and with timestamps. Node names come from the output of nccl-tests,
from the columns node_a and node_b of tables (--nodes names others), or from file names: in
--name, * matches any letters, {a} and {b} are the nodes, and any other name in braces is a
dimension that curves must share to be compared.

Files without benchmark output are skipped and listed. If a file is damaged or reading is
interrupted, the report covers the rest, and the exit status is 1. Findings do not change it.`,
		Example: `  halfpeak fleet night/
  halfpeak fleet night/ --name 'osu_G{gpus}_{a}_{b}.txt' --plot fleet.png
  halfpeak fleet today/ --baseline yesterday/ -o change.html
  halfpeak fleet night.tar.gz --format csv --list groups`,
		Args: wantArgs(1, -1, `at least one folder or file of benchmark output, as in "halfpeak fleet night/"`),
		RunE: func(cmd *cobra.Command, args []string) error {
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
					func(files int64) { cmd.PrintErrf("%s: %d files were read before; others are read\n", out.path, files) })
			}
			in, err := fleet.Load(ctx, q.Roots, q.Before, q.Options, reader)
			progress(-1)
			stop()
			if err != nil {
				return err
			}
			return out.answer(cmd, in, q.Options)
		},
	}
	out.declare(cmd)
	f := cmd.Flags()
	flags.Var(f, &which, shard.Parse, "I/N", "shard", "", "do this part of the work, as in 3/64, and write it to the -o file for merge")
	finish = fleetflags.Declare(f, &q)
	renamed(cmd, map[string]string{"least": "min-effect", "rate": "fdr", "odd": "two-sided", "before": "baseline"})
	cmd.AddCommand(newFleetMerge())
	return cmd
}

// answer compares what was read and shows it.
func (o *fleetOutput) answer(cmd *cobra.Command, in fleet.Reading, asked fleet.Options) error {
	if o.list.given != "" {
		cmd.PrintErrf("--list %s is called %s now\n", o.list.given, o.list.value)
	}
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

func (o *fleetOutput) tables(cmd *cobra.Command, a *fleet.Result) error {
	if ext := extension(o.path); o.format == "" && (ext == "html" || ext == "htm") {
		return filesOf(cmd).Write(o.path, func(w io.Writer) error { return a.Document(o.units).WriteHTML(w) })
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
