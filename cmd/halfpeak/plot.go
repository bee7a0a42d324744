package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

type plotOptions struct {
	layers        layerOptions
	kind          choice
	sizes         sizesFlag
	title         string
	width, height int
}

func newPlot() *cobra.Command {
	out := output{plain: true}
	o := plotOptions{sizes: newSizes("1..1MiB/16")}
	cmd := &cobra.Command{
		Use:   "plot PLATFORM… -o FILE.png",
		Short: "Curves of bandwidth or latency, the timeline of a pipeline, or a LogP signature",
		Long: `Plot draws bandwidth or latency against message size, model lines with the measured
points that halfpeak knows; or with --kind timeline when each stage of a pipeline
is busy with which packet of one message, as the message engine runs it; or with
--kind signature the intervals between requests that the engine measures, as LogP's
parameters are read off them. The file's extension chooses PNG, SVG or
PDF; without -o it prints the numbers of the figure.`,
		Example: `  halfpeak plot clip hp-lam -o bandwidth.png
  halfpeak plot clip --kind timeline --size 16KiB --packet 2048 -o timeline.svg
  halfpeak plot hp-lam --kind signature -o signature.png`,
		Args:              wantArgs(1, -1, `at least one platform, as in "halfpeak plot clip -o bandwidth.png"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.kind.value == "timeline" && !cmd.Flags().Changed("size") {
				o.sizes = newSizes("16KiB")
			}
			picture, err := plot(args, o)
			if err != nil {
				return err
			}
			return out.writePicture(cmd, picture, o.width, o.height)
		},
	}
	out.declare(cmd)
	o.layers.declare(cmd)
	enum(cmd, &o.kind, "kind", "what to draw", "bandwidth", "latency", "timeline", "signature")
	cmd.Flags().Var(&o.sizes, "size", "message sizes; one for a timeline, 16KiB if not given")
	cmd.Flags().StringVar(&o.title, "title", "", "title of the figure")
	declareSize(cmd, &o.width, &o.height)
	return cmd
}

func declareSize(cmd *cobra.Command, width, height *int) {
	cmd.Flags().IntVar(width, "width", 800, "width in pixels")
	cmd.Flags().IntVar(height, "height", 500, "height in pixels")
}

// writePicture draws the picture into the -o file; if that is no image, or
// missing, it writes the picture's numbers.
func (o *output) writePicture(cmd *cobra.Command, p reports.Picture, width, height int) error {
	_, table := formats[strings.ToLower(filepath.Ext(o.path))]
	switch {
	case o.path == "" || table || o.format != "" && !isImage(o.path):
		return o.write(cmd, p.Rows())
	case o.format != "":
		return usagef("-o %s is an image; --format %s is for numbers: leave one out", o.path, o.format)
	}
	return drawTo(o.path, p, width, height)
}

// isImage reports whether the path's extension is that of an image.
func isImage(path string) bool {
	return slices.Contains(reports.Exts(), strings.TrimPrefix(strings.ToLower(filepath.Ext(path)), "."))
}

// drawTo draws the picture into the file.
func drawTo(path string, p reports.Picture, width, height int) error {
	if filepath.Ext(path) == "" {
		return usagef("%s: the name has no extension to tell the format by; end it with .%s", path, strings.Join(reports.Exts(), ", ."))
	}
	if !isImage(path) {
		return usagef("%s: no image format %q; use .%s, or -o with .csv, .json or .md for the numbers", path, filepath.Ext(path), strings.Join(reports.Exts(), ", ."))
	}
	return reports.WriteFile(path, func(w io.Writer) error { return p.WriteImage(w, filepath.Ext(path), width, height) })
}

func plot(refs []string, o plotOptions) (reports.Picture, error) {
	switch o.kind.value {
	case "timeline":
		return timeline(refs, o)
	case "signature":
		return signature(refs, o)
	}
	return curves(refs, o)
}

// curves draws one line for each layer, its measured points, and where
// protocols switch.
func curves(refs []string, o plotOptions) (reports.Picture, error) {
	f := reports.Figure{
		Title: o.title,
		X:     reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true},
		Y:     reports.Axis{Label: "bandwidth (MB/s)", Scale: reports.Log},
	}
	value := func(n quantity.Bytes, t quantity.Micros) float64 { return float64(n.Over(t)) }
	if o.kind.value == "latency" {
		f.Y.Label = "one-way time (µs)"
		value = func(_ quantity.Bytes, t quantity.Micros) float64 { return float64(t) }
	}
	sizes := o.sizes.sizes
	lo, hi := slices.Min(sizes), slices.Max(sizes)
	roofs := map[string][]string{} // the platforms under each roof
	for _, ref := range refs {
		p, l, err := o.layers.find(ref)
		if err != nil {
			return nil, err
		}
		points, err := data.Points(l.Ref())
		if err != nil {
			return nil, err
		}
		boundaries := model.Boundaries(l.Model, lo, hi)
		line := reports.Series{Name: l.Ref(), Kind: reports.Line}
		for _, n := range withBoundaries(sizes, boundaries) {
			line.X, line.Y = append(line.X, float64(n)), append(line.Y, value(n, l.Model.OneWay(n)))
		}
		f.Series = append(f.Series, line)
		if measured := pointSeries(l.Ref(), points, lo, hi, value); len(measured.X) > 0 {
			f.Series = append(f.Series, measured)
			f.Notes = []string{"Lines: model. Points: measured, with error bars."}
		}
		for _, n := range boundaries {
			f.Marks = append(f.Marks, reports.Mark{Kind: reports.AtX, X: float64(n), Series: l.Ref(),
				Label: model.Regime(l.Model, n) + " up to " + n.String()})
		}
		if half, ok := model.HalfPeak(l.Model); ok && half >= lo && half <= hi {
			f.Marks = append(f.Marks, reports.Mark{Kind: reports.AtPoint, X: float64(half), Y: value(half, l.Model.OneWay(half)),
				Series: l.Ref(), Label: "n½ " + half.String()})
		}
		if _, roof, ok := roofShare(l); ok && o.kind.value == "bandwidth" {
			label := fmt.Sprintf("%s %s", roof.Name, roof.Rate)
			if roofs[label] == nil {
				f.Marks = append(f.Marks, reports.Mark{Kind: reports.AtY, Y: float64(roof.Rate), Label: label})
			}
			roofs[label] = append(roofs[label], p.Name)
		}
	}
	for i, m := range f.Marks { // of several platforms, say whose roof it is
		if under := roofs[m.Label]; len(refs) > 1 && len(under) == 1 {
			f.Marks[i].Label = under[0] + " " + m.Label
		}
	}
	return f, nil
}

// withBoundaries adds to sizes the last of each branch and the first of the next, so
// that the line jumps where the protocol does.
func withBoundaries(sizes, boundaries []quantity.Bytes) []quantity.Bytes {
	all := slices.Clone(sizes)
	for _, n := range boundaries {
		all = append(all, n, n+1)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func pointSeries(name string, points []data.Point, lo, hi quantity.Bytes, value func(quantity.Bytes, quantity.Micros) float64) reports.Series {
	s := reports.Series{Name: name, Kind: reports.Points}
	for _, p := range points {
		if p.Size < lo || p.Size > hi {
			continue
		}
		// A time that may be zero leaves the bandwidth without an upper bound.
		a, b := value(p.Size, max(0, p.Low)), value(p.Size, p.High)
		s.X, s.Y = append(s.X, float64(p.Size)), append(s.Y, value(p.Size, p.OneWay))
		s.Low, s.High = append(s.Low, min(a, b)), append(s.High, max(a, b))
	}
	return s
}

// maxBoxes bounds a timeline: with more, nobody sees a packet.
const maxBoxes = 20000

// timeline draws one message through a pipeline.
func timeline(refs []string, o plotOptions) (reports.Picture, error) {
	if len(refs) > 1 || len(o.sizes.sizes) > 1 {
		return nil, usagef("a timeline shows one message: give one platform and one --size")
	}
	p, l, err := o.layers.find(refs[0])
	if err != nil {
		return nil, err
	}
	n := o.sizes.sizes[0]
	pipe, ok := model.At(l.Model, n).(*model.Pipeline)
	if !ok {
		return nil, fmt.Errorf("%s sends %s without a pipeline, so there is no timeline; its model is %s", l.Ref(), n, l.Kind)
	}
	size := pipe.PacketSize(n)
	plan := model.EqualPlan(n, size)
	if boxes := plan.Packets() * len(pipe.Stages); boxes > maxBoxes {
		return nil, fmt.Errorf("%s in packets of %s makes a timeline of %d boxes; choose a larger --packet or a smaller --size", n, size, boxes)
	}
	return runTimeline(p, l, n, pipe, o.title)
}

func newTimeline(l platforms.Layer, n quantity.Bytes, pipe *model.Pipeline, plan model.Plan, title string) reports.Timeline {
	t := reports.Timeline{Title: title}
	if title == "" {
		t.Title = fmt.Sprintf("%s: %s in packets of %s", l.Ref(), n, plan.Largest())
	}
	for _, s := range pipe.Stages {
		t.Stages = append(t.Stages, s.Name)
	}
	for _, s := range pipe.Schedule(plan) {
		t.Boxes = append(t.Boxes, reports.Box{Stage: s.Stage, Packet: s.Packet + 1, Start: float64(s.Start), End: float64(s.End)})
	}
	return t
}
