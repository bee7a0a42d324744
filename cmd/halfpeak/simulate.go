package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
	"github.com/halfpeak/halfpeak/reports/table"
)

// simulateOptions holds the flags of simulate; text has those that are parsed
// together, since their meaning depends on the rules.
type simulateOptions struct {
	output
	layers       layerOptions
	rules        string
	text         simulate.Text
	machines     []string
	summary      bool
	criticalPath bool
	trace        string
	places       string
	program      halfpeak.Reading
	plotting
	list  bool
	setup theprogram.Setup
	on    []halfpeak.Design
}

// oneRunOnly are the tables and files of one schedule on one machine.
const oneRunOnly = "--critical-path, --trace, --summary, several runs"

// simulateRules say which flags go together: one table for one output, no record of several runs,
// and parameters of one way to give costs.
var simulateRules = []rule{
	excludes("--list", "arguments", "--list takes no arguments"),
	needs("", "arguments, --list", `give a program, a schedule or the files of a trace, as in `+
		`"halfpeak simulate halo.star --ranks 64" (--list lists programs)`),
	needs("a program", "--ranks", "a program needs --ranks, as in --ranks 16..1024"),
	needs("--plot with --machine", "a program, --list",
		"--plot draws a program (.star) over numbers of ranks; for what every rank does, write "+
			"halfpeak plot {--machine} --kind ranks --schedule {0} -o {--plot}"),
	needs("--plot", "a program, --list",
		"--plot draws a program (.star) over numbers of ranks; for what every rank does, write "+
			"halfpeak plot PLATFORM --kind ranks --schedule {0} -o {--plot}"),
	needs("--ranks, --param", "a program, --list",
		"--ranks and --param are for a program (.star); a schedule or trace has its "+
			"number of ranks (for others, write its calls as a program: docs/programs.md)"),
	excludes("a program", "--region, --compute-scale",
		"--region and --compute-scale require a trace; a program says what it computes"),
	excludes(oneRunOnly, "several --ranks",
		"--critical-path, --trace, --summary and --runs need one number of --ranks"),
	excludes(oneRunOnly, "--plot",
		"--plot draws time against ranks; omit --critical-path, --trace, --summary and --runs"),
	excludes("several schedules", "--critical-path, --trace, --summary, several runs, --plot, "+
		"several --ranks, --region",
		"several schedules are compared by their finish; for more about one, give it alone"),
	atLeast("--runs", 1, ""),
	needs("--seed", "--noise", ""),
	// A record and its path belong to one run; an average of paths is no path.
	excludes("several runs", "--critical-path, --trace, --summary",
		"--runs prints a distribution; omit --critical-path, --trace and --summary"),
	// Simulations are deterministic but for the noise.
	needs("several runs", "--noise", "--runs {--runs} without --noise: all runs are the same"),
	excludes("--critical-path", "--summary",
		"--critical-path and --summary are different tables; choose one"),
	excludes("several --machine", oneRunOnly,
		"--critical-path, --trace, --summary and --runs require a single --machine"),
	// Under LogGOPSim's rules a rank has several clocks, so there is no one way through it.
	excludes("--critical-path, --trace", "--rules=loggopsim",
		"--critical-path and --trace require the default rules; omit --rules"),
	// Both give the costs of messages, and neither could complete the other.
	excludes("--loggops", "--machine", ""),
	excludes("--rules=loggopsim", "--machine",
		"--rules loggopsim requires --loggops parameters and cannot use --machine"),
	// LogGOPSim's parameter S is its eager threshold, and its messages are never cut.
	needs("--eager-threshold, --packet", "--machine",
		"--eager-threshold and --packet require --machine; for --loggops use S"),
	needs("--map-by", "--machine", "--map-by requires a --machine with levels"),
	needs("--places", "one --machine", placesNeed),
	excludes("--places", "--map-by", placesNeed),
}

const placesNeed = "--places requires a single --machine, with levels, and no --map-by"

// facts returns the words of the rules that no flag decides.
func (o *simulateOptions) facts(args []string) facts {
	return facts{"arguments": len(args) > 0, "several runs": o.setup.Runs > 1,
		"several schedules": areSchedules(args),
		"a program": (len(args) == 1 || areSchedules(args)) &&
			slices.ContainsFunc(args, program.Is)}
}

// newSimulate declares simulate. Two ways give the costs of messages: LogGOPS
// parameters as LogGOPSim takes them, and a platform.
func newSimulate() *cobra.Command {
	// Times of a platform include its rendezvous, so by default none is added.
	o := simulateOptions{program: halfpeak.Reading{Trace: mpitrace.Defaults},
		setup: theprogram.Setup{Eager: simulate.NoLimit}}
	cmd := command("simulate",
		wantArgs(0, -1, `a program, a schedule or the files of a trace`),
		o.run)
	o.declare(cmd)
	o.layers.declare(cmd)
	f := cmd.Flags()
	enum(cmd, &o.rules, "rules", "meaning of the parameters", simulate.Default.String(),
		simulate.LogGOPSim.String())
	f.StringVar(&o.text.LogGOPS, "loggops", "",
		"LogGOPS `parameters`, as in \"L=2500ns o=1500ns g=1000ns G=6ns/B O=0ns/B S=65535B\"")
	f.StringArrayVar(&o.machines, "machine", nil,
		"use the message costs of this `platform`; give it again to compare")
	flags.Var(f, &o.setup.Eager, quantity.ParseBytes, "size", "eager-threshold", "",
		"with --machine: the largest size that is sent before its receive is posted")
	f.StringVar(&o.setup.Map.By, "map-by", "",
		"with levels: place ranks by `core`, by a level, or on a list of cores")
	f.StringVar(&o.places, "places", "",
		"with levels: place ranks by a CSV `file` with the columns rank, node and, for nodes in "+
			"groups, group")
	f.StringVar(&o.text.Noise, "noise", "",
		"noise of the operating system: a `file` of detours, or random ones by "+
			"\"exponential mean=10us every=1ms\"; "+
			"with \"FILE synchronized\" all ranks start at the same point of the file")
	f.IntVar(&o.setup.Runs, "runs", 1,
		"run this `number` of times with different noise and print the distribution")
	f.Uint64Var(&o.setup.Run.Seed, "seed", 1, "seed of the noise")
	f.BoolVar(&o.summary, "summary", false, "print one row for the whole schedule")
	f.BoolVar(&o.criticalPath, "critical-path", false,
		"break the finish down along the critical path, with the sensitivity to each parameter")
	outputFlag(f, &o.trace, "trace", "",
		"write what every rank did to this JSON `file`, for Perfetto")
	flags.Var(f, &o.program.Trace.Region, mpitrace.ParseRegion, "marks", "region", "",
		"the part of a trace from one mark of each rank to another: barrier:2..3 from its second "+
			"MPI_Barrier to the third, pcontrol:1..2, or pcontrol:1.. to the end")
	f.Float64Var(&o.program.Trace.Scale, "compute-scale", 1,
		"multiply the computation times of a trace by this `factor`; a SimGrid trace has 1 ns a "+
			"flop")
	flags.Var(f, &o.program.Ranks, flags.ParseRanks, "numbers", "ranks", "",
		"with a program (.star): `numbers` of ranks, as in 16..1024, with a row for each")
	f.StringArrayVar(&o.program.Params, "param", nil,
		"with a program: `NAME=VALUE` of a parameter of main, or NAME=VALUE,VALUE… for a row for "+
			"each; may be given again")
	o.declarePlot(cmd, "draw time against ranks of a program into this `file` (.png, .svg, .pdf)")
	declareTimeLimit(cmd)
	f.BoolVar(&o.list, "list", false, "list the programs that halfpeak carries")
	completeBy(cmd, "machine", completePlatforms)
	obey(cmd, o.facts, simulateRules...)
	return cmd
}

// oneRun reports whether the question is about one schedule on one machine.
func (o *simulateOptions) oneRun() bool {
	return o.criticalPath || o.summary || o.trace != "" || o.setup.Runs > 1
}

// scale answers for a program on numbers of ranks.
func (o *simulateOptions) scale(cmd *cobra.Command, name string) error {
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	bar, done := counter(cmd.ErrOrStderr(), "operations")
	o.setup.Run.Progress = func(now simulate.Progress) { bar(int64(now.Done), int64(now.Total)) }
	s, err := halfpeak.Scale(ctx, name, o.program, o.setup, o.on...)
	done()
	err = interrupted(ctx, err)
	if err != nil && (s == nil || len(s.Rows) == 0) {
		return err
	}
	if err != nil { // complete rows are kept
		cmd.PrintErrf("%s complete\n", lex.Plural(len(s.Rows), "row"))
	}
	if o.plot != "" && err == nil {
		picture, err := theprogram.ScalingPicture(s)
		if err == nil {
			err = drawTo(o.plot, picture, o.pixels, o.units)
		}
		if err != nil {
			return err
		}
	}
	tables := []table.Rows{theprogram.ScalingRows(s)}
	if marks := theprogram.MarkRows(s); len(marks.Data) > 0 && o.forPeople() {
		tables = append(tables, marks)
	}
	return cmp.Or(o.write(cmd, tables...), err)
}

// areSchedules reports whether each of several files is a program or a schedule of its own, and not
// the part of a trace.
func areSchedules(files []string) bool {
	return len(files) > 1 && !slices.ContainsFunc(files, func(path string) bool {
		return !program.Is(path) && filepath.Ext(path) != ".goal"
	})
}

// compare runs several schedules.
func (o *simulateOptions) compare(ctx context.Context, files []string) (table.Rows, error) {
	var all []*theprogram.Simulation
	for _, path := range files {
		p, err := halfpeak.Read(ctx, []string{path}, o.program, o.on...)
		if err != nil {
			return table.Rows{}, err
		}
		s, err := halfpeak.Run(ctx, p, o.setup, o.on...)
		if err != nil {
			return table.Rows{}, err
		}
		all = append(all, s)
	}
	return theprogram.Rows(all...), nil
}

// run reads the parameters, the machines and the schedule, in this order: the
// schedule is largest.
func (o *simulateOptions) run(cmd *cobra.Command, args []string) error {
	if o.list {
		return o.write(cmd, theprogram.ExampleRows())
	}
	if err := o.readQuestion(cmd); err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	bar, done := counter(cmd.ErrOrStderr(), "operations")
	o.setup.Run.Progress = func(now simulate.Progress) { bar(int64(now.Done), int64(now.Total)) }
	if areSchedules(args) {
		rows, err := o.compare(ctx, args)
		done()
		if err := interrupted(ctx, err); err != nil {
			return err
		}
		return o.write(cmd, rows)
	}
	if len(o.program.Ranks) > 0 && !o.oneRun() {
		return o.scale(cmd, args[0])
	}
	p, err := halfpeak.Read(ctx, args, o.program, o.on...)
	var s *theprogram.Simulation
	if err == nil {
		s, err = halfpeak.Run(ctx, p, o.setup, o.on...)
	}
	// The bar is erased before anything is printed, also an error.
	done()
	err = interrupted(ctx, err)
	// Complete runs are printed: they are the row of so many runs.
	if s != nil && err != nil {
		cmd.PrintErrf("%d of %d runs are complete\n", len(s.Times), o.setup.Runs)
		return cmp.Or(o.write(cmd, theprogram.Rows(s)), err)
	}
	// The record is written before the table is printed: a full disk then shows no success.
	if err == nil && o.trace != "" {
		var line *simulate.Timeline
		if line, err = s.Runs[0].Result.Timeline(); err == nil {
			err = atomicfile.Write(o.trace, line.WriteTrace)
		}
	}
	if err != nil {
		return err
	}
	// The steps of the path are a second table, which CSV and JSON have no place for.
	tables := []table.Rows{theprogram.Rows(s)}
	if o.criticalPath && o.forPeople() {
		tables = append(tables, theprogram.PathRows(s))
	}
	if err = o.write(cmd, tables...); err == nil && o.summary {
		// Not in the table: the same input gives the same output.
		cmd.PrintErrf("simulated in %.3g s\n", s.Wall.Seconds())
	}
	return err
}

// readQuestion completes the question with the costs of messages, places of ranks and the table.
func (o *simulateOptions) readQuestion(cmd *cobra.Command) (err error) {
	o.program.Print = func(rank int, text string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "rank %d: %s\n", rank, table.OneLine(text))
	}
	// Cut off here: a file of noise may have any name, but for this word at its end.
	o.text.Noise, o.text.Together = strings.CutSuffix(o.text.Noise, " synchronized")
	o.text.Rules, o.setup.Run.Record = o.rules, o.trace != ""
	// An error in a file (noise) is no mistake of usage.
	if file, err := o.text.Read(&o.setup.Run); err != nil && !file {
		return usage.Error{Err: err}
	} else if err != nil {
		return err
	}
	designs, err := o.layers.each(o.machines)
	if err != nil {
		return err
	}
	o.on = list.Map(designs, halfpeak.Of)
	if o.places != "" {
		if o.setup.Map, err = placed.Read(o.places, o.on[0].Machine()); err != nil {
			return err
		}
	}
	switch {
	case o.criticalPath:
		o.setup.Table = theprogram.Reasons
	case o.summary:
		o.setup.Table = theprogram.Totals
	}
	return nil
}
