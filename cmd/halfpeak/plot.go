package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/check"
	"github.com/halfpeak/halfpeak/reports/message"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
	"github.com/halfpeak/halfpeak/reports/table"
)

// plotOptions holds the flags of plot.
type plotOptions struct {
	layers   layerOptions
	kind     string
	sizes    []quantity.Bytes
	title    string
	schedule []string
	ranks    []int // of a program
	only     theprogram.Extent
	pixels   pixels
}

// newPlot declares plot. Curves have 16 sizes for each doubling, which is smooth at
// 800 pixels. A timeline shows one message, and 16 KiB is long enough to fill CLIP's
// pipeline and short enough to see each packet.
func newPlot() *cobra.Command {
	out := output{plain: true}
	o := plotOptions{layers: layerOptions{use: eachLevel}}
	o.only.Last = math.MaxInt
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
			curve := slices.Contains(curves.Kinds, curves.Kind(o.kind))
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
	flags.Var(cmd.Flags(), &o.ranks, flags.ParseRanks, "number", "ranks", "",
		"with a program as --schedule: its number of ranks")
	flags.Var(cmd.Flags(), &o.only, parseRankRange, "ranks", "only", "",
		"with --kind ranks: draw these ranks alone, as in \"0..63\"")
	declareSizes(cmd, &o.sizes, "size", "1..1MiB/16",
		"message sizes, by default to the largest measured if that is more; one for a timeline, "+
			"16KiB if not given")
	cmd.Flags().StringVar(&o.title, "title", "", "title of the figure")
	declarePixels(cmd, &o.pixels)
	obey(cmd, o.facts,
		excludes("--kind=timeline", "several platforms, several --size",
			"a timeline shows one message: give one platform and one --size"),
		excludes("--kind=signature, --kind=ranks", "--size",
			"--kind {--kind} has no sizes of messages; omit --size"),
		excludes("--kind=ranks", "--level, --from, --to",
			"the ranks of --schedule run on all levels; omit --level, --from and --to"),
		needs("--kind=ranks", "--schedule", oneSchedule),
		needs("--schedule", "--kind=ranks", oneSchedule),
		needs("--only", "--kind=ranks", ""),
		needs("--ranks", "a program as --schedule",
			"--ranks is for a program (.star); a schedule or trace has its number of ranks "+
				"(--only draws some of them)"),
		excludes("--kind=ranks", "several platforms", oneSchedule),
		needs("a program as --schedule", "one --ranks",
			"a program needs one --ranks, as in --ranks 16 for 16 ranks"))
	return cmd
}

const oneSchedule = "--kind ranks shows one --schedule on one platform; give both"

// facts returns the words of the rules that no flag decides.
func (o *plotOptions) facts(args []string) facts {
	return facts{"several platforms": len(args) > 1,
		"a program as --schedule": len(o.schedule) == 1 && program.Is(o.schedule[0])}
}

// parseRankRange reads some of the ranks, one after the other, both ends included: a picture of
// thousands of ranks shows none.
func parseRankRange(text string) (r theprogram.Extent, err error) {
	from, to, several := strings.Cut(text, "..")
	if !several {
		to = from
	}
	r.First, err = strconv.Atoi(from)
	last, failed := strconv.Atoi(to)
	if r.Last = last; err != nil || failed != nil || r.First < 0 || r.Last < r.First {
		err = errors.New(`give ranks, counted from 0, as in "0..63"`)
	}
	return r, err
}

// plot returns the picture of a kind.
func plot(ctx context.Context, refs []string, o plotOptions) (table.Picture, error) {
	o.layers.streams = slices.Contains(curves.Kinds, curves.Kind(o.kind))
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
	var d table.Drawn
	switch o.kind {
	case "timeline":
		d, err = message.TimelineQuestion{On: designs[0], Size: o.sizes[0],
			Title: o.title}.Ask(ctx)
	case "ranks":
		o.only.Title = o.title
		a, err := theprogram.Question{Files: o.schedule, On: designs,
			Reading: theprogram.Reading{Ranks: o.ranks}, Eager: simulate.NoLimit,
			Drawn: &o.only}.Ask(ctx)
		if err != nil {
			return nil, err
		}
		return a.Figure()
	case "signature":
		signature, err := check.SignatureQuestion{On: designs, Title: o.title}.Ask(ctx)
		return signature.Picture, err
	default:
		d, err = message.CurveQuestion{On: designs, Kind: curves.Kind(o.kind),
			Sizes: o.sizes, Title: o.title}.Ask(ctx)
	}
	return d.Picture, err
}

// writePicture draws the picture into the -o file; if that is not an image, or
// missing, it writes the picture's numbers: what a plot shows can always be had as a
// table.
func (o *output) writePicture(cmd *cobra.Command, p table.Picture, size pixels) error {
	format, isTable := formats[extension(o.path)]
	switch {
	case o.path == "" || isTable && format != table.Text || o.format != "" &&
		!isImage(o.path):
		return o.write(cmd, p.Rows())
	case o.format != "":
		return usagef("-o %q is an image; --format %s is for numbers: leave one out", o.path,
			o.format)
	}
	return drawTo(o.path, p, size, o.units)
}
