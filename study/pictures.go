package study

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/engine/virtual"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// A CurveKind is what a curve over message sizes shows.
type CurveKind string

// The kinds of curves.
const (
	Bandwidth  CurveKind = "bandwidth"  // size over one-way time, in MB/s
	Latency    CurveKind = "latency"    // one-way time, in µs
	Intervals  CurveKind = "gap"        // the interval before the next message of a stream, in µs
	Throughput CurveKind = "throughput" // size over that interval, in MB/s
)

// CurveKinds are the kinds of curves with the labels of their axes.
func CurveKinds() (kinds []CurveKind, labels []string) {
	for _, k := range []CurveKind{Bandwidth, Latency, Intervals, Throughput} {
		kinds, labels = append(kinds, k), append(labels, k.label())
	}
	return kinds, labels
}

func (k CurveKind) label() string {
	return map[CurveKind]string{Bandwidth: "bandwidth (MB/s)", Latency: "one-way time (µs)",
		Intervals: "gap (µs)", Throughput: "throughput (MB/s)"}[k]
}

// follower is the name of what the curve shows if that follows from the one-way time, which is
// what has been measured.
func (k CurveKind) follower() (name string, ok bool) {
	switch k {
	case Latency:
		return "one_way", true
	case Bandwidth:
		return "bandwidth", true
	}
	return "", false
}

// value is what the curve shows for n bytes that take t one way.
func (k CurveKind) value(n quantity.Bytes, t quantity.Micros) float64 {
	name, _ := k.follower()
	return followers[name](n, t)
}

// of is what the curve shows of a layer.
func (k CurveKind) of(l model.Layer, n quantity.Bytes) float64 {
	switch k {
	case Intervals:
		return float64(l.Gap(n))
	case Throughput:
		return float64(model.Throughput(l, n))
	}
	return k.value(n, l.OneWay(n))
}

// CurveLine is the line of a layer in [Curves].
func CurveLine(kind CurveKind, sizes []quantity.Bytes, l platforms.Layer) reports.Series {
	line := reports.Series{Name: l.Ref(), Kind: reports.Line, X: make([]float64, len(sizes)), Y: make([]float64, len(sizes))}
	for i, n := range sizes {
		line.X[i], line.Y[i] = float64(n), kind.of(l.Model, n)
	}
	return line
}

// Curves draws a line for each layer, its measured points, where protocols switch, n½, and with
// Bandwidth and Throughput the lowest roof. What was measured is one-way times, so gaps and
// throughputs have no points. A layer that says what it was fitted to has a band around the next
// measurement. There is at least one size, and each is at least 1.
func Curves(kind CurveKind, sizes []quantity.Bytes, designs ...whatif.Design) (reports.Figure, error) {
	f := reports.Figure{
		X: reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true},
		Y: reports.Axis{Label: kind.label(), Scale: reports.Log},
	}
	if f.Y.Label == "" {
		return f, fmt.Errorf("no curve shows %q", string(kind))
	}
	follower, follows := kind.follower()
	lo, hi := slices.Min(sizes), slices.Max(sizes)
	roofs := map[string][]string{} // the platforms under each roof
	pointed, barred := false, false
	for _, d := range designs {
		l := d.Layer
		points, err := data.Points(l.Ref())
		if err != nil {
			return f, err
		}
		boundaries := model.Boundaries(l.Model, lo, hi)
		all := WithBoundaries(sizes, boundaries)
		if is, err := isFitted(d); err != nil {
			return f, err
		} else if is && follows {
			all = withMeasured(all, d)
			bands, err := nextBands(l.Ref(), follower, d, all)
			if err != nil {
				return f, err
			}
			f.Series = append(f.Series, bands...)
			f.Series = append(f.Series, fittedSeries(d, lo, hi, kind))
			pointed = true
		}
		f.Series = append(f.Series, CurveLine(kind, all, l))
		if follows {
			if measured := pointSeries(l.Ref(), points, lo, hi, kind); len(measured.X) > 0 {
				f.Series = append(f.Series, measured)
				pointed, barred = true, true
			}
		}
		f.Marks = append(f.Marks, boundaryMarks(l, boundaries)...)
		if half, ok := model.HalfPeak(l.Model); ok && half >= lo && half <= hi {
			f.Marks = append(f.Marks, reports.Mark{Kind: reports.AtPoint, X: float64(half), Y: kind.of(l.Model, half),
				Series: l.Ref(), Label: "n½ " + half.String()})
		}
		if roof, _, ok := l.LowestRoof(); ok && (kind == Bandwidth || kind == Throughput) {
			label := fmt.Sprintf("%s %s", roof.Name, roof.Rate)
			if roofs[label] == nil {
				f.Marks = append(f.Marks, reports.Mark{Kind: reports.AtY, Y: float64(roof.Rate), Label: label})
			}
			roofs[label] = append(roofs[label], d.Platform.Name)
		}
	}
	switch {
	case barred:
		f.Notes = []string{"Lines: model. Points: measured, with error bars."}
	case pointed:
		f.Notes = []string{"Lines: model. Points: measured."}
	}
	f.Notes = append(f.Notes, bandNotes(f.Series)...)
	for i, m := range f.Marks { // of several platforms, say whose roof it is
		if under := roofs[m.Label]; len(designs) > 1 && len(under) == 1 {
			f.Marks[i].Label = under[0] + " " + m.Label
		}
	}
	return f, nil
}

// WithBoundaries adds to sizes the last of each branch and the first of the next, so that the
// line jumps where the protocol does.
func WithBoundaries(sizes, boundaries []quantity.Bytes) []quantity.Bytes {
	all := slices.Clone(sizes)
	for _, n := range boundaries {
		all = append(all, n, n+1)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// boundaryMarks says at each boundary which branch ends there.
func boundaryMarks(l platforms.Layer, boundaries []quantity.Bytes) []reports.Mark {
	var marks []reports.Mark
	for _, n := range boundaries {
		marks = append(marks, reports.Mark{Kind: reports.AtX, X: float64(n), Series: l.Ref(), Label: model.Regime(l.Model, n) + " up to " + n.String()})
	}
	return marks
}

// fittedSeries are the points that a design was fitted to.
func fittedSeries(d whatif.Design, lo, hi quantity.Bytes, kind CurveKind) reports.Series {
	s := reports.Series{Name: d.Layer.Ref(), Kind: reports.Points}
	for i, n := range d.Layer.Measured.Sizes {
		if n >= lo && n <= hi {
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, kind.value(n, d.Layer.Measured.Times[i]))
		}
	}
	return s
}

func pointSeries(name string, points []data.Point, lo, hi quantity.Bytes, kind CurveKind) reports.Series {
	s := reports.Series{Name: name, Kind: reports.Points}
	for _, p := range points {
		if p.Size < lo || p.Size > hi {
			continue
		}
		// A time that may be zero leaves the bandwidth without an upper bound.
		a, b := kind.value(p.Size, max(0, p.Low)), kind.value(p.Size, p.High)
		s.X, s.Y = append(s.X, float64(p.Size)), append(s.Y, kind.value(p.Size, p.OneWay))
		s.Low, s.High = append(s.Low, min(a, b)), append(s.High, max(a, b))
	}
	return s
}

// maxBoxes bounds a timeline: with more, nobody sees a packet.
const maxBoxes = 20000

// Timeline draws a message of n bytes through the layer's pipeline, as the message engine sends
// it. It is an error if the layer sends n bytes without a pipeline, if the pipeline has too many
// boxes to be seen, and if two stages share a resource.
func Timeline(d whatif.Design, n quantity.Bytes) (reports.Timeline, error) {
	l := d.Layer
	pipe, ok := model.At(l.Model, n).(*model.Pipeline)
	if !ok {
		return reports.Timeline{}, fmt.Errorf("%s sends %s without a pipeline, so there is no timeline; its model is %s", l.Ref(), n, l.Kind)
	}
	size := pipe.PacketSize(n)
	t := reports.Timeline{Title: fmt.Sprintf("%s: %s in packets of %s", l.Ref(), n, size)}
	if boxes := model.EqualPlan(n, size).Packets() * len(pipe.Stages); boxes > maxBoxes {
		return t, fmt.Errorf("%s in packets of %s makes a timeline of %d boxes; choose a larger --packet or a smaller --size", n, size, boxes)
	}
	type place struct {
		node     int
		resource string
	}
	nodes := map[model.Side]int{model.AtSender: 0, model.AtReceiver: 1, model.AtNetwork: -1}
	stages := map[place]int{}
	for i, s := range pipe.Stages {
		t.Stages = append(t.Stages, s.Name)
		where := d.Platform.Places[s.Name]
		at := place{nodes[where.Side()], where.Resource}
		if s.Host != model.NoHost {
			at.resource = "processor"
		}
		if before, shared := stages[at]; shared {
			return t, fmt.Errorf("%s: the stages %s and %s share a resource, so that the engine's events are not of one of them", l.Ref(), pipe.Stages[before].Name, s.Name)
		}
		stages[at] = i
	}
	l.Protocol = platforms.Protocol{Interrupt: -1} // the way of the data alone
	s, err := virtual.Of(d.Platform, l)
	if err != nil {
		return t, err
	}
	var recorded virtual.Trace
	_, err = virtual.Run(s, virtual.Config{Nodes: 2, Trace: &recorded}, func(ep *engine.Endpoint) error {
		take := ep.Handle(func(*engine.Message) {})
		if ep.Node() > 0 {
			return nil
		}
		return ep.Send(1, take, make([]byte, int(n)))
	})
	for _, span := range recorded.Spans {
		if i, known := stages[place{span.Node, span.Resource}]; known {
			t.Boxes = append(t.Boxes, reports.Box{Stage: i, Packet: int(span.Packet) + 1, Start: float64(span.Start), End: float64(span.End)})
		}
	}
	slices.SortStableFunc(t.Boxes, func(a, b reports.Box) int {
		return cmp.Or(cmp.Compare(a.Packet, b.Packet), cmp.Compare(a.Stage, b.Stage))
	})
	return t, err
}

// Planned draws a message in these packets as the pipeline's recurrence has it.
func Planned(l platforms.Layer, n quantity.Bytes, pipe *model.Pipeline, plan model.Plan) reports.Timeline {
	t := reports.Timeline{Title: fmt.Sprintf("%s: %s in packets of %s", l.Ref(), n, plan.Largest())}
	for _, s := range pipe.Stages {
		t.Stages = append(t.Stages, s.Name)
	}
	for _, s := range pipe.Schedule(plan) {
		t.Boxes = append(t.Boxes, reports.Box{Stage: s.Stage, Packet: s.Packet + 1, Start: float64(s.Start), End: float64(s.End)})
	}
	return t
}

// Signature draws the LogP signatures that the engine runs, as HP-LAM's figure 4.1: a line for
// each Δ.
func Signature(designs ...whatif.Design) (reports.Figure, error) {
	f := reports.Figure{
		X:     reports.Axis{Label: "messages", Scale: reports.Log},
		Y:     reports.Axis{Label: "average interval (µs)"},
		Notes: []string{"Requests issued by a simulated node, a computation of Δ after each."},
	}
	bursting, err := programs.Find("signature", programs.Simulated)
	if err != nil {
		return f, err
	}
	for _, d := range designs {
		r, err := newRun(&Validation{}, ValidateOptions{}, d)
		if err != nil {
			return f, err
		}
		bursts, _, err := r.bursts(bursting, []quantity.Micros{0, 0.25, 0.5, 1, 1.5, 2})
		if err != nil {
			return f, fmt.Errorf("%s: %w", d.Layer.Ref(), err)
		}
		f.Series = append(f.Series, signatureSeries(bursts, reports.Line, func(delta quantity.Micros) string {
			return fmt.Sprintf("%s: Δ = %v", d.Layer.Ref(), delta)
		})...)
	}
	return f, nil
}

// signatureSeries are the intervals of a signature against the number of messages, one series
// for each Δ.
func signatureSeries(bursts []benchfile.Burst, kind reports.Kind, name func(delta quantity.Micros) string) []reports.Series {
	var all []reports.Series
	for _, b := range bursts {
		of := name(b.Delta)
		if k := len(all); k == 0 || all[k-1].Name != of {
			all = append(all, reports.Series{Name: of, Kind: kind})
		}
		s := &all[len(all)-1]
		s.X, s.Y = append(s.X, float64(b.Messages)), append(s.Y, float64(b.Interval))
	}
	return all
}
