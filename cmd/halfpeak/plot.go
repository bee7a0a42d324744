package main

import (
	"context"
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/schedule/mpitrace"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/judge"
	"github.com/halfpeak/halfpeak/study/predict"
	"github.com/halfpeak/halfpeak/study/simulations"
)

type plotOptions struct {
	layers        layerOptions
	kind          choice
	sizes         []quantity.Bytes
	title         string
	schedule      []string
	ranks         rankRange
	width, height int
}

func newPlot() *cobra.Command {
	out := output{plain: true}
	o := plotOptions{ranks: rankRange{0, math.MaxInt}}
	cmd := command("plot", wantArgs(1, -1, `at least one platform, as in "halfpeak plot clip -o bandwidth.png"`), func(cmd *cobra.Command, args []string) error {
		if o.kind.value == "timeline" && !cmd.Flags().Changed("size") {
			o.sizes = parsedSizes("16KiB")
		}
		picture, err := plot(cmd.Context(), args, o)
		if err != nil {
			return err
		}
		return out.writePicture(cmd, picture, o.width, o.height)
	})
	out.declare(cmd)
	o.layers.declare(cmd)
	enum(cmd, &o.kind, "kind", "what to draw", "bandwidth", "latency", "gap", "throughput", "timeline", "signature", "ranks")
	cmd.Flags().StringArrayVar(&o.schedule, "schedule", nil, "with --kind ranks: a schedule `file`, or the files of a trace")
	flags.Var(cmd.Flags(), &o.ranks, parseRankRange, "ranks", "ranks", "", "with --kind ranks: these ranks alone, as in \"0..63\"")
	declareSizes(cmd, &o.sizes, "size", "1..1MiB/16", "message sizes; one for a timeline, 16KiB if not given")
	cmd.Flags().StringVar(&o.title, "title", "", "title of the figure")
	declareSize(cmd, &o.width, &o.height)
	return cmd
}

// rankRange is some of the ranks, one after the other.
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

func plot(ctx context.Context, refs []string, o plotOptions) (reports.Picture, error) {
	if o.kind.value == "timeline" && (len(refs) > 1 || len(o.sizes) > 1) {
		return nil, usagef("a timeline shows one message: give one platform and one --size")
	}
	if ranks := o.kind.value == "ranks"; ranks != (len(o.schedule) > 0) || ranks && len(refs) > 1 {
		return nil, usagef("--kind ranks shows one --schedule on one platform; give both")
	}
	designs, err := o.layers.designs(refs)
	if err != nil {
		return nil, err
	}
	switch o.kind.value {
	case "timeline":
		t, err := predict.Timeline(designs[0], o.sizes[0])
		if o.title != "" {
			t.Title = o.title
		}
		return t, err
	case "ranks":
		in, err := simulations.ReadInput(ctx, mpitrace.Defaults, o.schedule...)
		if err != nil {
			return nil, err
		}
		return simulations.Ranks(ctx, designs[0], in, o.ranks.first, o.ranks.last, o.title)
	case "signature":
		f, err := judge.Signature(designs...)
		f.Title = o.title
		return f, err
	}
	f, err := predict.Curves(predict.CurveKind(o.kind.value), o.sizes, designs...)
	f.Title = o.title
	return f, err
}

// writePicture draws the picture into the -o file; if that is not an image, or
// missing, it writes the picture's numbers.
func (o *output) writePicture(cmd *cobra.Command, p reports.Picture, width, height int) error {
	format, table := formats[extension(o.path)]
	switch {
	case o.path == "" || table && format != reports.Text || o.format.value != "" && !isImage(o.path):
		return o.write(cmd, p.Rows())
	case o.format.value != "":
		return usagef("-o %q is an image; --format %s is for numbers: leave one out", o.path, o.format.value)
	}
	return drawTo(cmd, o.path, p, width, height)
}
