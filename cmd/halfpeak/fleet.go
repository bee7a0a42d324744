package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/reports/draw"
	"github.com/halfpeak/halfpeak/reports/fleet"
)

// fleetOptions holds the flags of the command.
type fleetOptions struct {
	columns columnsFlag
	out     output
	list    string
	plotting

	asked          fleet.Question
	places         string // the file of --places
	fdr, minEffect flags.Percent
	gate           changeGate
}

// newFleet declares fleet. A false discovery rate of 5 % and effects from 1 % on are
// the defaults: with many measurements smaller effects are significant too, but of no
// consequence.
func newFleet() *cobra.Command {
	o := fleetOptions{fdr: 5, minEffect: 1}
	const want = `at least one folder or file of benchmark output, as in "halfpeak fleet night/"`
	cmd := command("fleet", wantArgs(1, -1, want), o.run)
	o.out.declare(cmd)
	optional(cmd, &o.list, "list", "the table to print: the findings, the groups of comparable "+
		"curves, or the skipped files; by default the first two", fleet.Lists...)
	o.asked.Spell = asFlag
	o.declarePlot(cmd, "draw nodes against nodes into this `file` (png, svg, pdf), "+
		"ordered so that racks show")
	f := cmd.Flags()
	f.StringVar(&o.asked.Name, "name", "",
		"`pattern` of file names with {a} and {b} for the nodes")
	o.columns.declare(cmd,
		"; node: it names a node, or the first and the second of a pair; group: "+
			"its values are curves of their own; pool: its values are pooled", append(
			[]columnRole{{name: "size", one: &o.asked.X}, {name: "time", one: &o.asked.Y}},
			columnRole{name: "node", several: &o.asked.Columns},
			columnRole{name: "group", several: &o.asked.Group},
			columnRole{name: "pool", several: &o.asked.Pool}))
	f.StringVar(&o.places, "places", "",
		"groups of nodes, such as racks or switches: a CSV `file` with the columns node and group")
	f.StringVar(&o.asked.Before, "against", "",
		"report changes since these measurements; a folder or `file`")
	f.BoolVar(&o.asked.TwoSided, "two-sided", false,
		"also report nodes and pairs that are faster (two-sided test)")
	f.Var(&o.fdr, "fdr",
		"false discovery rate: the expected share of false alarms among the findings")
	f.Var(&o.minEffect, "min-effect", "minimum effect size to report")
	o.gate.declare(cmd, "there are findings")
	f.BoolVar(&o.asked.All, "all", false, "in CSV and JSON, list all tested nodes and pairs")
	return cmd
}

// run asks and prints. The interrupt is for the reading, which may take minutes.
func (o *fleetOptions) run(cmd *cobra.Command, roots []string) error {
	if err := o.check(); err != nil {
		return err
	}
	if slices.ContainsFunc(roots, o.isBaseline) {
		return usagef("--against %s: these are the measurements themselves; give earlier ones",
			o.asked.Before)
	}
	ctx, stop := interruptible(cmd.Context())
	// The total is unknown: folders are read as they are found.
	progress := progress(cmd.ErrOrStderr(), -1, "files")
	o.asked.Files, o.asked.Watch = roots, func() { progress(1) }
	a, err := o.asked.Ask(ctx)
	progress(-1)
	stop()
	if err != nil {
		return err
	}
	if err := o.draw(o.out.units, a.Figure); err != nil {
		return err
	}
	if err := o.write(cmd, a); err != nil {
		return err
	}
	// The findings were printed, but a file was damaged: a script must notice.
	return cmp.Or(a.Broken, o.gate.check(a.Reported(), a.Tests, "tests are findings"))
}

// isBaseline reports whether a path is the one of --against.
func (o *fleetOptions) isBaseline(path string) bool { return sameFile(path, o.asked.Before) }

// check checks the flags before the files are read, which may take minutes.
func (o *fleetOptions) check() error {
	// At 0 nothing can be found; at a half, findings would be as often wrong as right.
	if o.fdr <= 0 || o.fdr >= 50 {
		return usagef("--fdr must be above 0 and below 50 %% (got %v)", float64(o.fdr))
	}
	if err := fleet.CheckPattern(o.asked.Name); o.asked.Name != "" && err != nil {
		return usagef("--name %q: %w", o.asked.Name, err)
	}
	// Flags are in percent, as people speak of both; the statistics have fractions.
	o.asked.MinEffect, o.asked.FDR = float64(o.minEffect)/100, float64(o.fdr)/100
	if o.places == "" {
		return nil
	}
	file, err := atomicfile.Open(o.places)
	if err != nil {
		return err
	}
	defer file.Close()
	if o.asked.Places, err = fleet.ReadPlaces(file); err != nil {
		return fmt.Errorf("%q: %w", o.places, err)
	}
	return nil
}

// write prints what --list asks for. Without it, people get findings and groups;
// programs get one table, whose columns do not depend on what was found.
func (o *fleetOptions) write(cmd *cobra.Command, a *fleet.Answer) error {
	if ext := extension(o.out.path); o.out.format == "" && (ext == "html" || ext == "htm") {
		html := func(w io.Writer) error { return draw.WriteHTML(w, a.Document()) }
		return atomicfile.Write(o.out.path, html)
	}
	return o.out.write(cmd, a.Tables(o.list, o.out.forPeople())...)
}
