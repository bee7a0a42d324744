package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/reports/collective"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
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
	calls                  collective.Calls // as the flags have them
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
	declareCall(cmd, &o.calls.Call)
	f := cmd.Flags()
	flags.Var(f, &o.calls.Ranks, flags.ParseRanks, "numbers", "ranks", "2..64",
		"numbers of ranks")
	flags.Var(f, &o.calls.Nodes, flags.ParseRanks, "numbers", "nodes", "",
		"numbers of nodes in place of --ranks, with all ranks of a node or --ranks-per-node")
	f.IntVar(&o.calls.PerNode, "ranks-per-node", 0,
		"`ranks` on each node, for measured collectives; by default as measured")
	f.BoolVar(&o.calls.Total, "total", false,
		"for measured collectives: sizes count all ranks' blocks together, as in nccl-tests")
	declareSizes(cmd, &o.calls.Sizes, "size", "8,64,512,4KiB,32KiB,256KiB,1MiB",
		"sizes of the message, or of each rank's block; of a measured collective, if not given, "+
			"the measured ones")
	declareSizes(cmd, &o.calls.Segments, "segment", "",
		"try segments of these sizes beside whole messages")
	f.StringVar(&o.calls.Map.By, "map-by", "",
		"place ranks by `core`, by a level, or on a list of cores, for example \"0,4,64..71\"")
	f.StringVar(&o.places, "places", "",
		"place ranks by a CSV `file` with the columns rank, node and, for nodes in groups, group")
	f.StringVar(&o.calls.Algorithm, "algorithm", "all",
		"all, best, default (the library's own), or the `name` of one algorithm, or several as "+
			"in ring,tree")
	f.StringArrayVar(&o.schedules, "schedule", nil,
		"compare with a schedule of one's own: a GOAL `file` or a program (.star); may be given "+
			"again")
	f.BoolVar(&o.calls.Loop, "osu-loop", false,
		"report times as OSU's benchmarks do: a loop of calls and Open MPI barriers")
	o.measured.declare(cmd)
	flags.Var(f, &o.calls.Form, rules.FindForm, "form", "to", "",
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

func (o *collectiveOptions) run(cmd *cobra.Command, args []string) error {
	if err := o.checkPlot(); err != nil {
		return err
	}
	// As in the flag --collective of other commands. With --algorithm too, it is an error.
	if name, algorithm, has := strings.Cut(args[0], "/"); has &&
		!cmd.Flags().Changed("algorithm") {
		if err := cmd.Flags().Set("algorithm", algorithm); err != nil {
			return err
		}
		args = append([]string{name}, args[1:]...)
	}
	if _, wrong := collective.List(args[0]); wrong != nil {
		if _, err := collective.List(args[1]); err == nil {
			return usagef("the collective comes first: %s",
				usage.ShellLine("halfpeak", "collective", args[1], args[0]))
		}
	}
	ctx := cmd.Context()
	q, err := o.question(ctx, cmd, args[0], args[1:])
	if err != nil {
		return err
	}
	// A map on a large machine takes seconds to minutes.
	bar, done := counter(cmd.ErrOrStderr(), "times")
	for i := range q.On {
		q.On[i].Progress = func(now, total int) { bar(int64(now), int64(total)) }
	}
	a, err := q.Ask(ctx)
	done()
	if a.Comparison != nil {
		// It may come with an error of a damaged file, and is then printed first.
		failed := o.out.write(cmd, a.Rows())
		missed := a.Comparison.Misses
		return cmp.Or(failed, err, o.gate.check(missed.Cells, missed.Known,
			"measured times are outside of their intervals"))
	}
	if err != nil {
		return err
	}
	// The times are computed once, and drawn, printed and written as rules from the same answer.
	if err := o.draw(o.out.units, a.Figure); err != nil {
		return err
	}
	if q.Rules == nil {
		return o.out.write(cmd, a.Rows())
	}
	return o.export(cmd, a)
}

// question returns the question that the flags and arguments ask. It reads the platforms before it
// checks flags: some of them only go with measured collectives, and only the file says whether it
// has them.
func (o *collectiveOptions) question(ctx context.Context, cmd *cobra.Command, name string,
	refs []string) (q collective.Question, err error) {
	designs, err := o.layers.each(refs)
	if err != nil {
		return q, err
	}
	given := cmd.Flags().Changed
	for i, d := range designs {
		c, err := o.callsOn(halfpeak.Of(d), refs[i], name, len(refs) > 1, given)
		if err != nil {
			return q, err
		}
		switch {
		case len(designs) == 1:
			c.Tune = tuneCommand(name)
		case c.Algorithm == "all":
			c.Algorithm = "best"
		}
		q.On = append(q.On, collective.Subject{Design: d, Calls: c})
	}
	q.Crossovers = o.crossovers
	if o.measured.asked() {
		o.measured.Options.Progress = readingBar(cmd.ErrOrStderr())
		o.measured.Statistic = o.measured.chosenStatistic()
		q.Measured = &o.measured.Measurements
	}
	if o.calls.Form.Name != "" {
		q.Rules = &collective.RulesFile{Path: o.out.path}
	}
	first := &q.On[0]
	if q.Schedules, err = o.readSchedules(ctx, first, given("ranks")); err != nil {
		return q, err
	}
	if len(q.Schedules) > 0 && !given("ranks") {
		first.Ranks = []int{q.Schedules[0].Ranks()}
	}
	return q, nil
}

// callsOn returns the calls that the flags ask of a design. What was measured answers before any
// simulation, since it holds what a model of messages misses; if a layer is named, its messages
// answer.
func (o *collectiveOptions) callsOn(d halfpeak.Design, ref, name string, several bool,
	given func(flag string) bool) (c collective.Calls, err error) {
	c = o.calls
	c.Collective, c.Statistic = name, o.measured.chosenStatistic()
	if c.Algorithm == "default" {
		c.Algorithm = ""
	}
	fitted := d.Measured(name)
	if c.Map, err = o.placement(d, fitted); err != nil {
		return c, err
	}
	if err := o.check(ref, fitted); err != nil {
		return c, err
	}
	// The defaults of the flags are for maps of machines, of which several are compared at the same
	// places, and for rules: a library looks up every size, so that a rule must not begin where the
	// table happened to have a row.
	rules := c.Form.Name != ""
	asMeasured := o.measured.asked() || fitted && !several && !c.Total && !rules
	switch {
	case rules && !o.measured.asked():
		c.Sizes = stats.Doubled(c.Sizes)
	case asMeasured && !given("size"):
		c.Sizes = nil
	}
	switch m := d.Machine(); {
	case given("ranks"):
	case asMeasured && (o.measured.asked() || c.PerNode == 0):
		c.Ranks = nil
	case o.places != "":
		c.Ranks = []int{len(c.Map.Nodes)}
	case !fitted && len(m.Levels) > 0: // a small machine has not 64 cores
		c.Ranks = slices.DeleteFunc(slices.Clone(c.Ranks), func(n int) bool {
			return n > max(2, m.Cores())
		})
	}
	return c, nil
}

// readSchedules reads the schedules of --schedule. A program runs on the ranks of the flag, or of
// the schedule before it.
func (o *collectiveOptions) readSchedules(ctx context.Context, on *collective.Subject,
	ranksGiven bool) (all []collective.Schedule, err error) {
	ranks := on.Ranks
	for _, path := range o.schedules {
		reading := theprogram.Reading{}
		if program.Is(path) {
			if !ranksGiven {
				return nil, usagef("--schedule %s is a program, which needs --ranks", path)
			}
			reading.Ranks = ranks
		}
		in, err := theprogram.Read(ctx, []string{path}, reading, on.Design)
		if err != nil {
			return nil, err
		}
		if !ranksGiven {
			ranks, ranksGiven = []int{in.Schedule.Ranks()}, true
		}
		all = append(all, collective.Schedule{Name: path, Schedule: in.Schedule})
	}
	return all, nil
}

// placement returns the places of the ranks: of the --places file or, without it, of --map-by.
func (o *collectiveOptions) placement(d halfpeak.Design, fitted bool) (machine.Placement, error) {
	switch {
	case o.places == "":
		return o.calls.Map, nil
	case fitted:
		return o.calls.Map, usagef("--places requires a platform with levels, and no --map-by")
	}
	return placed.Read(o.places, d.Machine())
}

// check returns the first contradiction of the flags, or with the platform.
func (o *collectiveOptions) check(platform string, fitted bool) error {
	c, measured := o.calls, o.measured.asked()
	// Rules have the form of their library; only one of them is JSON, as -o FILE.json asks for.
	form := c.Form.Name
	own := form != "" && form != rules.OpenMPIJSON.Name
	switch {
	case (c.PerNode > 0 || c.Total) && !fitted:
		return usagef("--ranks-per-node, as --total, needs measured collectives: fit them with " +
			"\"halfpeak fit FILES --save my.toml\"; on a machine with levels the levels say " +
			"where nodes end, and sizes are those of one rank's block")
	case o.measured.chosenStatistic() != "" && !fitted && !measured:
		return usagef("--statistic is for measured times: of --measured files, or of a platform " +
			"file with measured collectives")
	case own && slices.Contains([]string{"json", "csv", "md"}, extension(o.out.path)):
		return usagef("--to %s has its own form, without --format; for rules in JSON use --to "+
			"openmpi-json", form)
	case form != "" && !measured && !fitted && !o.unverified:
		return usagef("--to %s: no collective of %s was measured, and rules from times of single "+
			"messages are often slower than the library's own choice; measure collectives and fit "+
			"them (halfpeak fit --model collective), or add --unverified", form, platform)
	}
	return nil
}

// export writes the library's rules file. If no collective was measured, it warns on
// stderr, since the library that reads the file will not.
func (o *collectiveOptions) export(cmd *cobra.Command, a collective.Answer) error {
	if !a.Times[0].Fitted {
		if _, err := fmt.Fprintln(cmd.ErrOrStderr(), collective.Unverified); err != nil {
			return err
		}
	}
	return o.out.writeTo(cmd, func(w io.Writer) error {
		_, err := w.Write(a.Rules)
		return err
	})
}

// measuredFlags are the flags of measurements that are compared with predictions.
type measuredFlags struct {
	collective.Measurements
	columns   columnsFlag
	statistic string
}

func (m *measuredFlags) declare(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&m.Files, "measured", nil,
		"compare with the times in these benchmark `files`")
	flags.Var(f, &m.Options.Measured.Ranks, flags.ParseRanks, "numbers", "measured-ranks", "",
		"ranks of files that do not give their number: one number, or one for each such table")
	enum(cmd, &m.statistic, "statistic", "statistic of the measured times over ranks", "both",
		string(fitted.Average), string(fitted.Slowest))
	m.Options.Trace.Spell = asFlag
	m.columns.declare(cmd, ", of --measured files",
		columnRoles(&m.Options.Trace))
}

// asked reports whether there are measurements to compare with.
func (m *measuredFlags) asked() bool { return m.Files != nil }

// chosenStatistic returns the statistic of --statistic; it is empty for both.
func (m *measuredFlags) chosenStatistic() fitted.Statistic {
	if m.statistic == "both" {
		return ""
	}
	return fitted.Statistic(m.statistic)
}
