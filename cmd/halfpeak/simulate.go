package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/flags"
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
	plotting
	list bool
	ask  theprogram.Question // as the flags have it
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
	return facts{"arguments": len(args) > 0, "several runs": o.ask.Runs > 1,
		"several schedules": theprogram.Several(args),
		"a program": (len(args) == 1 || theprogram.Several(args)) &&
			slices.ContainsFunc(args, program.Is)}
}

// newSimulate declares simulate. Two ways give the costs of messages: LogGOPS
// parameters as LogGOPSim takes them, and a platform.
func newSimulate() *cobra.Command {
	// Times of a platform include its rendezvous, so by default none is added.
	o := simulateOptions{ask: theprogram.Question{Eager: simulate.NoLimit,
		Reading: theprogram.Reading{Trace: mpitrace.Defaults}}}
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
	flags.Var(f, &o.ask.Eager, quantity.ParseBytes, "size", "eager-threshold", "",
		"with --machine: the largest size that is sent before its receive is posted")
	f.StringVar(&o.ask.Map.By, "map-by", "",
		"with levels: place ranks by `core`, by a level, or on a list of cores")
	f.StringVar(&o.places, "places", "",
		"with levels: place ranks by a CSV `file` with the columns rank, node and, for nodes in "+
			"groups, group")
	f.StringVar(&o.text.Noise, "noise", "",
		"noise of the operating system: a `file` of detours, or random ones by "+
			"\"exponential mean=10us every=1ms\"; "+
			"with \"FILE synchronized\" all ranks start at the same point of the file")
	f.IntVar(&o.ask.Runs, "runs", 1,
		"run this `number` of times with different noise and print the distribution")
	f.Uint64Var(&o.ask.Run.Seed, "seed", 1, "seed of the noise")
	f.BoolVar(&o.summary, "summary", false, "print one row for the whole schedule")
	f.BoolVar(&o.criticalPath, "critical-path", false,
		"break the finish down along the critical path, with the sensitivity to each parameter")
	outputFlag(f, &o.trace, "trace", "",
		"write what every rank did to this JSON `file`, for Perfetto")
	flags.Var(f, &o.ask.Reading.Trace.Region, mpitrace.ParseRegion, "marks", "region", "",
		"the part of a trace from one mark of each rank to another: barrier:2..3 from its second "+
			"MPI_Barrier to the third, pcontrol:1..2, or pcontrol:1.. to the end")
	f.Float64Var(&o.ask.Reading.Trace.Scale, "compute-scale", 1,
		"multiply the computation times of a trace by this `factor`")
	flags.Var(f, &o.ask.Reading.Ranks, flags.ParseRanks, "numbers", "ranks", "",
		"with a program (.star): `numbers` of ranks, as in 16..1024, with a row for each")
	f.StringArrayVar(&o.ask.Reading.Params, "param", nil,
		"with a program: `NAME=VALUE` of a parameter of main, or NAME=VALUE,VALUE… for a row for "+
			"each; may be given again")
	o.declarePlot(cmd, "draw time against ranks of a program into this `file` (.png, .svg, .pdf)")
	declareTimeLimit(cmd)
	f.BoolVar(&o.list, "list", false, "list the programs that halfpeak carries")
	completeBy(cmd, "machine", completePlatforms)
	obey(cmd, o.facts, simulateRules...)
	return cmd
}

// question returns the question that the flags ask, which reads the costs of messages, the machines
// and the places of ranks.
func (o *simulateOptions) question(cmd *cobra.Command, files []string) (
	q theprogram.Question, err error) {
	q = o.ask
	q.Files = files
	q.Reading.Print = func(rank int, text string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "rank %d: %s\n", rank, table.OneLine(text))
	}
	// Cut off here: a file of noise may have any name, but for this word at its end.
	o.text.Noise, o.text.Together = strings.CutSuffix(o.text.Noise, " synchronized")
	o.text.Rules, q.Run.Record = o.rules, o.trace != ""
	// An error in a file (noise) is no mistake of usage.
	if file, err := o.text.Read(&q.Run); err != nil && !file {
		return q, usage.Error{Err: err}
	} else if err != nil {
		return q, err
	}
	if q.On, err = o.layers.each(o.machines); err != nil {
		return q, err
	}
	if o.places != "" {
		if q.Map, err = placed.Read(o.places, q.On[0].Machine()); err != nil {
			return q, err
		}
	}
	oneRun := o.summary || o.trace != "" || q.Runs > 1
	switch {
	case o.criticalPath:
		q.Table = theprogram.Reasons
	case o.summary:
		q.Table = theprogram.Totals
	case len(q.Reading.Ranks) > 0 && !oneRun && !theprogram.Several(files):
		q.Table = theprogram.Scales
	}
	return q, nil
}

func (o *simulateOptions) run(cmd *cobra.Command, args []string) error {
	if o.list {
		return o.write(cmd, theprogram.ExampleRows())
	}
	q, err := o.question(cmd, args)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	bar, done := counter(cmd.ErrOrStderr(), "operations")
	q.Run.Progress = func(now simulate.Progress) { bar(int64(now.Done), int64(now.Total)) }
	a, err := q.Ask(ctx)
	// The bar is erased before anything is printed, also an error.
	done()
	if err = interrupted(ctx, err); err != nil {
		if complete := a.Complete(); complete != "" { // it is printed
			cmd.PrintErrln(complete)
			return cmp.Or(o.answer(cmd, a), err)
		}
		return err
	}
	// Files are written before the table is printed: a full disk then shows no success.
	if o.trace != "" {
		line, err := a.Simulations[0].Runs[0].Result.Timeline()
		if err == nil {
			err = atomicfile.Write(o.trace, line.WriteTrace)
		}
		if err != nil {
			return err
		}
	}
	if err := o.draw(o.units, a.Figure); err != nil {
		return err
	}
	if err := o.answer(cmd, a); err != nil {
		return err
	}
	if o.summary {
		// Not in the table: the same input gives the same output.
		cmd.PrintErrf("simulated in %.3g s\n", a.Simulations[0].Wall.Seconds())
	}
	return nil
}

// answer prints the table of the answer and, for people, its details.
func (o *simulateOptions) answer(cmd *cobra.Command, a theprogram.Answer) error {
	tables := []table.Rows{a.Rows()}
	if details := a.Details(); len(details.Data) > 0 && o.forPeople() {
		tables = append(tables, details)
	}
	return o.write(cmd, tables...)
}
