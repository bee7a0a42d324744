package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/internal/flags"
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
	o := fleet.Options{}
	least, rate := flags.Percent(1), flags.Percent(5)
	var before, places string
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
			if rate <= 0 || rate >= 50 {
				return usagef("--fdr must be above 0 and below 50 %% (got %v)", float64(rate))
			}
			if err := out.checkShard(which); err != nil {
				return err
			}
			if _, err := fleet.ParsePattern(o.Name); o.Name != "" && err != nil {
				return usagef("--name %q: %w", o.Name, err)
			}
			if places != "" {
				var err error
				if o.Places, err = readPlaces(places); err != nil {
					return err
				}
			}
			o.MinEffect, o.FDR = float64(least)/100, float64(rate)/100
			ctx, stop := interruptible()
			progress := terminal.Progress(cmd.ErrOrStderr(), -1, "files")
			reader := fleet.Reader{Progress: func(n int) { progress(int64(n)) }}
			if which.Count > 0 {
				defer stop()
				defer progress(-1)
				return fleet.WritePart(ctx, filesOf(cmd), out.path, fleet.Question{Roots: args, Before: before, Options: o}, which, reader,
					func(files int64) { cmd.PrintErrf("%s: %d files were read before; others are read\n", out.path, files) })
			}
			in, err := fleet.Load(ctx, args, before, o, reader)
			progress(-1)
			stop()
			if err != nil {
				return err
			}
			return out.answer(cmd, in, o)
		},
	}
	out.declare(cmd)
	f := cmd.Flags()
	flags.Var(f, &which, shard.Parse, "I/N", "shard", "", "do this part of the work, as in 3/64, and write it to the -o file for merge")
	f.StringVar(&o.Name, "name", "", "`pattern` of file names with {a} and {b} for the nodes")
	f.StringSliceVar(&o.Columns, "nodes", nil, "`columns` of a CSV or JSON that name the nodes")
	f.StringVar(&o.X, "x", "", "`column` of the sizes in a CSV, by name or number, as in \"size:KiB\"")
	f.StringVar(&o.Y, "y", "", "`column` of the times in a CSV, as in \"time:ms\"")
	f.StringSliceVar(&o.Group, "group", nil, "`columns` of a CSV or JSON whose values are curves of their own")
	f.StringSliceVar(&o.Pool, "pool", nil, "`columns` of a CSV or JSON whose values are pooled")
	f.StringVar(&places, "places", "", "groups of nodes, such as racks or switches: a CSV `file` of node and group")
	f.StringVar(&before, "baseline", "", "report changes since these measurements; a folder or `file`")
	f.BoolVar(&o.TwoSided, "two-sided", false, "also report nodes and pairs that are faster (two-sided test)")
	f.Var(&rate, "fdr", "false discovery rate: the expected share of false alarms among the findings")
	f.Var(&least, "min-effect", "minimum effect size to report")
	f.BoolVar(&o.All, "all", false, "in CSV and JSON, list all tested nodes and pairs")
	renamed(cmd, map[string]string{"least": "min-effect", "rate": "fdr", "odd": "two-sided", "before": "baseline"})
	cmd.AddCommand(newFleetMerge())
	return cmd
}

// readPlaces reads the groups of nodes.
func readPlaces(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	places, err := fleet.ReadPlaces(file)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", path, err)
	}
	return places, nil
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
