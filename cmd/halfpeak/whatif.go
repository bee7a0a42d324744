package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/schedule/mpitrace"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/reports/collectives"
	"github.com/halfpeak/halfpeak/reports/simulations"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// whatifOptions holds the flags of whatif. Its questions share a platform, changes,
// sizes and quantities, which is why they are one command.
type whatifOptions struct {
	out output
	plotting

	set, quantity, sweep, solveFor, schedule       []string
	save, target, program, places                  string
	sensitivity, breakdown, landmarks, uncertainty bool

	sizes      []quantity.Bytes
	sized      bool               // sizes were given
	collective collectives.Calls  // of --collective; its sizes are --size
	input      *simulations.Input // of --schedule; nil: none
	finish     []string           // names of the finishes of --schedule or --collective
	stderr     io.Writer
	bar        func(int64) // shows the progress of simulations
	samplingFlags
}

// newWhatif declares whatif.
func newWhatif() *cobra.Command {
	var o whatifOptions
	cmd := command("whatif",
		wantArgs(1, 2, `one platform, as in "halfpeak whatif clip --set 'host-dma.tau*=0.5'", `+
			"or with --uncertainty two"),
		o.run)
	o.out.declareFormat(cmd, reports.StreamFormats()[1:]...) // csv is among those of all tables
	declareUnit(cmd, &o.out.units)
	o.declarePlot(cmd, "draw the figure into this `file` (png, svg, pdf)")
	f := cmd.Flags()
	f.StringArrayVar(&o.set, "set", nil,
		"change a parameter: `NAME=VALUE`, also *= /= += -=; may be given again")
	outputFlag(f, &o.save, "save", "",
		"write the platform with the changes of --set into this TOML `file`")
	declareSizes(cmd, &o.sizes, "size", "1,256,4KiB,64KiB,1MiB",
		"message sizes; for --sweep 64KiB if not given")
	f.StringSliceVar(&o.quantity, "quantity", nil,
		"the `quantities` to predict: "+strings.Join(whatif.Quantities(), ", "))
	f.StringArrayVar(&o.sweep, "sweep", nil,
		"predict at all values of a range: `NAME=FROM..TO/N`, or /N/log for even ratios; may be "+
			"given again")
	f.StringVar(&o.target, "target", "",
		"a `condition`, as in \"bandwidth(4KiB) >= 100MB/s\" or \"rtt(16B) <= rtt(16B)/2\"")
	f.StringArrayVar(&o.solveFor, "solve-for", nil,
		"the `NAME` of the parameter to change, or NAME=FROM..TO; give two for a curve, none to "+
			"try each")
	f.BoolVar(&o.sensitivity, "sensitivity", false,
		"list the change per percent of each parameter; --plot draws a tornado")
	f.BoolVar(&o.breakdown, "breakdown", false,
		"break the one-way time and the gap down by stage or parameter")
	f.BoolVar(&o.landmarks, "landmarks", false,
		"list n½, 90 % of the peak, and the best protocol thresholds")
	f.BoolVar(&o.uncertainty, "uncertainty", false,
		"predict with 95 % intervals: of the next measurement if the platform was fitted, else "+
			"from those of the parameters")
	f.StringArrayVar(&o.schedule, "schedule", nil,
		"add a quantity: the finish of the schedule or trace in this `file` or folder; a trace "+
			"may have several")
	f.StringVar(&o.program, "collective", "",
		"add a quantity for each of --ranks and --size: the finish of the collective of this "+
			"`name` by its fastest algorithm; NAME/ALGORITHM takes one, NAME/all each")
	flags.Var(f, &o.collective.Ranks, flags.ParseRanks, "numbers", "ranks", "",
		"with --collective: numbers of ranks")
	f.StringVar(&o.collective.Map.By, "map-by", "",
		"place ranks on a machine by `core`, by a level, or on a list of cores")
	f.StringVar(&o.places, "places", "",
		"place ranks by a CSV `file` with the columns rank, node and, for nodes in groups, group")
	o.samplingFlags.declare(f)
	completeParams(cmd, "set", "=")
	completeParams(cmd, "sweep", "=")
	completeParams(cmd, "solve-for", "")
	complete(cmd, "quantity", whatif.Quantities())
	completeBy(cmd, "collective", completeProgram)
	return cmd
}

// check returns the first contradiction of the flags. There is one question at most,
// since each has a table of its own; without one, the costs before and after --set
// are the answer.
func (o *whatifOptions) check(other string) error {
	questions := 0
	for _, asked := range []bool{len(o.sweep) > 0, o.target != "", o.sensitivity, o.breakdown,
		o.landmarks, o.uncertainty} {
		if asked {
			questions++
		}
	}
	// What depends on another flag is checked before the number of questions: "--solve-for requires
	// --target" says more than "no question".
	switch {
	case len(o.solveFor) > 0 && o.target == "":
		return usagef("--solve-for requires --target; give a condition, as in --target " +
			"'bandwidth(4KiB) >= 100MB/s'")
	case other != "" && !o.uncertainty:
		return usagef("a second platform requires --uncertainty; halfpeak compare shows " +
			"platforms side by side")
	case questions > 1:
		return usagef("--sweep, --target, --sensitivity, --breakdown, --landmarks and " +
			"--uncertainty are different questions; choose one")
	case o.finishes() && o.landmarks:
		return usagef("--landmarks are sizes of single messages; of a collective, halfpeak " +
			"collective --crossovers lists the sizes where the best algorithm changes")
	case o.finishes() && questions+len(o.set) == 0:
		return usagef("--schedule and --collective require --set, --sweep, --target, " +
			"--sensitivity, --breakdown or --uncertainty")
	case len(o.schedule) > 0 && o.program != "":
		return usagef("--schedule and --collective cannot be combined")
	case o.program != "" && len(o.collective.Ranks) == 0 && o.places == "":
		return usagef("--collective %s requires --ranks, for example --ranks 64", o.program)
	case o.program == "" && len(o.collective.Ranks) > 0:
		return usagef("--ranks requires --collective, for example --collective allreduce")
	case !o.finishes() && (o.places != "" || o.collective.Map.By != ""):
		return usagef("--map-by and --places place the ranks of --collective or --schedule")
	case o.places != "" && o.collective.Map.By != "":
		return usagef("--places and --map-by cannot be combined")
	case o.finishes() && o.breakdown && o.plot != "":
		return usagef("--breakdown of --collective or --schedule has no picture; halfpeak plot " +
			"--kind ranks draws a schedule")
	case questions == 0 && len(o.set) == 0:
		return usagef("no question: give --set NAME=VALUE, --sweep, --target, --sensitivity, " +
			"--breakdown, --landmarks or --uncertainty")
	case questions == 0 && o.plot != "":
		return usagef("--plot draws --sweep, --target, --sensitivity, --breakdown and " +
			"--uncertainty; for curves before and after, use halfpeak plot")
	// Three parameters that reach a target are a surface, which no table shows.
	case len(o.solveFor) > 2:
		return usagef("--solve-for takes one parameter for a value, two for a curve (got %d)",
			len(o.solveFor))
	case o.target != "" && o.plot != "" && len(o.solveFor) != 2:
		return usagef("--plot requires two --solve-for, whose curve it draws")
	// Only these two are sums over stages; a bandwidth has no parts.
	case o.breakdown && o.plot != "" &&
		(len(o.quantity) > 1 || len(o.quantity) == 1 && o.quantity[0] != "gap" &&
			o.quantity[0] != "one_way"):
		return usagef("--breakdown divides the one-way time or the gap: give --quantity one_way " +
			"or --quantity gap")
	// The table of sensitivities takes several sizes; its picture does not.
	case o.sensitivity && o.plot != "" && (o.sized && len(o.sizes) > 1 || len(o.quantity) > 1):
		return usagef("a tornado shows one quantity of one size; give one --size and one " +
			"--quantity")
	}
	if err := o.samplingFlags.check(); err != nil {
		return err
	}
	return o.checkOutput()
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
	if slices.Contains(reports.StreamFormats(), name) {
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
	other := ""
	if len(args) > 1 {
		other = args[1]
	}
	if err := o.check(other); err != nil {
		return err
	}
	base, err := whatif.Find(args[0])
	if err != nil {
		return err
	}
	o.collective.Choose(o.program)
	if o.places != "" {
		if o.collective.Map, err = simulations.ReadPlaces(o.places, base.Machine()); err != nil {
			return err
		}
		if o.program != "" && len(o.collective.Ranks) == 0 {
			o.collective.Ranks = []int{len(o.collective.Map.Nodes)}
		}
	}
	// From here on a run may take minutes, and Ctrl-C ends it with what is complete.
	ctx, stop := interruptible()
	defer stop()
	// The number of simulations is known only to some questions, so the bar shows their rate.
	o.stderr = cmd.ErrOrStderr()
	o.bar = progress(o.stderr, 0, "simulations")
	if o.input, err = simulations.ReadInput(ctx, mpitrace.Defaults, o.schedule...); err == nil {
		base, err = o.withFinish(ctx, base)
	}
	if err := interrupted(ctx, err); err != nil {
		return err
	}
	// All later uses of the names need no check.
	if _, err := base.Quantities(o.quantity...); err != nil {
		return usagef("--quantity: %w", err)
	}
	d, err := base.Set(o.set...)
	if err != nil {
		return fmt.Errorf("--set %w", err)
	}
	encode := func() ([]byte, error) { return d.Encode("Written by halfpeak whatif."), nil }
	if err := savePlatform(o.save, encode); err != nil {
		return err
	}
	if len(o.sweep) > 0 {
		o.bar(-1)
		o.bar = func(int64) {} // a sweep shows its rows
		return o.runSweep(ctx, cmd, d)
	}
	rows, picture, err := o.table(ctx, base, d, other)
	if err == nil && picture != nil {
		err = o.draw(o.out.units, picture)
	}
	o.bar(-1)
	if err = interrupted(ctx, err); err != nil {
		return err
	}
	return o.out.write(cmd, rows)
}

// simulated shows that one more simulation has ended.
func (o *whatifOptions) simulated() { o.bar(1) }

// withFinish returns the design with the finish of --schedule or --collective as a quantity.
func (o *whatifOptions) withFinish(ctx context.Context, d whatif.Design) (_ whatif.Design,
	err error) {
	if o.collective.Collective == "" {
		o.finish = []string{whatif.Finish}
		return simulations.Scheduled(ctx, d, o.input, o.collective.Map, o.simulated)
	}
	// One size, since each size and number of ranks is a quantity, and so a column.
	o.collective.Sizes = o.sizesOr("64KiB")
	d, o.finish, err = collectives.Finishes(ctx, d, o.collective, o.simulated)
	return d, err
}

// table returns the answer as a table, and a function that draws its picture, if it
// has one: it is drawn only with --plot.
func (o *whatifOptions) table(ctx context.Context, base, d whatif.Design, other string) (
	rows reports.Rows, picture func() (reports.Picture, error), err error) {
	units := o.out.units
	switch {
	case o.target != "":
		return o.reach(ctx, d)
	case o.sensitivity:
		sizes, quantities := o.sizesOr("64KiB"), o.quantities(d, "one_way")
		rows, err = whatif.SensitivityRows(d, quantities, sizes, units)
		picture = func() (reports.Picture, error) {
			return whatif.Tornado(d, quantities[0].At(sizes[0]))
		}
	case o.breakdown && o.finishes():
		rows, err = whatif.PartRows(d, o.quantities(d))
	case o.breakdown:
		rows, err = whatif.OwnerRows(d, o.sizes)
		picture = func() (reports.Picture, error) {
			return whatif.Shares(d, whatif.Cost(o.quantityOr("one_way")[0]),
				o.curveSizes("1..1MiB/16"))
		}
	case o.landmarks:
		rows, err = whatif.LandmarkRows(d, o.sampling(ctx), units)
	case o.uncertainty:
		return o.uncertain(ctx, base, d, other)
	case o.finishes():
		rows, err = whatif.ContrastedTimes(base, d, o.quantities(d))
	default:
		rows, err = whatif.Contrasted(base, d, o.sizes, units)
	}
	return rows, picture, err
}

// curveSizes returns the sizes that were given if they make a curve, else the
// default: the picture of a single size would be a point.
func (o *whatifOptions) curveSizes(otherwise string) []quantity.Bytes {
	if o.sized && len(o.sizes) > 1 {
		return o.sizes
	}
	return parsedSizes(otherwise)
}

// reach finds the values that reach a target: of one parameter, the curve of two, or
// of each in turn if none is named.
func (o *whatifOptions) reach(ctx context.Context, d whatif.Design) (rows reports.Rows,
	picture func() (reports.Picture, error), err error) {
	t, err := d.ParseTarget(o.target)
	if err != nil {
		return rows, nil, fmt.Errorf("--target %w", err)
	}
	var ranges []whatif.Range
	for _, text := range o.solveFor {
		var r whatif.Range
		// Without From and To the search chooses its own bounds.
		if strings.Contains(text, "=") {
			r, err = d.ParseRange(text)
		} else {
			r.Steps = whatif.DefaultSteps
			r.Param, err = d.Find(text)
		}
		if err != nil {
			return rows, nil, fmt.Errorf("--solve-for %w", err)
		}
		ranges = append(ranges, r)
	}
	// One value each: of the parameter that is named, or of every parameter in turn.
	if len(ranges) != 2 {
		rows, err = whatif.Reach(d, t, o.out.units, ranges...)
		return rows, nil, err
	}
	if ranges[0].Param.Path == ranges[1].Param.Path {
		return rows, nil,
			usagef("--solve-for %s twice; a curve is over two parameters", ranges[0].Param.Path)
	}
	rows, draw := whatif.TargetCurve(d, t, ranges[0], ranges[1])
	return rows, func() (reports.Picture, error) { return draw(ctx) }, nil
}

// uncertain predicts with intervals, beside the design after --set or beside another
// platform. The first design is what the second is compared with.
func (o *whatifOptions) uncertain(ctx context.Context, before, after whatif.Design,
	against string) (rows reports.Rows, picture func() (reports.Picture, error), err error) {
	designs := []whatif.NamedDesign{{Name: "as it is", Design: before}}
	switch {
	// The other platform comes first, since the question is whether this one is faster.
	case against != "":
		other, err := whatif.Find(against)
		if err == nil {
			other, err = o.withFinish(ctx, other)
		}
		if err != nil {
			return rows, nil, err
		}
		designs = []whatif.NamedDesign{{Name: other.Subject(), Design: other},
			{Name: after.Subject(), Design: after}}
	case len(o.set) > 0:
		designs = append(designs, whatif.NamedDesign{Name: "with --set", Design: after})
	}
	s := o.sampling(ctx)
	if o.finishes() {
		s.Watch = o.samplesBar(len(designs))
	}
	rows, err = whatif.Uncertain(designs, o.quantityOr("one_way", "bandwidth"), o.sizes, s)
	if err != nil {
		return rows, nil, err
	}
	return rows, func() (reports.Picture, error) {
		return whatif.Bands(designs, o.quantityOr("bandwidth")[0], o.curveSizes("1..1MiB/8"),
			o.sampling(ctx))
	}, nil
}

// samplesBar returns a function that shows one more sample of the finishes. Its total tells how
// long the answer will take.
func (o *whatifOptions) samplesBar(designs int) func() {
	o.bar(-1)
	quantities := len(o.quantityOr())
	samples := min(o.samples, whatif.MaxSimulatedSamples)
	show := progress(o.stderr, int64(samples*quantities*designs), "samples")
	o.bar = func(n int64) {
		if n < 0 {
			show(n)
		}
	}
	return func() { show(1) }
}

// runSweep computes a sweep of the design.
func (o *whatifOptions) runSweep(ctx context.Context, cmd *cobra.Command, d whatif.Design) error {
	s := whatif.Sweep{Design: d, Sizes: o.sizesOr("64KiB"),
		Quantities: o.quantities(d, whatif.SweptQuantities(d)...)}
	for _, text := range o.sweep {
		r, err := d.ParseRange(text)
		if err != nil {
			return fmt.Errorf("--sweep %w", err)
		}
		s.Ranges = append(s.Ranges, r)
	}
	// The picture shows the first quantity that was asked for. If none was, it is
	// bandwidth, the last of the default ones.
	shown := 0
	if len(o.quantity) == 0 && !o.finishes() {
		shown = len(s.Quantities) - 1 // bandwidth
	}
	return sweepOutput{&o.out, &o.plotting, o.stream(), shown}.run(ctx, cmd, &s)
}

// sizesOr returns the sizes that were given, or the default of this question: the
// flag's own default is a table of five sizes, which would multiply the rows of a
// sweep.
func (o *whatifOptions) sizesOr(otherwise string) []quantity.Bytes {
	if o.sized {
		return o.sizes
	}
	return parsedSizes(otherwise)
}

// finishes reports whether the finish of a program is a quantity too.
func (o *whatifOptions) finishes() bool {
	return len(o.schedule) > 0 || o.program != ""
}

// quantityOr returns the names of the quantities that were given, else of a program's finish, else
// the default.
func (o *whatifOptions) quantityOr(otherwise ...string) []string {
	switch {
	case len(o.quantity) > 0:
		return o.quantity
	case o.finishes():
		return o.finish
	}
	return otherwise
}

// quantities returns the quantities that quantityOr names; run has checked them.
func (o *whatifOptions) quantities(d whatif.Design, otherwise ...string) []whatif.Quantity {
	all, _ := d.Quantities(o.quantityOr(otherwise...)...)
	return all
}
