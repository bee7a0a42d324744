package draw

import (
	"image/color"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/reports/table"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// runs returns the stretches of s between the points that cannot be drawn. A line
// across such a gap would claim values that do not exist.
func (f figure) runs(s table.Series, at func(x, y float64) vg.Point) [][]vg.Point {
	var runs [][]vg.Point
	var run []vg.Point
	for i := range s.X {
		if f.X.usable(s.X[i]) && f.Y.usable(s.Y[i]) {
			run = append(run, at(s.X[i], s.Y[i]))
			continue
		}
		if run != nil {
			runs, run = append(runs, run), nil
		}
	}
	if run != nil {
		runs = append(runs, run)
	}
	return runs
}

// bands returns the outlines of the band of a series: a pair of lines through Low and High for each
// stretch without a gap. An end that the axis cannot show, such as 0 on a logarithmic one, lies
// beyond its frame. With Low or High alone there is nothing to fill.
func (f figure) bands(
	s table.Series, at func(x, y float64) vg.Point, area vg.Rectangle,
) (all []outline) {
	if s.Kind == table.Points || s.Low == nil || s.High == nil {
		return nil
	}
	const beyond = 10 // points: the edge there is not seen
	var o outline
	for i, x := range s.X {
		low, high := s.Bounds(i)
		if !f.X.usable(x) || math.IsNaN(low) || math.IsNaN(high) {
			all, o = append(all, o), outline{}
			continue
		}
		down, up := at(x, 1), at(x, 1)
		down.Y, up.Y = area.Min.Y-beyond, area.Max.Y+beyond
		if f.Y.usable(low) {
			down = at(x, low)
		}
		if f.Y.usable(high) {
			up = at(x, high)
		}
		o.under, o.over = append(o.under, down), append(o.over, up)
	}
	return slices.DeleteFunc(append(all, o), func(o outline) bool { return len(o.under) < 2 })
}

// An outline is the lower and the upper edge of a band.
type outline struct{ under, over []vg.Point }

// polygon goes out along the lower edge and back along the upper one.
func (o outline) polygon() []vg.Point {
	back := slices.Clone(o.over)
	slices.Reverse(back)
	return slices.Concat(o.under, back)
}

// height returns the mean height of the outline.
func (o outline) height() (h vg.Length) {
	for i := range o.under {
		h += (o.over[i].Y - o.under[i].Y) / vg.Length(len(o.under))
	}
	return h
}

// openArm is the length of the arm of an error bar towards a bound that its axis cannot show.
const openArm vg.Length = 14

// errorBar returns the ends of the error bar of point i, inside the axes, and which of them are
// bounds; nil without a bar. Towards a bound that the axis cannot show, such as 0 on a logarithmic
// one or an infinite one, stands a short arm without an end: one up to the edge would be read as a
// line through the picture. A point without Low or without High has no arm on that side.
func (f figure) errorBar(
	s table.Series, i int, at func(x, y float64) vg.Point, area vg.Rectangle,
) (bar []vg.Point, ended [2]bool) {
	low, high := s.Bounds(i)
	if math.IsInf(low, -1) && math.IsInf(high, 1) || math.IsNaN(low) || math.IsNaN(high) {
		return nil, ended
	}
	pt := at(s.X[i], s.Y[i])
	end := func(v float64, bound table.Numbers, open vg.Length) (vg.Point, bool) {
		switch {
		case bound == nil:
			return pt, false
		case !f.Y.usable(v):
			return vg.Point{X: pt.X, Y: max(area.Min.Y, min(area.Max.Y, pt.Y+open))}, false
		}
		y := at(s.X[i], v).Y
		inside := max(area.Min.Y, min(area.Max.Y, y))
		return vg.Point{X: pt.X, Y: inside}, inside == y
	}
	bar = make([]vg.Point, 2)
	bar[0], ended[0] = end(low, s.Low, -openArm)
	bar[1], ended[1] = end(high, s.High, openArm)
	return bar, ended
}

// edge returns the line around a band: thinner and paler than the line of a model, and broken if
// the band is extrapolated. Broken lines stand for sizes that were not measured, in print too.
func (s style) edge(k table.SeriesKind) draw.LineStyle {
	l := draw.LineStyle{Color: tint(s.color, 0.6), Width: 0.5, Dashes: s.dashes}
	if k == table.Beyond {
		l.Width, l.Dashes = 0.7, []vg.Length{3, 2.5}
	}
	return l
}

// filling returns the colour of a band of a series in colour c.
func filling(k table.SeriesKind, c color.NRGBA) color.NRGBA {
	if k == table.Beyond {
		return tint(c, 0.1)
	}
	return tint(c, 0.2)
}
