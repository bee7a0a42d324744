package whatif

import "math"

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
