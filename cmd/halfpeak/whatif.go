package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/shard"
	"github.com/halfpeak/halfpeak/study/collectives"
	"github.com/halfpeak/halfpeak/study/sweeps"
	"github.com/halfpeak/halfpeak/whatif"
)

type whatifOptions struct {
	format        choice
	path, plot    string
	units         flags.Units
	width, height int

	set                                        []string
	save                                       string // the changed platform's file
	sizes                                      sizesFlag
	sized                                      bool // sizes were given
	of                                         []string
	vary                                       []string
	target                                     string
	by                                         []string
	against                                    string
	schedule                                   []string
	collective                                 collectives.Question // its sizes are those of --size
	ranks                                      flags.Ranks
	finish                                     []string                                   // its names
	scheduled                                  func(whatif.Design) (whatif.Design, error) // with its finish
	sensitivity, where, landmarks, uncertainty bool
	samplingFlags
	shard shardFlag
	asked sweeps.Question
	parts *shard.Parts // of --vary, from which the rows come
}

func newWhatif() *cobra.Command {
	var o whatifOptions
	cmd := &cobra.Command{
		Use:   "whatif PLATFORM",
		Short: "What another number would buy",
		Long: `Whatif changes parameters of a platform and shows the consequences. NAME is a
parameter's path, or as much of it as is unique; "halfpeak platforms show" lists them.
Parameters computed from a changed one follow it. A VALUE is a formula with units.

  --set NAME=VALUE        before and after; also *= /= += -=
  --vary NAME=FROM..TO/N  all values of a range; twice for a heat map, more for a table
  --target CONDITION --by NAME   the value that reaches it, or what stands in the way
  --sensitivity           what a percent of each parameter changes
  --where                 which stage or parameter owns how much of the time
  --landmarks             n½, 90 % of the peak, and where protocols should switch
  --uncertainty           predictions with intervals
  --shard I/N -o PART     part I of the rows of --vary; "halfpeak whatif merge" puts them together
  --schedule FILE         asks --target, --vary, --sensitivity and --uncertainty of the
                          finish of a parallel program; "halfpeak help simulate"

Each takes the design that --set leaves. --plot draws its figure.

The rows of --vary go to a table, or as they come to FILE.csv, FILE.jsonl or
FILE.parquet. A CSV or JSON Lines file that was interrupted goes on when the same
command is given again; Parquet, whose index stands at its end, begins anew.`,
		Example: `  halfpeak whatif clip --set host-dma.tau=3.8us/KiB --set host-dma-in.tau=3.8us/KiB
  halfpeak whatif clip --vary host-dma.tau=1us/KiB..8us/KiB/1000 --vary wire.tau=1us/KiB..8us/KiB/1000 --plot map.png
  halfpeak whatif hp-lam --target 'rtt(16B) <= rtt(16B)/2' --by o_r
  halfpeak whatif hp-lam --schedule app.goal --target 'finish <= 0.9*finish' --by L
  halfpeak whatif clip --collective allreduce --algorithm ring --ranks 64 --size 1MiB --sensitivity`,
		Args:              wantArgs(1, 1, `one platform, as in "halfpeak whatif clip --set 'host-dma.tau*=0.5'"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.sized = cmd.Flags().Changed("size")
			if err := o.check(); err != nil {
				return err
			}
			o.asked = sweeps.Question{Platform: args[0], Set: o.set, Vary: o.vary, Of: o.of, Schedule: o.schedule}
			if o.collective.Collective != "" {
				o.asked.Collective, o.asked.Algorithm, o.asked.Ranks = o.collective.Collective, o.collective.Algorithm, o.ranks.Values
			}
			if o.sized {
				o.asked.Sizes = o.sizes.text
			}
			return o.answer(cmd)
		},
	}
	o.sizes = newSizes("1,256,4KiB,64KiB,1MiB")
	o.declareOutput(cmd)
	declareUnit(cmd, &o.units)
	o.shard.declare(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&o.set, "set", nil, "change a parameter: `NAME=VALUE`, also *= /= += -=; may be given again")
	f.StringVar(&o.save, "save", "", "write what --set makes of the platform into this TOML `file`")
	f.Var(&o.sizes, "size", "message sizes; for --vary 64KiB if not given")
	f.StringSliceVar(&o.of, "of", nil, "the `quantities` to look at: "+strings.Join(whatif.Quantities(), ", "))
	f.StringArrayVar(&o.vary, "vary", nil, "walk through a range: `NAME=FROM..TO/N`, or /N/log for even ratios; may be given again")
	f.StringVar(&o.target, "target", "", "a `condition`, as in \"bandwidth(4KiB) >= 100MB/s\" or \"rtt(16B) <= rtt(16B)/2\"")
	f.StringArrayVar(&o.by, "by", nil, "the `NAME` of the parameter that is to reach it, or NAME=FROM..TO; two for a curve, none for each of all")
	f.BoolVar(&o.sensitivity, "sensitivity", false, "what a percent of each parameter changes; the figure is a tornado")
	f.BoolVar(&o.where, "where", false, "which stage or parameter owns how much of the one-way time and of the gap")
	f.BoolVar(&o.landmarks, "landmarks", false, "n½, 90 % of the peak, and where protocols should switch")
	f.BoolVar(&o.uncertainty, "uncertainty", false, "predictions with 95 % intervals: of the next measurement where that is known, else from those of the parameters")
	f.StringArrayVar(&o.schedule, "schedule", nil, "one more quantity: the finish of this schedule, or of the trace in these files; `file`")
	f.StringVar(&o.collective.Collective, "collective", "", "one more quantity: the finish of this `collective`; of each of several --ranks and --size")
	f.StringVar(&o.collective.Algorithm, "algorithm", "best", "of --collective: the `name` of one, all, or best, the best of each design")
	f.Var(&o.ranks, "ranks", "of --collective: numbers of ranks")
	f.StringVar(&o.against, "against", "", "with --uncertainty: how likely it is faster than this `platform`")
	o.samplingFlags.declare(f)
	completeParams(cmd, "set", "=")
	completeParams(cmd, "vary", "=")
	completeParams(cmd, "by", "")
	complete(cmd, "of", whatif.Quantities())
	cmd.AddCommand(newWhatifMerge())
	return cmd
}

// check finds flags that do not go together.
func (o *whatifOptions) check() error {
	questions := 0
	for _, asked := range []bool{len(o.vary) > 0, o.target != "", o.sensitivity, o.where, o.landmarks, o.uncertainty} {
		if asked {
			questions++
		}
	}
	switch {
	case len(o.by) > 0 && o.target == "":
		return usagef("--by requires --target; give a condition, as in --target 'bandwidth(4KiB) >= 100MB/s'")
	case o.against != "" && !o.uncertainty:
		return usagef("--against requires --uncertainty; halfpeak compare shows platforms side by side")
	case questions > 1:
		return usagef("--vary, --target, --sensitivity, --where, --landmarks and --uncertainty are different questions; ask one at a time")
	case o.finishes() && (o.where || o.landmarks || questions == 0):
		return usagef("--schedule and --collective have a finish for --target, --vary, --sensitivity and --uncertainty; ask one of them")
	case len(o.schedule) > 0 && o.collective.Collective != "":
		return usagef("--schedule and --collective are different programs; give one of them")
	case o.collective.Collective != "" && len(o.ranks.Values) == 0:
		return usagef("--collective %s: among how many? Give --ranks, as in --ranks 64", o.collective.Collective)
	case o.collective.Collective == "" && len(o.ranks.Values) > 0:
		return usagef("--ranks are those of a --collective, as in --collective allreduce")
	case questions == 0 && len(o.set) == 0:
		return usagef("nothing is asked: give --set NAME=VALUE, --vary, --target, --sensitivity, --where, --landmarks or --uncertainty")
	case questions == 0 && o.plot != "":
		return usagef("--plot draws --vary, --target, --sensitivity, --where and --uncertainty; for curves before and after, use halfpeak plot")
	case len(o.by) > 2:
		return usagef("--by takes one parameter for a value, two for a curve; it was given %d", len(o.by))
	case o.target != "" && o.plot != "" && len(o.by) != 2:
		return usagef("--plot draws the curve of two --by; a target has one value of one")
	case o.where && o.plot != "" && (len(o.of) > 1 || len(o.of) == 1 && o.of[0] != "gap" && o.of[0] != "one_way"):
		return usagef("--where divides the one-way time or the gap: give --of one_way or --of gap")
	case o.sensitivity && o.plot != "" && (o.sized && len(o.sizes.sizes) > 1 || len(o.of) > 1):
		return usagef("a tornado shows one quantity of one size; give one --size and one --of")
	}
	if err := o.samplingFlags.check(); err != nil {
		return err
	}
	if o.shard.Count > 0 {
		return o.checkShard()
	}
	return o.checkOutput()
}

// output is where a table goes; a sweep may also go to a stream of rows.
func (o *whatifOptions) output(sweep bool) (output, error) {
	out := output{format: reports.Format(o.format.value), path: o.path, units: o.units}
	stream := o.stream()
	if sweep && stream != "" {
		return out, nil
	}
	if stream == "jsonl" || stream == "parquet" {
		return out, usagef("%s is for the rows of --vary; use text, markdown, csv or json here", stream)
	}
	_, err := out.kind()
	return out, err
}

// stream is the format of a stream of rows, if one is asked for.
func (o *whatifOptions) stream() string {
	name := o.format.value
	if name == "" {
		name = extension(o.path)
	}
	if slices.Contains(reports.StreamFormats(), name) {
		return name
	}
	return ""
}
