//go:build !js

package whatif

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

const (
	// The resolution of pictures, about that of a screen. A sweep of millions of points is
	// reduced to it while it runs.
	mapCells = 250  // of a heat map, in each direction
	lineDots = 1000 // of a line
)

// DrawSweep makes the sweep collect a picture of a quantity, and returns a function that gives it
// after the run. The picture is collected while rows go to a file, so that a sweep runs once for
// both. It is an error if the numbers of ranges and sizes have no picture.
func DrawSweep(s *Sweep) (picture func() table.Picture, err error) {
	switch {
	case len(s.Ranges) == 1:
		return drawLines(s, s.Shown), nil
	case len(s.Ranges) == 2 && len(s.Sizes) == 1:
		drawn := drawMap(s, s.Shown, mapCells)
		return func() table.Picture { return drawn() }, nil
	case len(s.Ranges) == 2:
		return nil, usage.Fields(errors.New("a heat map shows a single size"), "size")
	}
	return nil,
		usage.Fields(fmt.Errorf("a figure shows one parameter as a line or two as a heat map (got "+
			"%d)", len(s.Ranges)), "plot")
}

func rangeAxis(r Range) table.Axis {
	a := table.Axis{Label: rangeTitle(r), Bytes: r.Param.Value.Dim == quantity.DimSize}
	if r.Log {
		a.Log = true
	}
	return a
}

// drawLines draws a quantity over one range, a line for each size. Of a long range,
// every n-th point and the last one are kept.
func drawLines(s *Sweep, shown int) func() table.Picture {
	r := s.Ranges[0]
	f := table.Figure{X: rangeAxis(r), Y: axis(s.Quantities[shown].At(s.Sizes[0]))}
	named := len(s.Sizes) > 1 // each line has a size of its own
	if named {
		f.Y.Label = s.Quantities[shown].Kind.Title
	}
	f.Title = s.Design.Subject() + ": " + f.Y.Label
	f.Y.Near = true
	f.X.Min, f.X.Max = r.Shown(r.From), r.Shown(r.To)
	if now := r.Param.Value.Num; now > 0 {
		f.Marks = []table.Mark{{Kind: table.AtX, X: r.Shown(now),
			Label: "as it is: " + r.Param.Value.String()}}
	}
	for _, n := range s.Sizes {
		line := table.Series{Kind: table.Line}
		if named { // else the title says it
			line.Name = n.String()
		}
		f.Series = append(f.Series, line)
	}
	sizes, steps := int64(len(s.Sizes)), int64(r.Steps)
	every := (steps + lineDots - 1) / lineDots
	s.Watch = append(s.Watch, func(b *Block) {
		width := len(b.Values) / b.Rows
		for i := range b.Rows {
			row := b.First + int64(i)
			if at := row / sizes; at%every == 0 || at == steps-1 {
				// Sizes vary fastest, so the remainder of a row's number is its size.
				line := &f.Series[row%sizes]
				line.X, line.Y = append(line.X, b.Values[i*width]),
					append(line.Y, b.Values[i*width+2+shown])
			}
		}
	})
	return func() table.Picture {
		f.Y.Log = decades(f.Series)
		return f
	}
}

// decades reports whether values, all above 0, span more than two of them: on a linear axis the
// lower lines would lie on each other.
func decades(all []table.Series) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range all {
		for _, y := range s.Y {
			if !math.IsNaN(y) && !math.IsInf(y, 0) {
				lo, hi = min(lo, y), max(hi, y)
			}
		}
	}
	return lo > 0 && hi > 100*lo
}

// drawMap draws a quantity of one size over two ranges, averaged over at most
// most×most cells. Points without a value do not count; a cell without any is NaN,
// and stays blank.
func drawMap(s *Sweep, shown, most int) func() table.HeatMap {
	x, y, q := s.Ranges[0], s.Ranges[1], s.Quantities[shown].At(s.Sizes[0])
	h := table.HeatMap{
		Title: s.Design.Subject() + ": " + axis(q).Label, Value: axis(q),
		X: rangeAxis(x), Y: rangeAxis(y), XS: middles(x, most), YS: middles(y, most),
		Marks: []table.Mark{{Kind: table.AtPoint, X: x.Shown(x.Param.Value.Num),
			Y:     y.Shown(y.Param.Value.Num),
			Label: "as it is: " + q.Value(q.In(s.Design.Costs())).String()}},
	}
	nx, ny := len(h.XS), len(h.YS)
	sum, count := make([]float64, nx*ny), make([]float64, nx*ny)
	s.Watch = append(s.Watch, func(b *Block) {
		width := len(b.Values) / b.Rows
		for i := range b.Rows {
			// The point is x·(steps of y) + y; each index is scaled to its cell by
			// whole numbers.
			point, v := int(b.First)+i, b.Values[i*width+3+shown]
			if cell := point%y.Steps*ny/y.Steps*nx + point/y.Steps*nx/x.Steps; !math.IsNaN(v) &&
				!math.IsInf(v, 0) {
				sum[cell] += v
				count[cell]++
			}
		}
	})
	return func() table.HeatMap {
		for cell := range sum {
			sum[cell] /= count[cell] // 0/0 is NaN
		}
		for row := range ny {
			h.Z = append(h.Z, sum[row*nx:(row+1)*nx])
		}
		return h
	}
}

// middles returns the middles of cells, at most most, that divide the range. The
// first and the last index of a cell are the inverse of drawMap's division, rounded
// up.
func middles(r Range, most int) []float64 {
	cells := min(most, r.Steps)
	middles := make([]float64, cells)
	for c := range middles {
		first, last := (c*r.Steps+cells-1)/cells, ((c+1)*r.Steps+cells-1)/cells-1
		middles[c] = r.Shown(r.At(first)+r.At(last)) / 2
	}
	return middles
}
