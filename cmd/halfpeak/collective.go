package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/reports/collective"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
	"github.com/halfpeak/halfpeak/reports/table"
)

// collectiveOptions holds the flags of collective. The same calls are asked of a
// simulation or of a fit of measurements; which one, the platform's file decides.
type collectiveOptions struct {
	out    output
	layers layerOptions
	places string
	plotting
	crossovers, unverified bool
	schedules              []string
	measured               measuredFlags
	gate                   changeGate
	question               halfpeak.Collectives
	design                 halfpeak.Design
}

// newCollective declares collective. Its default sizes are far apart, for a table of
// one screen; --crossovers finds the exact sizes between.
func newCollective() *cobra.Command {
	var o collectiveOptions
	cmd := command("collective",
		wantArgs(2, -1, `a collective and a platform, as in "halfpeak collective bcast clip", or `+
			"several platforms to compare"),
		o.run)
	o.out.declare(cmd)
	o.layers.declare(cmd)
	declareCall(cmd, &o.question.Call)
	f := cmd.Flags()
	flags.Var(f, &o.question.Ranks, flags.ParseRanks, "numbers", "ranks", "2..64",
		"numbers of ranks")
	flags.Var(f, &o.question.Nodes, flags.ParseRanks, "numbers", "nodes", "",
		"numbers of nodes in place of --ranks, with all ranks of a node or --ranks-per-node")
	f.IntVar(&o.question.PerNode, "ranks-per-node", 0,
		"`ranks` on each node, for measured collectives; by default as measured")
	f.BoolVar(&o.question.Total, "total", false,
		"for measured collectives: sizes count all ranks' blocks together, as in nccl-tests")
	declareSizes(cmd, &o.question.Sizes, "size", "8,64,512,4KiB,32KiB,256KiB,1MiB",
		"sizes of the message, or of each rank's block; of a measured collective, if not given, "+
			"the measured ones")
	declareSizes(cmd, &o.question.Segments, "segment", "",
		"try segments of these sizes beside whole messages")
	f.StringVar(&o.question.Map.By, "map-by", "",
		"place ranks by `core`, by a level, or on a list of cores, for example \"0,4,64..71\"")
	f.StringVar(&o.places, "places", "",
		"place ranks by a CSV `file` with the columns rank, node and, for nodes in groups, group")
	f.StringVar(&o.question.Algorithm, "algorithm", "all",
		"all, best, default (the library's own), or the `name` of one algorithm, or several as "+
			"in ring,tree")
	f.StringArrayVar(&o.schedules, "schedule", nil,
		"compare with a schedule of one's own: a GOAL `file` or a program (.star); may be given "+
			"again")
	f.BoolVar(&o.question.Loop, "osu-loop", false,
		"report times as OSU's benchmarks do: a loop of calls and Open MPI barriers")
	o.measured.declare(cmd)
	flags.Var(f, &o.question.Form, rules.FindForm, "form", "to", "",
		"write rules in this form: openmpi, openmpi-json, nccl-tuner, intel")
	f.BoolVar(&o.unverified, "unverified", false, "allow --to without measured collectives")
	f.BoolVar(&o.crossovers, "crossovers", false,
		"list the exact sizes and numbers of ranks where the best algorithm changes")
	o.declarePlot(cmd,
		"draw a map of the best algorithm by size and ranks, or curves if there is one size or "+
			"one number of ranks, into this `file` (png, svg, pdf)")
	complete(cmd, "to", rules.FormNames)
	completeAlgorithms(cmd)
	o.gate.declare(cmd, "a time of --measured is outside of its interval")
	obey(cmd, func(args []string) facts { return facts{"several platforms": len(args) > 2} },
		excludes("several platforms", "--plot, --crossovers, --to, --measured, --schedule",
			"--plot, --crossovers, --to, --measured and --schedule are of one platform; several "+
				"are compared in a table"),
		atLeast("--ranks-per-node", 1, ""),
		excludes("--places", "--map-by",
			"--places requires a platform with levels, and no --map-by"),
		excludes("--to", "--format",
			"--to {--to} has its own form, without --format; for rules in JSON use --to "+
				"openmpi-json"),
		excludes("--nodes", "--ranks", "--nodes and --ranks cannot be combined"),
		needs("--unverified", "--to", ""),
		needs("--measured-ranks, --columns, --fail-on-change", "--measured", ""),
		excludes("--measured", "--plot, --crossovers", "; --measured prints a table alone"),
		excludes("--to", "--crossovers",
			"--to writes rules, which have the crossovers; --crossovers prints them"),
		needs("--schedule", "one --size", "; it is of one size, as in --size 64KiB"),
		excludes("--schedule",
			"--measured, --to, --crossovers, --nodes, --osu-loop, several --ranks",
			"--schedule is compared on its own number of ranks, at one size"),
		excludes("--to", "--measured",
			"--to and --measured do not go together: rules are of one machine's times"))
	return cmd
}

// run reads the platform before it checks flags: some of them only go with measured
// collectives, and only the file says whether it has them.
func (o *collectiveOptions) run(cmd *cobra.Command, args []string) error {
	if err := o.checkPlot(); err != nil {
		return err
	}
	if _, wrong := collective.AlgorithmsOf(args[0]); wrong != nil {
		if _, err := collective.AlgorithmsOf(args[1]); err == nil {
			return usagef("the collective comes first: %s",
				usage.ShellLine("halfpeak", "collective", args[1], args[0]))
		}
	}
	if len(args) > 2 {
		return o.machines(cmd, args[0], args[1:])
	}
	design, err := o.layers.ranks(args[1])
	if err != nil {
		return err
	}
	o.ask(args[0], halfpeak.Of(design))
	if err := o.place(cmd.Flags().Changed("ranks") || len(o.question.Nodes) > 0); err != nil {
		return err
	}
	if err := o.check(args[1]); err != nil {
		return err
	}
	o.asMeasured(cmd)
	o.question.Tune = tuneCommand(o.question.Collective)
	ctx := cmd.Context()
	if o.measured.files.Paths != nil {
		return o.compare(ctx, cmd)
	}
	own, err := o.readSchedules(ctx, cmd.Flags().Changed("ranks"))
	if err != nil {
		return err
	}
	// A map on a large machine takes seconds to minutes.
	bar, done := counter(cmd.ErrOrStderr(), "times")
	o.question.Progress = func(now, total int) { bar(int64(now), int64(total)) }
	times, err := o.design.Times(ctx, o.question)
	done()
	for i := 0; err == nil && i < len(own); i++ {
		err = o.add(ctx, times, o.schedules[i], own[i])
	}
	if err != nil {
		return err
	}
	// The times are computed once, and drawn, printed and written as rules from the same answer.
	picture := func() (table.Picture, error) { return collective.Picture(times) }
	if err := o.draw(o.out.units, picture); err != nil {
		return err
	}
	switch {
	case o.crossovers:
		changes, err := times.Crossovers(ctx)
		if err != nil {
			return err
		}
		return o.out.write(cmd, collective.CrossoverRows(changes, times.On))
	case o.question.Form.Name == "":
		return o.out.write(cmd, collective.Rows(times))
	}
	return o.export(ctx, cmd, times)
}

// asMeasured leaves ranks and sizes to the measurements where no flag gives them: the defaults of
// the flags are for maps of machines. Rules are for a grid of sizes.
func (o *collectiveOptions) asMeasured(cmd *cobra.Command) {
	q, given := &o.question, cmd.Flags().Changed
	if !o.fitted() || q.Form.Name != "" || q.Total {
		return
	}
	if !given("size") {
		q.Sizes = nil
	}
	if !given("ranks") && q.PerNode == 0 {
		q.Ranks = nil
	}
}

// machines compares the best times of several machines.
func (o *collectiveOptions) machines(cmd *cobra.Command, name string, platforms []string) error {
	ctx := cmd.Context()
	bar, done := counter(cmd.ErrOrStderr(), "times")
	defer done()
	if o.question.Algorithm == "all" {
		o.question.Algorithm = "best"
	}
	var all []*collective.Times
	designs, err := o.layers.each(platforms)
	if err != nil {
		return err
	}
	for i, ref := range platforms {
		of := *o
		of.ask(name, halfpeak.Of(designs[i]))
		if err := of.place(cmd.Flags().Changed("ranks") || len(of.question.Nodes) > 0); err != nil {
			return err
		}
		if err := of.check(ref); err != nil {
			return err
		}
		of.question.Progress = func(now, total int) { bar(int64(now), int64(total)) }
		times, err := of.design.Times(ctx, of.question)
		if err != nil {
			return err
		}
		all = append(all, times)
	}
	done()
	return o.out.write(cmd, collective.Rows(all...))
}

// readSchedules reads the schedules of --schedule. The first that has a number of ranks gives the
// one that is asked for.
func (o *collectiveOptions) readSchedules(ctx context.Context, ranksGiven bool) (
	all []halfpeak.Program, err error) {
	q := &o.question
	for _, path := range o.schedules {
		reading := halfpeak.Reading{}
		if program.Is(path) {
			if !ranksGiven {
				return nil, usagef("--schedule %s is a program, which needs --ranks", path)
			}
			reading.Ranks = q.Ranks
		}
		p, err := halfpeak.Read(ctx, []string{path}, reading, o.design)
		if err != nil {
			return nil, err
		}
		if !ranksGiven {
			q.Ranks, ranksGiven = []int{p.Schedule.Ranks()}, true
		}
		all = append(all, p)
	}
	return all, nil
}

// add adds a schedule of --schedule to the times of the algorithms.
func (o *collectiveOptions) add(ctx context.Context, times *collective.Times, name string,
	p halfpeak.Program) error {
	setup := theprogram.Setup{Eager: simulate.NoLimit, Map: o.question.Map}
	s, err := halfpeak.Run(ctx, p, setup, o.design)
	if err != nil {
		return err
	}
	return times.Add(name, s.Runs[0].Result)
}

// ask sets the design that the collective runs on. What was measured answers before any
// simulation, since it holds what a model of messages misses. Beside benchmark files, a layer or
// machine predicts from single messages, whose error is what the comparison shows: the measured
// collectives would be compared with what they are fitted to.
func (o *collectiveOptions) ask(name string, on halfpeak.Design) {
	q := &o.question
	q.Collective, q.Statistic = name, o.measured.chosenStatistic()
	if q.Algorithm == "default" {
		q.Algorithm = ""
	}
	o.design = on
	q.Simulated = o.measured.files.Paths != nil && o.design.Layer.Model != nil
}

// fitted reports whether the answer comes from measured collectives.
func (o *collectiveOptions) fitted() bool {
	return !o.question.Simulated && o.design.Measured(o.question.Collective)
}

// place assigns ranks to cores from the --places file: every rank listed there, or
// the first --ranks of them. Without the file and a number, ranks beyond the cores of
// the machine are left out of the default, whose 64 ranks a small machine has not.
func (o *collectiveOptions) place(ranksGiven bool) error {
	m, measured := o.design.Machine(), o.fitted()
	switch {
	case o.places == "":
		if !ranksGiven && !measured && len(m.Levels) > 0 {
			o.question.Ranks = slices.DeleteFunc(o.question.Ranks, func(n int) bool {
				return n > max(2, m.Cores())
			})
		}
		return nil
	case o.question.Map.By != "" || measured:
		return usagef("--places requires a platform with levels, and no --map-by")
	}
	var err error
	if o.question.Map, err = placed.Read(o.places, m); !ranksGiven {
		o.question.Ranks = []int{len(o.question.Map.Nodes)}
	}
	return err
}

// check returns the first contradiction of the flags, or with the platform. For rules
// it replaces the sizes by a dense grid: a library looks up every size, so a rule
// must not begin where the table happened to have a row.
func (o *collectiveOptions) check(platform string) error {
	q, measured, fitted := &o.question, o.measured.files.Paths != nil, o.fitted()
	// Rules have the form of their library; only one of them is JSON, as -o FILE.json asks for.
	form := q.Form.Name
	own := form != "" && form != rules.OpenMPIJSON.Name
	switch {
	case (q.PerNode > 0 || q.Total) && !fitted:
		return usagef("--ranks-per-node, as --total, needs measured collectives: fit them with " +
			"\"halfpeak fit FILES --save my.toml\"; on a machine with levels the levels say " +
			"where nodes end, and sizes are those of one rank's block")
	case q.Statistic != "" && !fitted && !measured:
		return usagef("--statistic is for measured times: of --measured files, or of a platform " +
			"file with measured collectives")
	case own && slices.Contains([]string{"json", "csv", "md"}, extension(o.out.path)):
		return usagef("--to %s has its own form, without --format; for rules in JSON use --to "+
			"openmpi-json", form)
	case form == "" || measured:
		return nil
	case !fitted && !o.unverified:
		return usagef("--to %s: no collective of %s was measured, and rules from times of single "+
			"messages are often slower than the library's own choice; measure collectives and fit "+
			"them (halfpeak fit --model collective), or add --unverified", form, platform)
	}
	q.Sizes = stats.Doubled(q.Sizes)
	return nil
}

// export writes the library's rules file. If no collective was measured, it warns on
// stderr, since the library that reads the file will not.
func (o *collectiveOptions) export(ctx context.Context, cmd *cobra.Command,
	times *collective.Times) error {
	if !times.Fitted {
		if _, err := fmt.Fprintln(cmd.ErrOrStderr(), collective.Unverified); err != nil {
			return err
		}
	}
	return o.out.writeTo(cmd, func(w io.Writer) error {
		return times.WriteRules(ctx, w, o.out.path)
	})
}

// measuredFlags are the flags of measurements that are compared with predictions.
type measuredFlags struct {
	files     collective.MeasuredFiles
	columns   columnsFlag
	statistic string
}

func (m *measuredFlags) declare(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&m.files.Paths, "measured", nil,
		"compare with the times in these benchmark `files`")
	flags.Var(f, &m.files.Fit.Measured.Ranks, flags.ParseRanks, "numbers", "measured-ranks", "",
		"ranks of files that do not give their number: one number, or one for each such table")
	enum(cmd, &m.statistic, "statistic", "statistic of the measured times over ranks", "both",
		string(fitted.Average), string(fitted.Slowest))
	m.files.Fit.Trace.Spell = asFlag
	m.columns.declare(cmd, ", of --measured files",
		columnRoles(&m.files.Fit.Trace))
}

// chosenStatistic returns the statistic of --statistic; it is empty for both.
func (m *measuredFlags) chosenStatistic() fitted.Statistic {
	if m.statistic == "both" {
		return ""
	}
	return fitted.Statistic(m.statistic)
}

// compare prints predicted next to measured times. Ranks and sizes default to the
// measured ones: the defaults of the flags are for maps.
func (o *collectiveOptions) compare(ctx context.Context, cmd *cobra.Command) error {
	m := &o.measured
	// Nil asks for those of the measurements.
	if !cmd.Flags().Changed("ranks") && len(o.question.Nodes) == 0 {
		o.question.Ranks = nil
	}
	if !cmd.Flags().Changed("size") {
		o.question.Sizes = nil
	}
	m.files.Statistic = m.chosenStatistic()
	m.files.Fit.Progress = readingBar(cmd.ErrOrStderr())
	compared, err := o.question.Compare(ctx, o.design.Design, m.files)
	// An answer may come with an error of a damaged file, and is then printed first.
	if compared == nil {
		return err
	}
	failed := o.out.write(cmd, collective.MeasuredRows(compared))
	outside, judged := compared.Outsiders()
	return cmp.Or(failed, err,
		o.gate.check(outside, judged, "measured times are outside of their intervals"))
}
