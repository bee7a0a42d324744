package main

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/ask/messages"
	"github.com/halfpeak/halfpeak/ask/programs"
	askwhatif "github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/platforms/export"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/reports/check"
	"github.com/halfpeak/halfpeak/reports/predict"
	"github.com/halfpeak/halfpeak/reports/simulations"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// newPredict declares predict. It alone accepts layers with times of collectives,
// streams and other operations (any), whose tables have columns of their own. The
// default sizes are a factor of 16 apart, so that six rows show short, medium and
// long messages.
func newPredict() *cobra.Command {
	out, layers := output{plain: true}, layerOptions{any: true, use: eachState}
	var cycles cyclesFlag
	var sizes []quantity.Bytes
	cmd := command("predict",
		wantArgs(1, -1, `at least one platform, as in "halfpeak predict clip"`),
		func(cmd *cobra.Command, args []string) error {
			designs, err := layers.designs(args)
			if err != nil {
				return err
			}
			costs := halfpeak.Costs(sizes, designs...)
			rows, err := cycles.add(predict.Rows(costs, out.units), designs)
			if err != nil {
				return err
			}
			return out.write(cmd, rows)
		})
	out.declare(cmd)
	layers.declare(cmd)
	declareSizes(cmd, &sizes, "size", "1,16,256,4KiB,64KiB,1MiB", "message sizes")
	cycles.declare(cmd)
	return cmd
}

// newPacket declares packet, which compares the ways to cut a message. It has no
// --packet: that is the answer.
func newPacket() *cobra.Command {
	out := output{plain: true}
	layers := layerOptions{use: oneLevel}
	var cycles cyclesFlag
	var sizes []quantity.Bytes
	var plotted plotting
	cmd := command("packet",
		wantArgs(1, -1, `at least one platform with a pipeline, as in "halfpeak packet clip"`),
		func(cmd *cobra.Command, args []string) error {
			if err := plotted.checkPlot(); err != nil {
				return err
			}
			designs, err := layers.designs(args)
			if err != nil {
				return err
			}
			ctx, stop := interruptible()
			defer stop()
			cuts, switches, err := halfpeak.Cuts(ctx, sizes, designs...)
			if err = interrupted(ctx, err); err != nil && len(cuts) > 0 { // complete ones are kept
				return cmp.Or(out.write(cmd, predict.CutRows(cuts)), err)
			}
			if err != nil {
				return err
			}
			picture := func() (reports.Picture, error) {
				return predict.CutPicture(cuts, layersOf(designs)...)
			}
			if err := plotted.draw(out.units, picture); err != nil {
				return err
			}
			// Programs get one table, whose columns a script can rely on; people read the switches
			// apart from the cuts, below them.
			if len(switches) > 0 && !out.forPeople() {
				cuts = append(cuts, switches...)
			}
			rows, err := cycles.add(predict.CutRows(cuts), designs)
			if err != nil {
				return err
			}
			if len(switches) > 0 && out.forPeople() {
				return out.write(cmd, rows, predict.SwitchRows(switches))
			}
			return out.write(cmd, rows)
		})
	out.declare(cmd)
	declareWay(cmd.Flags(), &layers.way)
	declareSizes(cmd, &sizes, "size", "1KiB..1MiB", "message sizes")
	plotted.declarePlot(cmd, "draw the time against the packet, and the slowest stage, into this "+
		"`file` (png, svg, pdf)")
	cycles.declare(cmd)
	return cmd
}

// compareOptions holds the flags of compare. Sampling has its flags here since a probability that
// one platform overtakes another comes from the intervals of both.
type compareOptions struct {
	out    output
	layers layerOptions
	sizes  []quantity.Bytes
	cycles cyclesFlag
	cross  bool
	kind   string
	plotting
	samplingFlags
}

// newCompare declares compare. Its default size is 1 byte: the figures of merit r∞
// and n½ speak of long messages, so the times speak of short ones. The figure has the
// sizes of plot, since a curve over the sizes of a table would be a few straight
// lines.
func newCompare() *cobra.Command {
	o := compareOptions{layers: layerOptions{use: eachLevel}}
	cmd := command("compare", wantArgs(1, -1, `platforms, as in "halfpeak compare clip hp-lam"`),
		func(cmd *cobra.Command, args []string) error {
			// Which of two is faster is a question about messages.
			o.layers.streams = !o.cross
			designs, err := o.layers.designs(args)
			if err != nil {
				return err
			}
			rows, err := o.rows(cmd.Context(), designs)
			if err != nil {
				return err
			}
			// The picture first: if its file cannot be written, no table hides the error.
			if err := o.draw(o.out.units, func() (reports.Picture, error) {
				return predict.Curves(predict.CurveKind(o.kind),
					predict.CurveSizes(layersOf(designs)...), designs...)
			}); err != nil {
				return err
			}
			return o.out.write(cmd, rows)
		})
	o.out.declare(cmd)
	o.layers.declare(cmd)
	declareSizes(cmd, &o.sizes, "size", "1", "message sizes")
	o.cycles.declare(cmd)
	cmd.Flags().BoolVar(&o.cross, "crossovers", false,
		"list the sizes where one overtakes another, with the probability")
	o.samplingFlags.declare(cmd.Flags())
	o.declarePlot(cmd, "draw all into one figure: this `file` (png, svg, pdf)")
	enum(cmd, &o.kind, "kind", "quantity of the figure", "bandwidth", "latency")
	// Compared with itself, a platform crosses nowhere.
	obey(cmd, func(args []string) facts { return facts{"two platforms or more": len(args) > 1} },
		samplesRule,
		needs("--kind", "--plot", ""),
		needs("--crossovers", "two platforms or more",
			"--crossovers compares two platforms or more"))
	return cmd
}

// rows returns the table that was asked for. Of two platforms, people also read where
// they cross: it is the next question. More pairs would be more notes than rows.
func (o *compareOptions) rows(ctx context.Context, designs []halfpeak.Design) (reports.Rows,
	error) {
	var crossover *askwhatif.Crossover
	stream := func(d halfpeak.Design) bool { return d.Layer.Timed.Of == platforms.Stream }
	two := len(designs) == 2 && !slices.ContainsFunc(designs, stream)
	if o.cross || two && o.out.forPeople() {
		var sampling *askwhatif.Sampling
		// A pipeline cut otherwise is not in the file that intervals come from.
		if o.layers.packet == "" {
			s := o.sampling(ctx)
			sampling = &s
		}
		var err error
		if crossover, err = halfpeak.Crossovers(sampling, designs...); err != nil {
			return reports.Rows{}, err
		}
	}
	if o.cross {
		return whatif.CrossoverRows(crossover), nil
	}
	rows := predict.CompareRows(halfpeak.Compare(o.sizes, designs...))
	if crossover != nil {
		sentences := crossover.Sentences()
		rows.Verdict = reports.Say("%s", sentences[0])
		rows.Notes = append(rows.Notes, sentences[1:]...)
	}
	return o.cycles.add(rows, designs)
}

// newPlatforms declares platforms. An argument is an error with the command that was
// meant, since cobra would take it for an unknown subcommand.
func newPlatforms() *cobra.Command {
	out := output{plain: true}
	cmd := command("platforms", func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unexpected argument %q; to see one platform, write "+
				"\"halfpeak platforms show %s\"", args[0], args[len(args)-1])
		}
		return nil
	}, func(cmd *cobra.Command, _ []string) error {
		all, err := platforms.All()
		if err != nil {
			return err
		}
		return out.write(cmd, predict.PlatformRows(all))
	})
	out.declareFormat(cmd)
	cmd.AddCommand(newShow())
	return cmd
}

func newShow() *cobra.Command {
	out := output{plain: true}
	cmd := command("platforms show",
		wantArgs(1, 1, `one platform, as in "halfpeak platforms show clip"`),
		func(cmd *cobra.Command, args []string) error {
			d, err := open(args[0])
			if err != nil {
				return err
			}
			return out.write(cmd, predict.ParameterRows(d.Platform))
		})
	out.declareFormat(cmd)
	return cmd
}

// newExport declares export. Without --to it lists the formats, as a list of choices
// with their versions does not fit into help.
func newExport() *cobra.Command {
	out := output{plain: true}
	var layers layerOptions
	var to string
	var ranks int
	var sizes []quantity.Bytes
	cmd := command("export",
		wantArgs(0, 1, `at most one platform, as in "halfpeak export clip --to simgrid"`),
		func(cmd *cobra.Command, args []string) error {
			if to == "" {
				return out.write(cmd, predict.ExportTargets())
			}
			// Before the platform is read: a wrong format is a mistake of usage, and exits with 2.
			if _, err := export.Find(to); err != nil {
				return usage.Error{Err: err}
			}
			designs, err := layers.designs(args)
			if err != nil {
				return err
			}
			f, err := messages.Exported(designs[0].Design, to, sizes, ranks)
			if err != nil {
				return err
			}
			for _, lost := range f.Lost {
				// What the format cannot hold goes to stderr: the file is read by
				// another program, which would take a note for an error.
				cmd.PrintErrf("not in it: %s\n", lost)
			}
			return out.writeTo(cmd, f.Write)
		})
	out.declareFormat(cmd)
	layers.declare(cmd)
	cmd.Flags().StringVar(&to, "to", "", "target `program`")
	complete(cmd, "to", export.Names())
	declareSizes(cmd, &sizes, "size", "1..4MiB",
		"make the costs accurate from the smallest to the largest of these sizes")
	cmd.Flags().IntVar(&ranks, "ranks", 0,
		"`number` of ranks on a platform without levels (default 2)")
	obey(cmd, func(args []string) facts { return facts{"a platform": len(args) > 0} },
		needs("a platform", "--to", "--to is required; \"halfpeak export\" lists the formats"),
		needs("--to", "a platform",
			`--to {--to} requires a platform, as in "halfpeak export clip --to {--to}"`),
		// 0 is the default of the question, which cannot see it there as a value that was given.
		atLeast("--ranks", 1, "--ranks must be at least 2 (got {n})"))
	return cmd
}

// plotOptions holds the flags of plot.
type plotOptions struct {
	layers   layerOptions
	kind     string
	sizes    []quantity.Bytes
	title    string
	schedule []string
	ranks    rankRange
	pixels   pixels
}

// newPlot declares plot. Curves have 16 sizes for each doubling, which is smooth at
// 800 pixels. A timeline shows one message, and 16 KiB is long enough to fill CLIP's
// pipeline and short enough to see each packet.
func newPlot() *cobra.Command {
	out := output{plain: true}
	o := plotOptions{layers: layerOptions{use: eachLevel}, ranks: rankRange{0, math.MaxInt}}
	cmd := command("plot",
		wantArgs(1, -1, `at least one platform, as in "halfpeak plot clip -o bandwidth.png"`),
		func(cmd *cobra.Command, args []string) error {
			// The flag has one default, which help shows. Timelines have another, and curves
			// show all that was measured.
			if !cmd.Flags().Changed("size") {
				if o.sizes = nil; o.kind == "timeline" {
					o.sizes = parsedSizes("16KiB")
				}
			}
			if out.path == "" && out.format == "" && terminalOf(cmd.Context()).Width > 0 {
				return usagef("a picture needs a file: -o plot.png; --format text prints its " +
					"numbers")
			}
			curve := slices.Contains(predict.CurveKinds, predict.CurveKind(o.kind))
			if curve && len(o.sizes) == 1 && isImage(out.path) {
				return usagef("--size %v is one point of a curve; give several, or ask predict",
					o.sizes[0])
			}
			picture, err := plot(cmd.Context(), args, o)
			if err != nil {
				return err
			}
			return out.writePicture(cmd, picture, o.pixels)
		})
	out.declare(cmd)
	o.layers.declare(cmd)
	enum(cmd, &o.kind, "kind", "what to draw", "bandwidth", "latency", "gap", "throughput",
		"timeline", "signature", "ranks")
	cmd.Flags().StringArrayVar(&o.schedule, "schedule", nil,
		"with --kind ranks: a program (.star) or schedule `file`, or the files of a trace")
	flags.Var(cmd.Flags(), &o.ranks, parseRankRange, "ranks", "ranks", "",
		"with --kind ranks: these ranks alone, as in \"0..63\"")
	declareSizes(cmd, &o.sizes, "size", "1..1MiB/16",
		"message sizes, by default to the largest measured if that is more; one for a timeline, "+
			"16KiB if not given")
	cmd.Flags().StringVar(&o.title, "title", "", "title of the figure")
	declarePixels(cmd, &o.pixels)
	obey(cmd, o.facts,
		excludes("--kind=timeline", "several platforms, several --size",
			"a timeline shows one message: give one platform and one --size"),
		needs("--kind=ranks", "--schedule", oneSchedule),
		needs("--schedule", "--kind=ranks", oneSchedule),
		needs("--ranks", "--kind=ranks", ""),
		excludes("--kind=ranks", "several platforms", oneSchedule),
		needs("a program as --schedule", "--ranks",
			"a program needs --ranks, as in --ranks 0..15 for 16 ranks"))
	return cmd
}

const oneSchedule = "--kind ranks shows one --schedule on one platform; give both"

// facts returns the words of the rules that no flag decides.
func (o *plotOptions) facts(args []string) facts {
	return facts{"several platforms": len(args) > 1,
		"a program as --schedule": len(o.schedule) == 1 && programs.IsProgram(o.schedule[0])}
}

// A rankRange is some of the ranks, one after the other, both ends included. A
// picture of thousands of ranks shows none.
type rankRange struct{ first, last int }

func parseRankRange(text string) (r rankRange, err error) {
	from, to, several := strings.Cut(text, "..")
	if !several {
		to = from
	}
	r.first, err = strconv.Atoi(from)
	last, failed := strconv.Atoi(to)
	if r.last = last; err != nil || failed != nil || r.first < 0 || r.last < r.first {
		err = errors.New(`give ranks, counted from 0, as in "0..63"`)
	}
	return r, err
}

// plot returns the picture of a kind.
func plot(ctx context.Context, refs []string, o plotOptions) (reports.Picture, error) {
	o.layers.streams = slices.Contains(predict.CurveKinds, predict.CurveKind(o.kind))
	switch o.kind {
	case "timeline":
		o.layers.use = oneLevel
	case "ranks":
		o.layers.use = wholeMachine
	}
	designs, err := o.layers.designs(refs)
	if err != nil {
		return nil, err
	}
	switch o.kind {
	case "timeline":
		t, err := predict.Timeline(designs[0], o.sizes[0])
		t.Title = cmp.Or(o.title, t.Title)
		return t, err
	case "ranks":
		on := designs[0]
		reading := halfpeak.Reading{Ranks: []int{o.ranks.last + 1}}
		p, err := halfpeak.Read(ctx, o.schedule, reading, on)
		if err != nil {
			return nil, err
		}
		return simulations.Ranks(ctx, on, p, o.ranks.first, o.ranks.last, o.title)
	case "signature":
		f, err := check.Signature(designs...)
		f.Title = cmp.Or(o.title, f.Title)
		return f, err
	}
	if o.sizes == nil {
		o.sizes = predict.CurveSizes(layersOf(designs)...)
	}
	f, err := predict.Curves(predict.CurveKind(o.kind), o.sizes, designs...)
	f.Title = cmp.Or(o.title, f.Title)
	return f, err
}

// writePicture draws the picture into the -o file; if that is not an image, or
// missing, it writes the picture's numbers: what a plot shows can always be had as a
// table.
func (o *output) writePicture(cmd *cobra.Command, p reports.Picture, size pixels) error {
	format, table := formats[extension(o.path)]
	switch {
	case o.path == "" || table && format != reports.Text || o.format != "" &&
		!isImage(o.path):
		return o.write(cmd, reports.RowsOf(p))
	case o.format != "":
		return usagef("-o %q is an image; --format %s is for numbers: leave one out", o.path,
			o.format)
	}
	return drawTo(o.path, p, size, o.units)
}
