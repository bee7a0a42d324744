//go:build !js

package whatif

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/usage"
)

const (
	// The resolution of pictures, about that of a screen. A sweep of millions of points is
	// reduced to it while it runs.
	mapCells = 250  // of a heat map, in each direction
	lineDots = 1000 // of a line
)

// points are those of a curve, in µs and bytes, or in the units of a sweep.
type points struct{ X, Y []float64 }

// A collector gathers the figure of a sweep from its blocks, while rows may go to a file: so a
// sweep runs once for both.
type collector interface{ add(*Block) }

// newCollector returns the one of lines over one range, or of a map over two. It is an error if the
// numbers of ranges and sizes have no picture.
func newCollector(s *Sweep) (collector, error) {
	switch {
	case len(s.Ranges) == 1:
		return newLines(s), nil
	case len(s.Ranges) == 2 && len(s.Sizes) == 1:
		return newGrid(s, mapCells), nil
	case len(s.Ranges) == 2:
		return nil, usage.Fields(errors.New("a heat map shows a single size"), "size")
	}
	return nil,
		usage.Fields(fmt.Errorf("a figure shows one parameter as a line or two as a heat map (got "+
			"%d)", len(s.Ranges)), "plot")
}

// lines are a quantity over one range, a line for each size. Of a long range, every n-th point and
// the last one are kept.
type lines struct {
	all                 []points
	shown               int // the quantity
	sizes, steps, every int64
}

func newLines(s *Sweep) *lines {
	l := &lines{all: make([]points, len(s.Sizes)), shown: s.Shown,
		sizes: int64(len(s.Sizes)), steps: int64(s.Ranges[0].Steps)}
	l.every = (l.steps + lineDots - 1) / lineDots
	return l
}

func (l *lines) add(b *Block) {
	width := len(b.Values) / b.Rows
	for i := range b.Rows {
		row := b.First + int64(i)
		if at := row / l.sizes; at%l.every == 0 || at == l.steps-1 {
			// Sizes vary fastest, so the remainder of a row's number is its size.
			line := &l.all[row%l.sizes]
			line.X = append(line.X, b.Values[i*width])
			line.Y = append(line.Y, b.Values[i*width+2+l.shown])
		}
	}
}

// A grid is a quantity of one size over two ranges, averaged over cells. Points without a value do
// not count; a cell without any is NaN, and stays blank.
type grid struct {
	xs, ys         []float64 // the middles of cells
	xSteps, ySteps int
	shown          int // the quantity
	sum, count     []float64
	now            float64 // the quantity as it is
}

// newGrid returns one of at most most×most cells.
func newGrid(s *Sweep, most int) *grid {
	x, y := s.Ranges[0], s.Ranges[1]
	g := &grid{xs: middles(x, most), ys: middles(y, most), xSteps: x.Steps, ySteps: y.Steps,
		shown: s.Shown, now: s.Quantities[s.Shown].At(s.Sizes[0]).In(s.Design.Costs())}
	cells := len(g.xs) * len(g.ys)
	g.sum, g.count = make([]float64, cells), make([]float64, cells)
	return g
}

func (g *grid) add(b *Block) {
	nx, ny := len(g.xs), len(g.ys)
	width := len(b.Values) / b.Rows
	for i := range b.Rows {
		// The point is x·(steps of y) + y; each index is scaled to its cell by
		// whole numbers.
		point, v := int(b.First)+i, b.Values[i*width+3+g.shown]
		if cell := point%g.ySteps*ny/g.ySteps*nx + point/g.ySteps*nx/g.xSteps; !math.IsNaN(v) &&
			!math.IsInf(v, 0) {
			g.sum[cell] += v
			g.count[cell]++
		}
	}
}

// means returns the cells, row by row of y.
func (g *grid) means() (all [][]float64) {
	nx := len(g.xs)
	for y := range g.ys {
		row := make([]float64, nx)
		for x := range row {
			row[x] = g.sum[y*nx+x] / g.count[y*nx+x] // 0/0 is NaN
		}
		all = append(all, row)
	}
	return all
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
