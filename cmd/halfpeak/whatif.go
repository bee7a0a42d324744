package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// whatifOptions holds the flags of whatif. Its questions share a platform, changes,
// sizes and quantities, which is why they are one command.
type whatifOptions struct {
	out output
	plotting

	about                   whatif.Case
	other                   *whatif.Design
	target                  string
	solveFor                []string
	asked                   [len(whatifAnswers)]bool // which of the answers
	set, quantity, schedule []string
	sweep                   []string // ranges
	params                  []string // of a program as schedule
	save, program, places   string
	way                     study.Way // of a message on a machine of levels

	sized      bool                 // sizes were given
	collective halfpeak.Collectives // of --collective; its sizes are --size
	input      halfpeak.Program     // of --schedule
	simulationBar
	samplingFlags
}

// facts returns the words of the rules that no flag decides.
func (o *whatifOptions) facts(args []string) facts {
	one := len(o.quantity) == 0 ||
		len(o.quantity) == 1 && (o.quantity[0] == "gap" || o.quantity[0] == "one_way")
	return facts{"a second platform": len(args) > 1, "a program as --schedule": o.isProgram(),
		"another quantity than one_way or gap": !one}
}

// newWhatif declares whatif.
func newWhatif() *cobra.Command {
	var o whatifOptions
	q := &o.about
	cmd := command("whatif",
		wantArgs(1, 2, `one platform, as in "halfpeak whatif clip --set 'host-dma.tau*=0.5'", `+
			"or with --uncertainty two"),
		o.run)
	o.out.declareFormat(cmd, table.StreamFormats[1:]...) // csv is among those of all tables
	declareUnit(cmd, &o.out.units)
	o.declarePlot(cmd, "draw the figure into this `file` (png, svg, pdf)")
	f := cmd.Flags()
	f.StringArrayVar(&o.set, "set", nil,
		"change a parameter: `NAME=VALUE`, also *= /= += -=; may be given again")
	outputFlag(f, &o.save, saveFlag, "",
		"write the platform with the changes of --set into this TOML `file`")
	declareSizes(cmd, &q.Sizes, "size", whatif.TableSizes,
		"message sizes; for --sweep "+whatif.OneSize+" if not given")
	f.StringSliceVar(&o.quantity, "quantity", nil,
		"the `quantities` to predict: "+strings.Join(whatif.Quantities, ", "))
	f.StringArrayVar(&o.sweep, "sweep", nil,
		"predict at all values of a range: `NAME=FROM..TO/N`, or /N/log for even ratios; may be "+
			"given again")
	f.StringVar(&o.target, "target", "",
		"a `condition`, as in \"bandwidth(4KiB) >= 100MB/s\" or \"rtt(16B) <= rtt(16B)/2\"")
	f.StringArrayVar(&o.solveFor, "solve-for", nil,
		"the `NAME` of the parameter to change, or NAME=FROM..TO; give two for a curve, none to "+
			"try each")
	for i, a := range whatifAnswers {
		f.BoolVar(&o.asked[i], a.flag, false, a.help)
	}
	f.StringArrayVar(&o.schedule, "schedule", nil,
		"add a quantity: the finish of the program (.star), schedule or trace in this `file` or "+
			"folder; a trace may have several")
	f.StringArrayVar(&o.params, "param", nil,
		"with a program as --schedule: `NAME=VALUE` of a parameter of main; may be given again")
	f.StringVar(&o.program, "collective", "",
		"add a quantity for each of --ranks and --size: the finish of the collective of this "+
			"`name` by the library's algorithm; NAME/best takes the fastest, NAME/all each")
	flags.Var(f, &o.collective.Ranks, flags.ParseRanks, "numbers", "ranks", "",
		"with --collective: numbers of ranks; with a program as --schedule: their number")
	flags.Var(f, &o.collective.Nodes, flags.ParseRanks, "numbers", "nodes", "",
		"with --collective: numbers of nodes with all their ranks, in place of --ranks")
	f.IntVar(&o.collective.PerNode, "ranks-per-node", 0,
		"with --collective: ranks on each node; by default, as measured")
	f.StringVar(&o.collective.Map.By, "map-by", "",
		"place ranks on a machine by `core`, by a level, or on a list of cores")
	f.StringVar(&o.places, "places", "",
		"place ranks by a CSV `file` with the columns rank, node and, for nodes in groups, group")
	declareWay(f, &o.way)
	o.samplingFlags.declare(f)
	completeParams(cmd, "set", "=")
	completeParams(cmd, "sweep", "=")
	completeParams(cmd, "solve-for", "")
	complete(cmd, "quantity", whatif.Quantities)
	completeBy(cmd, "collective", completeProgram)
	obey(cmd, o.facts, whatifRules...)
	return cmd
}

// checkOutput returns an error for an output that cannot be written; a sweep may also go to a
// stream of rows.
func (o *whatifOptions) checkOutput() error {
	switch stream := o.stream(); {
	case stream != "" && len(o.sweep) > 0:
		return o.checkPlot()
	case stream == "jsonl":
		return usagef("jsonl is for the rows of --sweep; use text, markdown, csv or json here")
	}
	_, err := o.out.kind()
	return cmp.Or(o.checkPlot(), err)
}

// stream returns the format in which a sweep goes out row by row; empty: it is a
// table in memory.
func (o *whatifOptions) stream() string {
	name := cmp.Or(o.out.format, extension(o.out.path))
	if slices.Contains(table.StreamFormats, name) {
		return name
	}
	return ""
}

// run follows one order for all questions: the platform, the schedule or collective
// as a further quantity of it, the changes, the file of --save, and then the
// question. So --set is checked against the platform as it is, and the saved file is
// there even if the question has no answer.
func (o *whatifOptions) run(cmd *cobra.Command, args []string) error {
	o.sized = cmd.Flags().Changed("size")
	if err := o.checkOutput(); err != nil {
		return err
	}
	all, err := o.find(args)
	if err != nil {
		return err
	}
	asked := all[0]
	if err := o.place(asked); err != nil {
		return err
	}
	// From here on a run may take minutes, and Ctrl-C ends it with what is complete.
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	// The number of simulations is known only to some questions, so the bar shows their rate.
	o.stderr = cmd.ErrOrStderr()
	o.bar = progress(o.stderr, 0, "simulations")
	base, err := o.prepare(ctx, asked, all[1:])
	if err := interrupted(ctx, err); err != nil {
		return err
	}
	if err := o.change(base); err != nil {
		return err
	}
	q := &o.about
	encode := func() ([]byte, error) { return q.After.Encode(platforms.WrittenBy + "whatif.") }
	if err := savePlatform(o.save, encode); err != nil {
		return err
	}
	if len(o.sweep) > 0 {
		o.bar(-1)
		o.bar = func(int64) {} // a sweep shows its rows
		q := whatif.SweepQuestion{Case: o.about}
		for _, text := range o.sweep {
			r, err := q.After.ParseRange(text)
			if err != nil {
				return usage.Fields(err, "sweep")
			}
			q.Ranges = append(q.Ranges, r)
		}
		return sweepOutput{&o.out, &o.plotting, o.stream()}.run(ctx, cmd, q)
	}
	return o.answer(ctx, cmd)
}

// place reads where the ranks of a collective or a program are.
func (o *whatifOptions) place(asked halfpeak.Design) (err error) {
	o.collective.Choose(o.program)
	if o.places == "" {
		return nil
	}
	if o.collective.Map, err = placed.Read(o.places, asked.Machine()); err != nil {
		return err
	}
	if o.program != "" && len(o.collective.Ranks) == 0 {
		o.collective.Ranks = []int{len(o.collective.Map.Nodes)}
	}
	return nil
}

// prepare returns the design with the times of its schedule or collective, and reads the second
// platform, if there is one.
func (o *whatifOptions) prepare(ctx context.Context, asked halfpeak.Design,
	other []halfpeak.Design) (base whatif.Design, err error) {
	if len(o.schedule) > 0 {
		if o.input, err = halfpeak.Read(ctx, o.schedule, o.reading(), asked); err != nil {
			return base, err
		}
	}
	if base, err = o.study(ctx, asked); err == nil && len(other) > 0 {
		o.other, err = o.against(ctx, other[0])
	}
	return base, err
}

// change completes the question: the quantities, and the design before and after the changes.
func (o *whatifOptions) change(base whatif.Design) (err error) {
	q := &o.about
	if len(o.quantity) > 0 {
		if q.Quantities, err = base.Quantities(o.quantity...); err != nil {
			return usagef("--quantity: %w", err)
		}
	}
	if !o.sized {
		q.Sizes = nil
	}
	q.Units = o.out.units
	if !o.finishes() && o.way != (study.Way{}) {
		if base.Design, err = o.way.Of(base.Design); err != nil {
			return err
		}
	}
	// A machine whose level is not said has an error of its own flags.
	q.Before, q.After, err = base.Change(o.set, slices.Concat(o.sweep, o.solveFor))
	if err != nil && usage.FieldsOf(err) == nil {
		return fmt.Errorf("--set %w", err)
	}
	return err
}

// answer writes the answer of all questions but a sweep.
func (o *whatifOptions) answer(ctx context.Context, cmd *cobra.Command) error {
	sampling := o.sampling(ctx)
	var watch func(string, bool)
	if o.finishes() && o.target != "" {
		o.bar(-1)
		watch, o.bar = o.searching()
	} else {
		sampling.Watch = o.sampled()
	}
	draw := o.plot != ""
	var answer whatif.Answer
	var err error
	switch {
	case o.asked[0]:
		answer, err = whatif.Ask(ctx, whatif.SensitivityQuestion{Case: o.about})
	case o.asked[1]:
		answer, err = whatif.Ask(ctx, whatif.BreakdownQuestion{Case: o.about, Areas: draw})
	case o.asked[2]:
		answer, err = whatif.Ask(ctx, whatif.ThresholdQuestion{Case: o.about, Sampling: sampling})
	case o.asked[3]:
		answer, err = whatif.Ask(ctx, whatif.UncertaintyQuestion{Case: o.about,
			Against: o.other, Sampling: sampling, Bands: draw})
	case o.target != "":
		answer, err = o.search(ctx, watch, draw)
	default:
		answer, err = whatif.Ask(ctx, whatif.ChangeQuestion{Case: o.about})
	}
	if err == nil && draw {
		err = o.draw(o.out.units, func() (table.Picture, error) { return answer.Figure(), nil })
	}
	o.bar(-1)
	if err = interrupted(ctx, err); err != nil {
		return err
	}
	return o.out.write(cmd, answer.Rows())
}

func (o *whatifOptions) search(ctx context.Context, watch func(string, bool), draw bool) (
	whatif.Answer, error) {
	t, err := o.about.After.ParseTarget(o.target)
	if err != nil {
		return nil, usage.Fields(err, "target")
	}
	var by []whatif.Range
	for _, text := range o.solveFor {
		r, err := o.about.After.Searched(text)
		if err != nil {
			return nil, usage.Fields(err, "solve-for")
		}
		by = append(by, r)
	}
	if len(by) == 2 {
		return whatif.Ask(ctx, whatif.TradeQuestion{Case: o.about, Target: t, X: by[0], Y: by[1],
			Map: draw})
	}
	return whatif.Ask(ctx, whatif.TargetQuestion{Case: o.about, Target: t, By: by, Watch: watch})
}

// study returns the design with the times of --schedule or --collective as quantities.
func (o *whatifOptions) study(ctx context.Context, d halfpeak.Design) (whatif.Design, error) {
	var call halfpeak.Call
	switch {
	case o.collective.Collective != "":
		// One size, since each size and number of ranks is a quantity, and so a column.
		o.collective.Sizes = parsedSizes(whatif.OneSize)
		if o.sized {
			o.collective.Sizes = o.about.Sizes
		}
		o.collective.Watch = o.simulated
		call = o.collective
	case len(o.schedule) > 0:
		o.input.Map, o.input.Watch = o.collective.Map, o.simulated
		call = o.input
	default:
		return whatif.Of(d.Design), nil
	}
	s, err := d.Study(ctx, call)
	return s.Design, err
}

// against returns the second platform of --uncertainty.
func (o *whatifOptions) against(ctx context.Context, d halfpeak.Design) (*whatif.Design, error) {
	if !o.finishes() {
		var err error
		if d.Design, err = o.way.Of(d.Design); err != nil {
			return nil, err
		}
	}
	s, err := o.study(ctx, d)
	return &s, err
}

// find returns the designs that a question is about. Collectives need no layer if they were
// measured.
func (o *whatifOptions) find(refs []string) ([]halfpeak.Design, error) {
	all, err := halfpeak.OpenAll(refs...)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if o.program != "" && o.save == "" {
			all[i].Design, err = all[i].OfRanks()
		} else {
			err = all[i].Messages()
		}
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// isProgram reports whether --schedule is a program in Starlark.
func (o *whatifOptions) isProgram() bool {
	return len(o.schedule) == 1 && program.Is(o.schedule[0])
}

// reading says how a program as --schedule is run.
func (o *whatifOptions) reading() (r halfpeak.Reading) {
	if o.isProgram() {
		r.Ranks, r.Params = o.collective.Ranks[:1], o.params
	}
	return r
}

// finishes reports whether the finish of a program is a quantity too.
func (o *whatifOptions) finishes() bool {
	return len(o.schedule) > 0 || o.program != ""
}
