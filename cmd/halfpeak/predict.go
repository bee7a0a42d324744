package main

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/export"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
	"github.com/halfpeak/halfpeak/reports/summary"
)

// newPredict declares predict. It alone accepts layers with times of collectives,
// streams and other operations (any), whose tables have columns of their own. The
// default sizes are a factor of 16 apart, so that six rows show short, medium and
// long messages.
func newPredict() *cobra.Command {
	out, layers := output{plain: true}, layerOptions{any: true, use: eachState}
	var asked message.CostQuestion
	cmd := command("predict",
		wantArgs(1, -1, `at least one platform, as in "halfpeak predict clip"`),
		func(cmd *cobra.Command, args []string) error {
			var err error
			if asked.On, err = layers.designs(args); err != nil {
				return err
			}
			asked.Units = out.units
			costs, err := asked.Ask(cmd.Context())
			if err != nil {
				return err
			}
			return out.write(cmd, costs.Rows())
		})
	out.declare(cmd)
	layers.declare(cmd)
	declareSizes(cmd, &asked.Sizes, "size", "1,16,256,4KiB,64KiB,1MiB", "message sizes")
	declareCycles(cmd, &asked.Cycles)
	return cmd
}

// newPacket declares packet, which compares the ways to cut a message. It has no
// --packet: that is the answer.
func newPacket() *cobra.Command {
	out := output{plain: true}
	layers := layerOptions{use: oneLevel}
	var asked message.CutQuestion
	var plotted plotting
	cmd := command("packet",
		wantArgs(1, -1, `at least one platform with a pipeline, as in "halfpeak packet clip"`),
		func(cmd *cobra.Command, args []string) error {
			if err := plotted.checkPlot(); err != nil {
				return err
			}
			var err error
			if asked.On, err = layers.designs(args); err != nil {
				return err
			}
			asked.Pictured = plotted.plot != ""
			ctx, stop := interruptible(cmd.Context())
			defer stop()
			cuts, err := asked.Ask(ctx)
			if err = interrupted(ctx, err); err != nil && cuts != nil && len(cuts.Cuts) > 0 {
				return cmp.Or(out.write(cmd, cuts.Tables()...), err) // complete ones are kept
			}
			if err != nil {
				return err
			}
			if err := plotted.draw(out.units, cuts.Figure); err != nil {
				return err
			}
			if out.forPeople() {
				return out.write(cmd, cuts.Tables()...)
			}
			return out.write(cmd, cuts.Rows())
		})
	out.declare(cmd)
	declareWay(cmd.Flags(), &layers.way)
	declareSizes(cmd, &asked.Sizes, "size", "1KiB..1MiB", "message sizes")
	plotted.declarePlot(cmd, "draw the time against the packet, and the slowest stage, into this "+
		"`file` (png, svg, pdf)")
	declareCycles(cmd, &asked.Cycles)
	return cmd
}

// compareOptions holds the flags of compare. Sampling has its flags here since a probability that
// one platform overtakes another comes from the intervals of both.
type compareOptions struct {
	out    output
	layers layerOptions
	asked  summary.CompareQuestion
	kind   string
	plotting
	samplingFlags
}

// newCompare declares compare. Its default size is 1 byte: the figures of merit r∞
// and n½ speak of long messages, so the times speak of short ones.
func newCompare() *cobra.Command {
	o := compareOptions{layers: layerOptions{use: eachLevel}}
	cmd := command("compare", wantArgs(1, -1, `platforms, as in "halfpeak compare clip hp-lam"`),
		func(cmd *cobra.Command, args []string) error {
			// Which of two is faster is a question about messages.
			o.layers.streams = !o.asked.Crossovers
			var err error
			if o.asked.On, err = o.layers.designs(args); err != nil {
				return err
			}
			if o.plot != "" {
				o.asked.Curve = curves.Kind(o.kind)
			}
			o.asked.InWords = o.out.forPeople()
			// A pipeline cut otherwise is not in the file that intervals come from.
			if o.layers.packet == "" {
				s := o.sampling(cmd.Context())
				o.asked.Sampling = &s
			}
			compared, err := o.asked.Ask(cmd.Context())
			if err != nil {
				return err
			}
			// The picture first: if its file cannot be written, no table hides the error.
			if err := o.draw(o.out.units, compared.Figure); err != nil {
				return err
			}
			return o.out.write(cmd, compared.Rows())
		})
	o.out.declare(cmd)
	o.layers.declare(cmd)
	declareSizes(cmd, &o.asked.Sizes, "size", "1", "message sizes")
	declareCycles(cmd, &o.asked.Cycles)
	cmd.Flags().BoolVar(&o.asked.Crossovers, "crossovers", false,
		"list the sizes where one overtakes another, with the probability")
	o.samplingFlags.declare(cmd.Flags())
	o.declarePlot(cmd, "draw all into one figure: this `file` (png, svg, pdf)")
	enum(cmd, &o.kind, "kind", "quantity of the figure", "bandwidth", "latency")
	// Compared with itself, a platform crosses nowhere.
	obey(cmd, func(args []string) facts {
		return facts{"two platforms or more": len(args) > 1,
			"text of two platforms": len(args) == 2 && o.out.forPeople()}
	},
		samplesRule,
		excludes("--crossovers", "--size, --cycles",
			"--crossovers finds the sizes; omit --size and --cycles"),
		needs("--assume, --samples, --seed", "--crossovers, text of two platforms",
			"{} changes only where one platform overtakes another; add --crossovers"),
		needs("--kind", "--plot", ""),
		needs("--crossovers", "two platforms or more",
			"--crossovers compares two platforms or more"))
	return cmd
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
		if out.forPeople() {
			return out.write(cmd, message.PlatformTable(all))
		}
		return out.write(cmd, message.PlatformRows(all))
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
			d, err := halfpeak.Open(args[0])
			if err != nil {
				return err
			}
			return out.write(cmd, message.ParameterRows(d.Platform))
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
				return out.write(cmd, message.ExportTargets())
			}
			// Before the platform is read: a wrong format is a mistake of usage, and exits with 2.
			if _, err := export.Find(to); err != nil {
				return usage.Error{Err: err}
			}
			designs, err := layers.designs(args)
			if err != nil {
				return err
			}
			f, err := export.Design(designs[0], to, sizes, ranks)
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
	complete(cmd, "to", export.Names)
	declareSizes(cmd, &sizes, "size", "1..4MiB",
		"make the costs accurate from the smallest to the largest of these sizes")
	cmd.Flags().IntVar(&ranks, "ranks", 0,
		"`number` of ranks on a platform without levels (default 2)")
	obey(cmd, func(args []string) facts {
		return facts{"a platform": len(args) > 0, "a format of tables": out.asTable()}
	},
		needs("a platform", "--to", "--to is required; \"halfpeak export\" lists the formats"),
		needs("--to", "a platform",
			`--to {--to} requires a platform, as in "halfpeak export clip --to {--to}"`),
		excludes("--to", "a format of tables",
			"--to {--to} has its own form; omit --format, and give -o FILE another ending"),
		// 0 is the default of the question, which cannot see it there as a value that was given.
		atLeast("--ranks", 1, "--ranks must be at least 2 (got {n})"))
	return cmd
}
