// Package curves makes the pictures of layers that several questions show: curves over message
// sizes ([Figure]), the bands of the next measurement ([Forecasts]), and the way of a message
// through a pipeline ([Timeline]).
package curves

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A Kind is the quantity of a curve over message sizes. The words are those of
// --kind; [model.Quantities] has what they mean.
type Kind string

// The kinds of curves.
const (
	Bandwidth  Kind = "bandwidth"  // size over one-way time, in MB/s
	Latency    Kind = "latency"    // one-way time, in µs
	Intervals  Kind = "gap"        // the interval before the next message of a stream, in µs
	Throughput Kind = "throughput" // size over that interval, in MB/s
)

// Kinds lists the kinds of curves.
var Kinds = []Kind{Bandwidth, Latency, Intervals, Throughput}

// quantity returns the name of the quantity, a row of [model.Quantities]. People call
// a one-way time latency; the row does not, since the same column holds times of a
// MiB.
func (k Kind) quantity() string {
	if k == Latency {
		return "one_way"
	}
	return string(k)
}

// Row returns the row of the curve's quantity. The kind must be one of [Kinds].
func (k Kind) Row() *model.Quantity {
	q, _ := model.FindQuantity(k.quantity())
	return q
}

// Axis returns the vertical axis of the curves of designs: of streams alone it names what was
// measured, a gap or a throughput. It is logarithmic, as message sizes are: times span five
// decades, and a protocol switch at 256 bytes would vanish on a linear axis.
func (k Kind) Axis(designs ...platforms.Design) table.Axis {
	k = k.of(designs...)
	return table.Axis{Label: k.Row().Title, Dim: k.Row().Dim, Log: true}
}

// of returns the kind that names the curves of designs. What a message's bandwidth and one-way time
// are, a stream's throughput and gap are.
func (k Kind) of(designs ...platforms.Design) Kind {
	message := func(d platforms.Design) bool { return d.Layer.Timed.Of != platforms.Stream }
	if len(designs) == 0 || slices.ContainsFunc(designs, message) {
		return k
	}
	switch k {
	case Bandwidth:
		return Throughput
	case Latency:
		return Intervals
	}
	return k
}

// timed returns the kind that follows from the layer's times as if they were one-way times. Those
// of a stream are its gaps, so they have measured points and intervals.
func (k Kind) timed(l platforms.Layer) Kind {
	switch {
	case l.Timed.Of == platforms.Stream && k == Throughput:
		return Bandwidth
	case l.Timed.Of == platforms.Stream && k == Intervals:
		return Latency
	}
	return k
}

// value returns the curve's value for n bytes that were measured to take t one way.
// Only kinds that follow from a one-way time have one.
func (k Kind) value(n quantity.Bytes, t quantity.Micros) float64 {
	return k.Row().FromOneWay(n, t)
}

// Line returns the line of a design in [Figure]: what predict prints. Of a fitted layer that
// is the measured curve, around which its band lies, and not the lines that explain it.
func Line(kind Kind, sizes []quantity.Bytes, d platforms.Design) table.Series {
	line := table.Series{Name: d.Layer.Ref(), Kind: table.Line}
	line.X, line.Y = make([]float64, len(sizes)), make([]float64, len(sizes))
	for i, n := range sizes {
		line.X[i], line.Y[i] = float64(n), kind.Row().Of(d.Layer.Model, n, 0)
	}
	return line
}

// Sizes returns the default sizes of a figure: 1 B to 1 MiB, or to the largest size that was
// measured in one of the layers, with 16 for each doubling.
func Sizes(layers ...platforms.Layer) []quantity.Bytes {
	last := 1024 * quantity.KiB
	for _, l := range layers {
		if _, largest, measured := l.MeasuredRange(); measured {
			last = max(last, largest)
		}
	}
	sizes, _ := quantity.ParseSizes(fmt.Sprintf("1..%.0f/16", float64(last))) // it is valid
	return sizes
}

// maxCurves bounds a figure: the palette of reports has eight colours that are distinct for any
// kind of colour vision. With more than maxMarkedCurves, marks of each would hide the curves.
const (
	maxCurves       = 8
	maxMarkedCurves = 4
)

// Figure draws a line for each layer, its measured points, protocol switches, n½ where one-way
// times are, and for Bandwidth and Throughput the lowest roof. Where one-way times were measured,
// gaps and throughputs have no points; of a stream, gaps were measured. A fitted layer
// has a band around the next measurement. There must be at least one size, and each
// must be at least 1.
//
// The order of the series is the order of drawing: bands below points, points below
// the line.
func Figure(
	kind Kind, sizes []quantity.Bytes, designs ...platforms.Design,
) (table.Figure, error) {
	kind = kind.of(designs...)
	f := table.Figure{
		Title: curvesTitle(kind, designs),
		X:     table.Axis{Label: "message size", Log: true, Bytes: true},
	}
	if !slices.Contains(Kinds, kind) {
		return f, fmt.Errorf("no curve shows %q", string(kind))
	}
	if len(designs) > maxCurves {
		return f, fmt.Errorf("a figure holds %d curves (got %d layers); draw fewer", maxCurves,
			len(designs))
	}
	f.Y = kind.Axis()
	lo, hi := slices.Min(sizes), slices.Max(sizes)
	pointed, barred := false, false
	var changes []string // of protocols
	for _, d := range designs {
		l := d.Layer
		if name := kind.of(d); name != kind {
			f.Notes = append(f.Notes, fmt.Sprintf("%s: %s of a stream.", l.Ref(), name.Row().Title))
		}
		kind := kind.timed(l)
		// A measured one-way time has a bandwidth, but no gap, and so no throughput.
		follows := kind.Row().FromOneWay != nil
		// Intervals and Throughput need a gap.
		if err := kind.Row().Check(l.Model, hi); err != nil {
			return f, fmt.Errorf("%s has no %s: %w", l.Ref(), kind.Row().Title, err)
		}
		points, err := PaperPoints(d)
		if err != nil {
			return f, err
		}
		all, marks, notes := Boundaries(l, sizes)
		if follows && d.Forecastable() {
			var bands []table.Series
			bands, all = Forecasts(l.Ref(), kind.Row(), d, all)
			f.Series = append(f.Series, bands...)
		}
		if follows && l.Measured != nil && len(d.Changes) == 0 {
			f.Series = append(f.Series, fittedSeries(d, lo, hi, kind))
			pointed = true
		}
		line := Line(kind, all, d)
		for i, n := range all {
			if follows && d.Forecastable() && d.Forecast(n).Unknown != "" {
				line.Y[i] = math.NaN()
			}
		}
		f.Series = append(f.Series, line)
		if follows {
			if measured := pointSeries(l.Ref(), points, lo, hi, kind); len(measured.X) > 0 {
				f.Series = append(f.Series, measured)
				pointed, barred = true, barred || hasBars(measured)
			}
		}
		if len(designs) > maxMarkedCurves {
			continue
		}
		f.Marks = append(f.Marks, marks...)
		changes = append(changes, notes...)
		// Outside the sizes there is no curve to mark. Half of the peak is a bandwidth: the
		// throughput of as many bytes is nearer to the peak.
		peak := l.Peak()
		half := peak.Half
		if follows && peak.Exists && peak.Known && half > 1 && half >= lo && half <= hi {
			f.Marks = append(f.Marks, table.Mark{
				Kind: table.AtPoint, X: float64(half),
				Y:      kind.Row().Of(l.Model, half, 0),
				Series: l.Ref(), Label: "n½ " + table.About(half),
			})
		}
	}
	// A roof is a rate, which a time has no axis for.
	if kind == Bandwidth || kind == Throughput {
		f.Marks = append(f.Marks, roofMarks(designs)...)
	}
	switch {
	case barred:
		f.Notes = append(f.Notes, "Lines: model. Points: measured, with error bars.")
	case pointed:
		f.Notes = append(f.Notes, "Lines: predicted. Points: measured.")
	}
	f.Notes = append(f.Notes, BandNotes(f.Series)...)
	for _, note := range changes {
		if !slices.Contains(f.Notes, note) {
			f.Notes = append(f.Notes, note)
		}
	}
	f.Y.Log = !level(f.Series)
	return f, nil
}

// curvesTitle names the layers of a figure.
func curvesTitle(kind Kind, designs []platforms.Design) string {
	var names []string
	for _, d := range designs {
		names = append(names, d.Layer.Ref())
	}
	return strings.Join(names, ", ") + ": " + kind.Row().Title
}

// level reports whether no value of the series is twice another one. Decades would show such lines
// as one; from 0 on a linear axis, their heights compare.
func level(all []table.Series) bool {
	lo, hi := math.Inf(1), 0.0
	for _, s := range all {
		for _, y := range s.Y {
			if y > 0 && !math.IsInf(y, 1) {
				lo, hi = min(lo, y), max(hi, y)
			}
		}
	}
	return hi < 2*lo
}

// roofMarks returns the lowest roofs of the designs, each once. A higher roof cannot
// be reached and would stretch the axis. A roof that is not that of all designs is named after
// those below it: the curves of others may cross it.
func roofMarks(designs []platforms.Design) (marks []table.Mark) {
	// Roofs are equal if name and rate are: the PCI bus of two systems is one line.
	under := map[string][]platforms.Design{}
	var keys []string // of the marks
	for _, d := range designs {
		roof, _, ok := d.Layer.LowestRoof()
		if !ok {
			continue
		}
		key := fmt.Sprintf("%s %s", roof.Name, roof.Rate)
		if under[key] == nil {
			marks = append(marks, table.Mark{
				Kind: table.AtY, Y: float64(roof.Rate), Label: roof.Name, Valued: true,
			})
			keys = append(keys, key)
		}
		under[key] = append(under[key], d)
	}
	for i := range marks {
		owners := under[keys[i]]
		if len(designs) == 1 || len(owners) == len(designs) {
			continue // of all that is drawn
		}
		var names []string
		for _, d := range owners {
			// Layers of one platform have roofs of their own, and those of several platforms are
			// known by these.
			if name := ownerName(d, designs); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if len(owners) == 1 {
			marks[i].Series = owners[0].Layer.Ref()
		}
		marks[i].Label = strings.Join(names, ", ") + ": " + marks[i].Label
	}
	return marks
}

// ownerName names a design among others as briefly as it can.
func ownerName(d platforms.Design, among []platforms.Design) string {
	same := func(o platforms.Design) bool { return o.Platform.Name == d.Platform.Name }
	switch i := slices.IndexFunc(among, func(o platforms.Design) bool { return !same(o) }); {
	case i < 0:
		return d.Layer.Name
	case len(slices.DeleteFunc(slices.Clone(among), func(o platforms.Design) bool {
		return !same(o)
	})) > 1:
		return d.Layer.Ref()
	}
	return d.Platform.Name
}

// fittedSeries returns the measured points that a design was fitted to, between lo
// and hi. They have no error bars: the band says more.
func fittedSeries(d platforms.Design, lo, hi quantity.Bytes, kind Kind) table.Series {
	s := table.Series{Name: d.Layer.Ref(), Kind: table.Points}
	for i, n := range d.Layer.Measured.Sizes {
		if n >= lo && n <= hi {
			s.X = append(s.X, float64(n))
			s.Y = append(s.Y, kind.value(n, d.Layer.Measured.Times[i]))
		}
	}
	return s
}

// pointSeries returns the paper's measured points between lo and hi, with their error
// bars, such as ±10 µs of a coarse clock.
func pointSeries(
	name string, points []papers.Point, lo, hi quantity.Bytes, kind Kind,
) table.Series {
	s := table.Series{Name: name, Kind: table.Points}
	for _, p := range points {
		// A printed bound ("less than 10 µs") is no point of a curve.
		if p.Size < lo || p.Size > hi || p.Bound() {
			continue
		}
		// A time that may be zero leaves the bandwidth without an upper bound.
		a := kind.value(p.Size, quantity.Micros(max(0, p.Within.Low)))
		b := kind.value(p.Size, quantity.Micros(p.Within.High))
		s.X, s.Y = append(s.X, float64(p.Size)), append(s.Y, kind.value(p.Size, p.OneWay))
		// The shortest time has the highest bandwidth, so the ends change places.
		s.Low, s.High = append(s.Low, min(a, b)), append(s.High, max(a, b))
	}
	return s
}

// hasBars reports whether a point has an error bar that is seen: a shorter one is behind the point.
func hasBars(s table.Series) bool {
	for i := range s.Low {
		if s.High[i] > 1.1*s.Low[i] {
			return true
		}
	}
	return false
}

// PaperPoints returns the points that papers measured of the design's layer; none of a file of the
// user, also if it has the name of a platform that comes with halfpeak.
func PaperPoints(d platforms.Design) ([]papers.Point, error) {
	if d.Asked() != d.Platform.Name {
		return nil, nil
	}
	return papers.Points(d.Layer.Ref())
}
