//go:build !js

package reports

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// intervals returns the bounds around point i of s that can be drawn.
func (f Figure) intervals(s Series, i int) []float64 {
	var vs []float64
	low, high := s.bounds(i)
	for _, v := range []float64{low, high} {
		if f.Y.usable(v) {
			vs = append(vs, v)
		}
	}
	return vs
}

// band returns the lines through Low and High of a series, where both can be drawn.
func (f figurePlotter) band(s Series, at func(x, y float64) vg.Point) (lower, upper []vg.Point) {
	for i := range s.X {
		low, high := s.bounds(i)
		if f.X.usable(s.X[i]) && f.Y.usable(low) && f.Y.usable(high) {
			lower, upper = append(lower, at(s.X[i], low)), append(upper, at(s.X[i], high))
		}
	}
	return lower, upper
}

// errorBar returns the ends of the error bar of point i, inside the axes; nil without a bar. A
// bound that the axis cannot show is moved to the edge.
func (f figurePlotter) errorBar(s Series, i int, at func(x, y float64) vg.Point, area vg.Rectangle) []vg.Point {
	low, high := s.bounds(i)
	if math.IsInf(low, -1) && math.IsInf(high, 1) || math.IsNaN(low) || math.IsNaN(high) {
		return nil
	}
	pt := at(s.X[i], s.Y[i])
	end := func(v float64, edge vg.Length) vg.Point {
		switch {
		case math.IsInf(v, 0):
			return pt
		case !f.Y.usable(v):
			return vg.Point{X: pt.X, Y: edge}
		}
		y := at(s.X[i], v).Y
		return vg.Point{X: pt.X, Y: max(area.Min.Y, min(area.Max.Y, y))}
	}
	return []vg.Point{end(low, area.Min.Y), end(high, area.Max.Y)}
}

// edge is the line along a band.
func (s style) edge(k Kind) draw.LineStyle {
	l := draw.LineStyle{Color: tint(s.color, 0.6), Width: 0.5, Dashes: s.dashes}
	if k == Beyond {
		l.Width, l.Dashes = 0.7, []vg.Length{3, 2.5}
	}
	return l
}

// filling is c as the filling of a band.
func (k Kind) filling(c color.NRGBA) color.NRGBA {
	if k == Beyond {
		return tint(c, 0.1)
	}
	return tint(c, 0.2)
}
