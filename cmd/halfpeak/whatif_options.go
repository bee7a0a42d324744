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
	"github.com/halfpeak/halfpeak/model/quantity"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// whatifOptions holds the flags of whatif and its subcommands: the changes of a platform, and what
// is asked about it, a message, a collective or a program.
type whatifOptions struct {
	out output
	plotting

	set      []string
	quantity []string
	sizes    []quantity.Bytes
	sized    bool   // sizes were given
	save     string // of whatif itself
	way      study.Way

	collective       halfpeak.Collectives // of --collective; its sizes are --size
	program, places  string
	schedule, params []string
	input            halfpeak.Program // of --schedule

	streams bool // rows may go out as they are computed
	written bool // they have

	simulationBar
}

// declare declares the flags of all questions; formats are those beside the ones of all tables.
func (o *whatifOptions) declare(cmd *cobra.Command, formats ...string) {
	o.out.declareFormat(cmd, formats...)
	declareUnit(cmd, &o.out.units)
	cmd.Flags().StringArrayVar(&o.set, "set", nil,
		"change a parameter: `NAME=VALUE`, *= /= += -=")
	completeParams(cmd, "set", "=")
	declareWay(cmd.Flags(), &o.way)
}

// declareSizes declares --size with the default of a question.
func (o *whatifOptions) declareSizes(cmd *cobra.Command, otherwise string) {
	declareSizes(cmd, &o.sizes, "size", otherwise, "message sizes")
}

func (o *whatifOptions) declareQuantity(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&o.quantity, "quantity", nil,
		"`quantities` to predict: "+strings.Join(whatif.Quantities, ", "))
	complete(cmd, "quantity", whatif.Quantities)
}

// declareFigure declares --plot.
func (o *whatifOptions) declareFigure(cmd *cobra.Command) {
	o.declarePlot(cmd, "draw the figure into this `file` (png, svg, pdf)")
}

// declareCall declares the flags of a collective or program, whose time is asked about in place of
// single messages, and the rules of all flags: own are those of the question.
func (o *whatifOptions) declareCall(cmd *cobra.Command, own ...rule) {
	f := cmd.Flags()
	f.StringVar(&o.program, "collective", "",
		"ask about a collective: `NAME`, NAME/ALGORITHM, NAME/best or NAME/all")
	completeBy(cmd, "collective", completeProgram)
	f.StringArrayVar(&o.schedule, "schedule", nil,
		"ask about a program, schedule or trace: its `file` or folder")
	f.StringArrayVar(&o.params, "param", nil,
		"parameter of a program: `NAME=VALUE`")
	flags.Var(f, &o.collective.Ranks, flags.ParseRanks, "numbers", "ranks", "",
		"numbers of ranks, one of a program")
	flags.Var(f, &o.collective.Nodes, flags.ParseRanks, "numbers", "nodes", "",
		"numbers of nodes with all their ranks")
	f.IntVar(&o.collective.PerNode, "ranks-per-node", 0, "ranks on each node, if not as measured")
	f.StringVar(&o.collective.Map.By, "map-by", "",
		"place ranks by `core`, level or list of cores")
	f.StringVar(&o.places, "places", "",
		"place ranks by a CSV `file`: rank, node, group")
	cmd.MarkFlagsMutuallyExclusive("schedule", "collective")
	cmd.MarkFlagsMutuallyExclusive("ranks", "nodes")
	cmd.MarkFlagsMutuallyExclusive("map-by", "places")
	obey(cmd, o.facts, append(own,
		atLeast("--ranks-per-node", 1, ""),
		needs("--nodes, --ranks-per-node", "--collective",
			"--nodes and --ranks-per-node are of --collective, as in --collective allreduce"),
		needs("--collective", "--ranks, --nodes, --places",
			"--collective {--collective} requires --ranks, for example --ranks 64"),
		needs("a program as --schedule", "one --ranks",
			"--schedule {--schedule} is a program, which needs one number of --ranks"),
		needs("--param", "a program as --schedule",
			"--param sets a parameter of a program (--schedule NAME.star)"),
		needs("--ranks", "--collective, a program as --schedule",
			"--ranks requires --collective, for example --collective allreduce, or a program "+
				"as --schedule"),
		needs("--map-by, --places", "--collective, --schedule",
			"--map-by and --places place the ranks of --collective or --schedule"))...)
}

// facts returns the words of the rules that no flag decides.
func (o *whatifOptions) facts([]string) facts {
	one := len(o.quantity) == 0 ||
		len(o.quantity) == 1 && (o.quantity[0] == "gap" || o.quantity[0] == "one_way")
	return facts{"a program as --schedule": o.isProgram(),
		"another quantity than one_way or gap": !one}
}

// run returns the function of a command that prints the answer of a question, and draws it.
func (o *whatifOptions) run(ask func(context.Context, *cobra.Command, []string) (table.Answer,
	error)) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := o.checkPlot(); err != nil {
			return err
		}
		if _, err := o.out.kind(); err != nil && o.stream() == "" {
			return err
		}
		// A run may take minutes, and Ctrl-C ends it with what is complete.
		ctx, stop := interruptible(cmd.Context())
		defer stop()
		o.sized = cmd.Flags().Changed("size")
		// The number of simulations is known only to some questions, so the bar shows their rate.
		o.stderr = cmd.ErrOrStderr()
		o.bar = progress(o.stderr, 0, "simulations")
		answer, err := ask(ctx, cmd, args)
		if err == nil {
			err = o.draw(o.out.units, answer.Figure)
		}
		o.bar(-1)
		if err = interrupted(ctx, err); err != nil || o.written {
			return err
		}
		return o.out.write(cmd, answer.Rows())
	}
}

// asking is run of a question about one platform.
func (o *whatifOptions) asking(ask func(context.Context, whatif.Case) (table.Answer, error)) func(
	*cobra.Command, []string) error {
	return o.run(func(ctx context.Context, _ *cobra.Command, args []string) (table.Answer, error) {
		about, err := o.about(ctx, args[0])
		if err != nil {
			return nil, err
		}
		return ask(ctx, about)
	})
}

// about returns what a question is about, a platform before and after the changes. others are
// parameters that are searched or swept.
func (o *whatifOptions) about(ctx context.Context, ref string, others ...string) (
	c whatif.Case, err error) {
	all, err := o.open(ref)
	if err != nil {
		return c, err
	}
	return o.change(ctx, all[0], others)
}

// change returns the platform with the times of its collective or program, before and after the
// changes: --set is checked against the platform as it is.
func (o *whatifOptions) change(ctx context.Context, d halfpeak.Design, others []string) (
	c whatif.Case, err error) {
	base, err := o.study(ctx, d)
	if err != nil {
		return c, err
	}
	if len(o.quantity) > 0 {
		if c.Quantities, err = base.Quantities(o.quantity...); err != nil {
			return c, usagef("--quantity: %w", err)
		}
	}
	if c.Units = o.out.units; o.sized {
		c.Sizes = o.sizes
	}
	// A machine whose level is not said has an error of its own flags.
	c.Before, c.After, err = base.Change(o.set, others)
	if err != nil && usage.FieldsOf(err) == nil {
		err = fmt.Errorf("--set %w", err)
	}
	return c, err
}

// open opens platforms, and places the ranks of a call on the first. A call needs no layer if
// its collectives were measured.
func (o *whatifOptions) open(refs ...string) ([]halfpeak.Design, error) {
	all, err := halfpeak.OpenAll(refs...)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if o.isCall() && o.save == "" {
			all[i].Design, err = all[i].OfRanks()
		} else {
			err = all[i].Messages()
		}
		if err != nil {
			return nil, err
		}
	}
	o.collective.Choose(o.program)
	if o.places != "" {
		o.collective.Map, err = placed.Read(o.places, all[0].Machine())
		if o.program != "" && len(o.collective.Ranks) == 0 {
			o.collective.Ranks = []int{len(o.collective.Map.Nodes)}
		}
	}
	return all, err
}

// study returns the design with the times of --schedule or --collective as quantities, or the layer
// that messages cross.
func (o *whatifOptions) study(ctx context.Context, d halfpeak.Design) (whatif.Design, error) {
	var call halfpeak.Call
	switch {
	case o.program != "":
		// One size, since each size and number of ranks is a quantity, and so a column.
		c := o.collective
		if c.Sizes = parsedSizes(whatif.OneSize); o.sized {
			c.Sizes = o.sizes
		}
		c.Watch = o.simulated
		call = c
	case len(o.schedule) > 0:
		if o.input.Schedule == nil { // else it was read for another platform
			var err error
			if o.input, err = halfpeak.Read(ctx, o.schedule, o.reading(), d); err != nil {
				return whatif.Design{}, err
			}
		}
		o.input.Map, o.input.Watch = o.collective.Map, o.simulated
		call = o.input
	case o.way != study.Way{}:
		of, err := o.way.Of(d.Design)
		return whatif.Of(of), err
	default:
		return whatif.Of(d.Design), nil
	}
	s, err := d.Study(ctx, call)
	return s.Design, err
}

// isProgram reports whether --schedule is a program in Starlark.
func (o *whatifOptions) isProgram() bool {
	return len(o.schedule) == 1 && program.Is(o.schedule[0])
}

// reading says how a program as --schedule is run.
func (o *whatifOptions) reading() (r theprogram.Reading) {
	if o.isProgram() {
		r.Ranks, r.Params = o.collective.Ranks[:1], o.params
	}
	return r
}

// isCall reports whether the time of a collective or program is asked about.
func (o *whatifOptions) isCall() bool { return len(o.schedule) > 0 || o.program != "" }

// stream returns the format in which the rows of a sweep go out one by one; empty: they are a table
// in memory.
func (o *whatifOptions) stream() string {
	name := cmp.Or(o.out.format, extension(o.out.path))
	if o.streams && slices.Contains(table.StreamFormats, name) {
		return name
	}
	return ""
}
