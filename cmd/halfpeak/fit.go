package main

import (
	"cmp"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/fits"
	"github.com/halfpeak/halfpeak/reports/table"
)

// fitOptions holds the flags of fit; asked is the question that they fill.
type fitOptions struct {
	columns       columnsFlag
	asked         fits.Question
	model, method string
	network       string
	rtt           quantity.Micros
	save          string
	link          string
	gate          changeGate
	steps         programFit
	plotting
	out output
}

var fitRules = []rule{
	needs("", "arguments",
		`give at least one file of a benchmark's output, as in "halfpeak fit np.out"`),
	atLeast("--segments", 1, "; without it the data decide"),
	needs("--segments", "--model=piecewise",
		"--segments is for --model piecewise, not {--model}"),
	needs("--method", "--model=linear, --model=pipeline",
		"--method is for --model linear or pipeline, not {--model}"),
	excludes("--against", "--model=loggp, --model=logp, --model=pipeline, --model=collective",
		"--against compares curves of time against size, and not --model {--model}"),
	needs("--fail-on-change", "--against, --link",
		"--fail-on-change looks at a comparison (--against) or a verdict (--link)"),
	needs("--network", "--against", "--network says how far two jobs differ; add --against FILE"),
	// A signature gives o_s, g and o_r; L takes a round trip, which other models have in their
	// tables.
	needs("--rtt", "--model=logp", "--rtt is for --model logp, not {--model}"),
	// Its data are intervals of bursts, which have no sizes.
	excludes("--plot", "--model=logp",
		"--plot draws times against sizes; save the {--model} parameters and plot the platform"),
}

// newFit declares fit. Files are checked by run and not by cobra, so that the message
// for none has an example.
func newFit() *cobra.Command {
	var o fitOptions
	cmd := command("fit", nil, o.run)
	// The formats are listed by the package that reads them: a new reader appears
	// here by itself.
	cmd.Long += "\n\n" + table.Fold("The formats are "+benchfile.Known+", and tables of sizes and "+
		"times or rates that their columns show.", 80) + "\n\n" + columnsHelp
	o.out.declare(cmd)
	enum(cmd, &o.model, "model", "what to fit", fits.Models...)
	// The flag's words are those of package fit, so that a new method is a row there alone.
	methods := make([]string, len(fit.Methods))
	for i, m := range fit.Methods {
		methods[i] = string(m)
	}
	enum(cmd, &o.method, "method", "how to put a line through points", methods...)
	f := cmd.Flags()
	o.asked.Trace.Spell = asFlag
	o.columns.declare(cmd,
		"; ranks, nodes, ranks-per-node: of a collective; group: its values are tables of their "+
			"own; pool: its values are pooled", columnRoles(&o.asked.Trace))
	f.IntVar(&o.asked.Segments, "segments", 0,
		"number of lines of a piecewise fit; 0 lets the data decide")
	flags.Var(f, &o.rtt, quantity.ParseMicros, "time", "rtt", "",
		"round-trip `time` measured with a signature, for L")
	flags.Var(f, &o.asked.Trace.Clock, parseClock, "clock", "clock", "",
		"`clock` of the processor whose cycles perftest -C prints as its times, as in 3GHz")
	outputFlag(f, &o.save, saveFlag, "", "write a platform to this `file`, for predict and plot")
	o.declarePlot(cmd, "draw points, lines and residuals into this `file` (png, svg, pdf)")
	f.StringVar(&o.asked.Compare, "against", "",
		"compare with this other `file`, or with the table of this name; given the same file, "+
			"compare the runs in it")
	optional(cmd, &o.network, "network", "of --against: how far two jobs differ; by default the "+
		"latencies say", string(fit.Node), string(fit.Fabric), string(fit.Shared))
	f.StringVar(&o.asked.Measured.Collective, "collective", "",
		"the `collective` that a CSV or old nccl-tests file measured, as in bcast")
	f.StringVar(&o.asked.Measured.Algorithm, "algorithm", "",
		"`algorithm` of a collective, by its name here or Open MPI's number; by default the one "+
			"named in the files, or searched")
	flags.Var(f, &o.asked.Measured.Ranks, flags.ParseRanks, "numbers", "ranks", "",
		"ranks of files that do not give their number: one number, or one for each such table")
	f.IntVar(&o.asked.Measured.PerNode, "ranks-per-node", 0,
		"`ranks` of a collective on each node, for files that do not give them")
	f.BoolVar(&o.asked.Measured.Total, "total", false,
		"in a CSV of allgather, reduce_scatter, …, sizes count all ranks' blocks together, as "+
			"in nccl-tests")
	o.gate.declare(cmd, "a table of --against changed, or a verdict of --link is slow or low")
	f.StringVar(&o.link, "link", "",
		"the `links` of a node to the network, as in 4x200Gbit/s, or a platform with rails: are "+
			"latency and bandwidth, or nccl-tests' busbw, usual?")
	f.BoolVar(&o.asked.Runs, "runs", false,
		"treat the files, or a file's pairs of nodes, as runs of one measurement")
	o.steps.declare(cmd)
	completeAlgorithms(cmd)
	obey(cmd, func(args []string) facts { return o.facts(f, args) },
		append(fitRules, programFitRules...)...)
	return cmd
}

// question returns what the flags ask of files.
func (o *fitOptions) question(files []string) (q fits.Question, err error) {
	q = o.asked
	q.Files, q.Units = files, o.out.units
	q.Trace.Collective = q.Measured.Collective
	// Then a file of one size is an error, since it has no line to save or draw; else
	// its times are printed.
	q.Saved, q.Saving = o.save != "", o.save != "" || o.plot != ""
	q.Model, q.Method, q.RTT = o.model, fit.Method(o.method), o.rtt
	q.Network = fit.Network(o.network)
	if q.Links, err = fits.ParseLinks(o.link); err != nil {
		return q, usagef("--link %w", err)
	}
	return q, nil
}

func (o *fitOptions) run(cmd *cobra.Command, args []string) error {
	q, err := o.question(args)
	if err != nil {
		return err
	}
	q.Progress = readingBar(cmd.ErrOrStderr())
	if o.steps.program != "" {
		return o.steps.fit(cmd, args, q.Options, o.save, o.out)
	}
	found, err := q.Ask(cmd.Context())
	if err != nil {
		return err
	}
	// A file that breaks off is shown, but neither saved nor written with -o: a file
	// would look whole.
	if found.Partial {
		if o.out.path == "" {
			err = o.out.write(cmd, found.Rows())
		}
		return cmp.Or(err, found.Broken)
	}
	// Files are written before the table is printed, so that a printed answer is complete. The
	// platform comes last: if the picture fails, nothing is saved.
	var text string
	if o.save != "" {
		if text, err = found.TOML(); err != nil {
			return err
		}
	}
	if err := o.draw(o.out.units, found.Figure); err != nil {
		return err
	}
	encoded := func() (string, error) { return text, nil }
	if err := savePlatform(o.save, encoded); err != nil {
		return err
	}
	// A file that was left out is missing, and what was saved is whole.
	return cmp.Or(o.out.write(cmd, found.Rows()), found.Broken, o.changed(found))
}

// changed returns the changes and the bad verdicts that a gate looks for.
func (o *fitOptions) changed(found *fits.Answer) (err error) {
	if c, ok := found.Result.(*fits.Comparison); ok {
		err = o.gate.check(c.Changed(), len(c.Changes), "comparisons changed")
	}
	bad, judged := found.Judged()
	return cmp.Or(err, o.gate.check(bad, judged, "verdicts are slow or low"))
}

// facts chooses the model of a flag that belongs to one, if none is named: --segments 3 is a wish
// for lines.
func (o *fitOptions) facts(set *pflag.FlagSet, args []string) facts {
	for _, of := range [][2]string{{"method", "linear"}, {"segments", "piecewise"}} {
		if set.Changed(of[0]) && !set.Changed("model") {
			_ = set.Set("model", of[1]) // one of its words
		}
	}
	return facts{"arguments": len(args) > 0}
}

// parseClock reads the clock of a processor, which is above 0.
func parseClock(text string) (megahertz float64, err error) {
	if megahertz, err = quantity.ParseMegahertz(text); err == nil && !(megahertz > 0) {
		err = errors.New("a clock must be above 0, as in 3GHz")
	}
	return megahertz, err
}
