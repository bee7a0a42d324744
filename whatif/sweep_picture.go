//go:build !js

package whatif

import (
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

const (
	mapCells = 250  // of a heat map, in each direction
	lineDots = 1000 // of a line
)

// A sweepPicture collects the values of a sweep's figure.
type sweepPicture struct {
	sweep    *Sweep
	quantity Quantity
	column   int
	grid     *Grid
	lines    []reports.Series
}

func newSweepPicture(s *Sweep, shown int) (*sweepPicture, error) {
	p := &sweepPicture{sweep: s, column: len(s.Ranges) + 1 + shown}
	var err error
	if p.quantity, err = s.Design.Quantity(s.Names[shown], s.Sizes[0]); err != nil {
		return nil, err
	}
	switch {
	case len(s.Ranges) == 1:
		for _, n := range s.Sizes {
			p.lines = append(p.lines, reports.Series{Name: n.String(), Kind: reports.Line})
		}
	case len(s.Ranges) == 2 && len(s.Sizes) == 1:
		p.grid = NewGrid(s, shown, 0, mapCells)
	case len(s.Ranges) == 2:
		return nil, usage.Fields(errors.New("a heat map shows a single size"), "size")
	default:
		return nil, usage.Fields(fmt.Errorf("a figure shows one parameter as a line or two as a heat map (got %d)", len(s.Ranges)), "plot")
	}
	return p, nil
}

func (p *sweepPicture) add(b *Block) error {
	if p.grid != nil {
		p.grid.Add(b)
		return nil
	}
	width, sizes, steps := len(b.Values)/b.Rows, int64(len(p.lines)), int64(p.sweep.Ranges[0].Steps)
	every := (steps + lineDots - 1) / lineDots
	for i := range b.Rows {
		row := b.First + int64(i)
		if at := row / sizes; at%every == 0 || at == steps-1 {
			line := &p.lines[row%sizes]
			line.X, line.Y = append(line.X, b.Values[i*width]), append(line.Y, b.Values[i*width+p.column])
		}
	}
	return nil
}

func rangeAxis(r Range) reports.Axis {
	a := reports.Axis{Label: r.Title(), Bytes: r.Param.Value.Dim == quantity.DimSize}
	if r.Log {
		a.Scale = reports.Log
	}
	return a
}

func (p *sweepPicture) heatMap() reports.HeatMap {
	p.grid.Finish()
	x, y, d := p.sweep.Ranges[0], p.sweep.Ranges[1], p.sweep.Design
	return reports.HeatMap{
		Title: fmt.Sprintf("%s: %s", d.Layer.Ref(), p.quantity.Title()),
		X:     rangeAxis(x), Y: rangeAxis(y), XS: p.grid.X, YS: p.grid.Y, Z: p.grid.Z, Label: p.quantity.Title(),
		Marks: []reports.Mark{{Kind: reports.AtPoint, X: x.Shown(x.Param.Value.Num), Y: y.Shown(y.Param.Value.Num),
			Label: "as it is: " + Format(quantity.Value{Num: p.quantity.Of(d.Layer.Model), Dim: p.quantity.Dim()})}},
	}
}

func (p *sweepPicture) figure() reports.Figure {
	r := p.sweep.Ranges[0]
	f := reports.Figure{Title: p.sweep.Design.Layer.Ref(), X: rangeAxis(r), Y: reports.Axis{Label: p.quantity.Head(), Near: true}, Series: p.lines}
	if now := r.Param.Value.Num; now > 0 {
		f.Marks = []reports.Mark{{Kind: reports.AtX, X: r.Shown(now), Label: "as it is: " + Format(r.Param.Value)}}
	}
	f.X.Min, f.X.Max = r.Shown(r.From), r.Shown(r.To)
	return f
}

// A Grid is one quantity of a sweep over two ranges, averaged over cells so that
// it can be looked at: X is the first range, Y the second.
type Grid struct {
	X, Y []float64   // the middles of the cells, in the units of [Range.Shown]
	Z    [][]float64 // by Y, then by X; NaN where no point has a value

	sweep  *Sweep
	column int // of the quantity in a row
	size   int // index into the sweep's sizes
	count  [][]float64
}

// NewGrid returns an empty grid of at most most×most cells for a sweep over two ranges. The
// quantity and the size are indices into Names and Sizes of the sweep.
func NewGrid(s *Sweep, quantity, size, most int) *Grid {
	g := &Grid{sweep: s, column: len(s.Ranges) + 1 + quantity, size: size}
	g.X, g.Y = g.middles(s.Ranges[0], most), g.middles(s.Ranges[1], most)
	for range g.Y {
		g.Z, g.count = append(g.Z, make([]float64, len(g.X))), append(g.count, make([]float64, len(g.X)))
	}
	return g
}

func (g *Grid) middles(r Range, most int) []float64 {
	cells := min(most, r.Steps)
	middles := make([]float64, cells)
	for c := range middles {
		first, last := (c*r.Steps+cells-1)/cells, ((c+1)*r.Steps+cells-1)/cells-1
		middles[c] = r.Shown(r.At(first)+r.At(last)) / 2
	}
	return middles
}

// Add takes in the points of a block.
func (g *Grid) Add(b *Block) {
	s := g.sweep
	width, sizes, ny := len(b.Values)/b.Rows, int64(len(s.Sizes)), int64(s.Ranges[1].Steps)
	for i := range b.Rows {
		row := b.First + int64(i)
		v := b.Values[i*width+g.column]
		if int(row%sizes) != g.size || math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		point := row / sizes
		x := int(point/ny) * len(g.X) / s.Ranges[0].Steps
		y := int(point%ny) * len(g.Y) / s.Ranges[1].Steps
		g.Z[y][x] += v
		g.count[y][x]++
	}
}

// Finish makes averages of the sums. Nothing can be added afterwards.
func (g *Grid) Finish() {
	for y := range g.Z {
		for x := range g.Z[y] {
			g.Z[y][x] /= g.count[y][x] // 0/0 is NaN
		}
	}
}
