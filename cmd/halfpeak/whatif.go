package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/collectives"
	"github.com/halfpeak/halfpeak/whatif"
)

type whatifOptions struct {
	platform string
	out      output
	plotting

	set                                        []string
	save                                       string // the changed platform's file
	sizes                                      []quantity.Bytes
	sized                                      bool // sizes were given
	of                                         []string
	vary                                       []string
	target                                     string
	by                                         []string
	against                                    string
	schedule                                   []string
	collective                                 collectives.Calls // sizes: --size
	finish                                     []string          // its names
	scheduled                                  func(whatif.Design) (whatif.Design, error)
	sensitivity, where, landmarks, uncertainty bool
	samplingFlags
}

func newWhatif() *cobra.Command {
	var o whatifOptions
	cmd := command("whatif", wantArgs(1, 1, `one platform, as in "halfpeak whatif clip --set 'host-dma.tau*=0.5'"`), func(cmd *cobra.Command, args []string) error {
		o.sized = cmd.Flags().Changed("size")
		if err := o.check(); err != nil {
			return err
		}
		o.platform = args[0]
		return o.answer(cmd)
	})
	o.declare(cmd)
	return cmd
}

// declare declares the flags of whatif.
func (o *whatifOptions) declare(cmd *cobra.Command) {
	o.out.declareFormat(cmd, reports.StreamFormats()[1:]...) // csv is among those of all tables
	declareUnit(cmd, &o.out.units)
	o.declarePlot(cmd, "draw the figure into this `file` (png, svg, pdf)")
	f := cmd.Flags()
	f.StringArrayVar(&o.set, "set", nil, "change a parameter: `NAME=VALUE`, also *= /= += -=; may be given again")
	f.Var((*outputFile)(&o.save), "save", "write what --set makes of the platform into this TOML `file`")
	declareSizes(cmd, &o.sizes, "size", "1,256,4KiB,64KiB,1MiB", "message sizes; for --sweep 64KiB if not given")
	f.StringSliceVar(&o.of, "quantity", nil, "the `quantities` to predict: "+strings.Join(whatif.Quantities(), ", "))
	f.StringArrayVar(&o.vary, "sweep", nil, "predict at all values of a range: `NAME=FROM..TO/N`, or /N/log for even ratios; may be given again")
	f.StringVar(&o.target, "target", "", "a `condition`, as in \"bandwidth(4KiB) >= 100MB/s\" or \"rtt(16B) <= rtt(16B)/2\"")
	f.StringArrayVar(&o.by, "solve-for", nil, "the `NAME` of the parameter to change, or NAME=FROM..TO; give two for a curve, none to try each")
	f.BoolVar(&o.sensitivity, "sensitivity", false, "list the change per percent of each parameter; --plot draws a tornado")
	f.BoolVar(&o.where, "breakdown", false, "break the one-way time and the gap down by stage or parameter")
	f.BoolVar(&o.landmarks, "landmarks", false, "list n½, 90 % of the peak, and the best protocol thresholds")
	f.BoolVar(&o.uncertainty, "uncertainty", false, "predict with 95 % intervals: of the next measurement if the platform was fitted, else from those of the parameters")
	f.StringArrayVar(&o.schedule, "schedule", nil, "add a quantity: the finish of the schedule or trace in this `file` or folder; a trace may have several")
	f.StringVar(&o.collective.Collective, "collective", "", "add a quantity for each of --ranks and --size: the finish of this `collective`")
	f.StringVar(&o.collective.Algorithm, "algorithm", "best", "with --collective: the `name` of one, all, or best, the best of each design")
	flags.Var(f, &o.collective.Ranks, flags.ParseRanks, "numbers", "ranks", "", "with --collective: numbers of ranks")
	f.StringVar(&o.against, "against", "", "with --uncertainty: the probability of being faster than this `platform`")
	o.samplingFlags.declare(f)
	completeParams(cmd, "set", "=")
	completeParams(cmd, "sweep", "=")
	completeParams(cmd, "solve-for", "")
	complete(cmd, "quantity", whatif.Quantities())
	completeAlgorithms(cmd)
	renamed(cmd, map[string]string{"of": "quantity", "by": "solve-for", "where": "breakdown", "vary": "sweep"})
}

// check returns the first contradiction of the flags.
func (o *whatifOptions) check() error {
	questions := 0
	for _, asked := range []bool{len(o.vary) > 0, o.target != "", o.sensitivity, o.where, o.landmarks, o.uncertainty} {
		if asked {
			questions++
		}
	}
	switch {
	case len(o.by) > 0 && o.target == "":
		return usagef("--solve-for requires --target; give a condition, as in --target 'bandwidth(4KiB) >= 100MB/s'")
	case o.against != "" && !o.uncertainty:
		return usagef("--against requires --uncertainty; halfpeak compare shows platforms side by side")
	case questions > 1:
		return usagef("--sweep, --target, --sensitivity, --breakdown, --landmarks and --uncertainty are different questions; choose one")
	case o.finishes() && (o.where || o.landmarks || questions+len(o.set) == 0):
		return usagef("--schedule and --collective require --set, --sweep, --target, --sensitivity or --uncertainty")
	case len(o.schedule) > 0 && o.collective.Collective != "":
		return usagef("--schedule and --collective cannot be combined")
	case o.collective.Collective != "" && len(o.collective.Ranks) == 0:
		return usagef("--collective %s requires --ranks, for example --ranks 64", o.collective.Collective)
	case o.collective.Collective == "" && len(o.collective.Ranks) > 0:
		return usagef("--ranks requires --collective, for example --collective allreduce")
	case questions == 0 && len(o.set) == 0:
		return usagef("no question: give --set NAME=VALUE, --sweep, --target, --sensitivity, --breakdown, --landmarks or --uncertainty")
	case questions == 0 && o.plot != "":
		return usagef("--plot draws --sweep, --target, --sensitivity, --breakdown and --uncertainty; for curves before and after, use halfpeak plot")
	case len(o.by) > 2:
		return usagef("--solve-for takes one parameter for a value, two for a curve (got %d)", len(o.by))
	case o.target != "" && o.plot != "" && len(o.by) != 2:
		return usagef("--plot requires two --solve-for, whose curve it draws")
	case o.where && o.plot != "" && (len(o.of) > 1 || len(o.of) == 1 && o.of[0] != "gap" && o.of[0] != "one_way"):
		return usagef("--breakdown divides the one-way time or the gap: give --quantity one_way or --quantity gap")
	case o.sensitivity && o.plot != "" && (o.sized && len(o.sizes) > 1 || len(o.of) > 1):
		return usagef("a tornado shows one quantity of one size; give one --size and one --quantity")
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
	case stream != "" && len(o.vary) > 0:
		return o.checkPlot()
	case stream == "jsonl" || stream == "parquet":
		return usagef("%s is for the rows of --sweep; use text, markdown, csv or json here", stream)
	}
	_, err := o.out.kind()
	return cmp.Or(o.checkPlot(), err)
}

// stream is the format of a stream of rows, if one is asked for.
func (o *whatifOptions) stream() string {
	name := cmp.Or(o.out.format.value, extension(o.out.path))
	if slices.Contains(reports.StreamFormats(), name) {
		return name
	}
	return ""
}
