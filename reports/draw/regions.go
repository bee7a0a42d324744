package draw

import (
	"errors"
	"fmt"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func (m regionMap) check() error {
	small := len(m.XS) < 2 || len(m.YS) < 2
	if small || len(m.At) != len(m.YS) || m.Z != nil && len(m.Z) != len(m.YS) {
		return errors.New("nothing to draw: a map of regions has at least two columns and two rows")
	}
	if err := errors.Join(m.X.checkMiddles(m.XS), m.Y.checkMiddles(m.YS)); err != nil {
		return err
	}
	for j, row := range m.At {
		if len(row) != len(m.XS) || m.Z != nil && len(m.Z[j]) != len(m.XS) {
			return fmt.Errorf("a row of %d cells in a map of %d columns", len(row), len(m.XS))
		}
		if slices.Max(row) >= len(m.Names) {
			return fmt.Errorf("no name %d among %d", slices.Max(row), len(m.Names))
		}
	}
	return nil
}

// regionColors are fillings that are far apart for any kind of colour vision, which tints of the
// palette are not: pale green, purple and black are three greys without red or green receptors. A
// test measures the distances.
var regionColors = []color.NRGBA{
	{0xa0, 0xb8, 0xe8, 0xff}, // light blue
	{0xe8, 0xd0, 0x70, 0xff}, // yellow
	{0x28, 0x88, 0x58, 0xff}, // green
	{0x88, 0x70, 0xb8, 0xff}, // violet
	{0xe8, 0xd0, 0xa0, 0xff}, // sand
	{0xa0, 0xb8, 0xb8, 0xff}, // blue grey
	{0xa0, 0x88, 0x28, 0xff}, // ochre
	{0x88, 0x70, 0x88, 0xff}, // mauve
}

// regionStyle returns the filling of the i-th name; hatched ones have lines in the darker colour.
func regionStyle(i int) (fill, edge color.NRGBA, hatched bool) {
	c := regionColors[i%len(regionColors)]
	return c, mix(c, ink, 0.5), i >= len(regionColors)
}

func (m regionMap) painter() (func(draw.Canvas) axes, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	return func(c draw.Canvas) axes {
		// The legend lists only names that have a cell: of twenty algorithms, four may win
		// somewhere.
		used := make([]bool, len(m.Names))
		for _, row := range m.At {
			for _, at := range row {
				if at >= 0 {
					used[at] = true
				}
			}
		}
		var entries []entry
		for i, name := range m.Names {
			if fill, edge, hatched := regionStyle(i); used[i] {
				entries = append(entries,
					entry{name: name, style: style{color: edge}, fill: &fill, hatched: hatched})
			}
		}
		in := cells{edges(m.XS, m.X), edges(m.YS, m.Y)}
		area := frame(c, m.Title, entries, m.Notes)
		x, y := in.limits()
		p := newScaledPlot(area, m.X, m.Y, x, y)
		// Each row has its number, if they have room: a cell was asked by itself.
		var rows []plot.Tick
		for _, v := range m.YS {
			rows = append(rows, plot.Tick{Value: v, Label: numberLabel(v)})
		}
		if apart(rows, &p.Y, area.Max.Y-area.Min.Y-40, vertical) {
			p.Y.Tick.Marker = plot.ConstantTicks(rows)
		}
		drawPlot(area, p, m.X.title(), m.Y.title(), regionPlotter{m, in}.plot)
		return axes{}
	}, nil
}

type regionPlotter struct {
	regionMap
	cells
}

// plot draws the cells, the borders between regions, and the names.
func (m regionPlotter) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	m.fill(c, p, func(i, j int) int { return m.At[j][i] }, func(at int, r, lapped vg.Rectangle) {
		fill, edge, hatched := regionStyle(at)
		fillBox(c, lapped, fill)
		if hatched {
			hatch(c, r, edge)
		}
	})
	// Borders separate regions without colours too, and fainter ones the cells, if they are not
	// too small: each was asked by itself.
	border, grid := draw.LineStyle{Color: white, Width: 1.5}, draw.LineStyle{
		Color: color.NRGBA{0xff, 0xff, 0xff, 0x70}, Width: 0.5}
	const smallest = 6
	if (c.Max.X-c.Min.X)/vg.Length(len(m.XS)) >= smallest {
		for _, x := range m.x[1 : len(m.x)-1] {
			c.StrokeLine2(grid, tx(x), c.Min.Y, tx(x), c.Max.Y)
		}
	}
	if (c.Max.Y-c.Min.Y)/vg.Length(len(m.YS)) >= smallest {
		for _, y := range m.y[1 : len(m.y)-1] {
			c.StrokeLine2(grid, c.Min.X, ty(y), c.Max.X, ty(y))
		}
	}
	for j, row := range m.At {
		for i, at := range row {
			if i > 0 && row[i-1] != at {
				c.StrokeLine2(border, tx(m.x[i]), ty(m.y[j]), tx(m.x[i]), ty(m.y[j+1]))
			}
			if j > 0 && m.At[j-1][i] != at {
				c.StrokeLine2(border, tx(m.x[i]), ty(m.y[j]), tx(m.x[i+1]), ty(m.y[j]))
			}
		}
	}
	name := textStyle(tickSize, ink)
	name.XAlign, name.YAlign = text.XCenter, text.YCenter
	runs := m.runs()
	for _, region := range m.parts() {
		named := m.At[region[0].j][region[0].i]
		label := printable(m.Names[named])
		w, h := name.Width(label)+4, vg.Length(tickSize*1.2)
		if at, ok := m.room(region, runs, w, h, tx, ty); ok {
			fill, _, hatched := regionStyle(named)
			name.Color = readable(fill)
			if hatched { // lines would run through the letters
				fillBox(c, box(at, w, h), fill)
			}
			c.FillText(name, at, label)
		}
	}
}

// readable returns the colour of letters on a filling, dark or white by its brightness.
func readable(fill color.NRGBA) color.NRGBA {
	// The weights of sRGB's luma, ITU-R BT.709.
	luma := 0.2126*float64(fill.R) + 0.7152*float64(fill.G) + 0.0722*float64(fill.B)
	if luma < 125 {
		return white
	}
	return ink
}

// A cell is a column and a row.
type cell struct{ i, j int }

// parts returns the regions: cells of one name that share sides.
func (m regionPlotter) parts() (all [][]cell) {
	seen := make([][]bool, len(m.At))
	for j := range seen {
		seen[j] = make([]bool, len(m.XS))
	}
	for j, row := range m.At {
		for i, at := range row {
			if at < 0 || seen[j][i] {
				continue
			}
			region := []cell{{i, j}}
			seen[j][i] = true
			for k := 0; k < len(region); k++ { // region grows meanwhile
				c := region[k]
				for _, by := range []cell{{-1, 0}, {1, 0}, {0, -1}, {0, 1}} {
					n := cell{c.i + by.i, c.j + by.j}
					inside := n.j >= 0 && n.j < len(m.At) && n.i >= 0 && n.i < len(row)
					if inside && m.At[n.j][n.i] == at && !seen[n.j][n.i] {
						seen[n.j][n.i] = true
						region = append(region, n)
					}
				}
			}
			all = append(all, region)
		}
	}
	return all
}

// runs returns for each cell the column where the cells of its name end on its right.
func (m regionPlotter) runs() [][]int {
	all := make([][]int, len(m.At))
	for j, row := range m.At {
		all[j] = make([]int, len(row))
		for i := len(row) - 1; i >= 0; i-- {
			if all[j][i] = i + 1; i+1 < len(row) && row[i+1] == row[i] {
				all[j][i] = all[j][i+1]
			}
		}
	}
	return all
}

// room returns the middle of the place within the region that holds a text of the given size and
// has most room around it. It tries each cell as the lower left corner, and of a fine map every
// second or third one: no reader sees a difference.
func (m regionPlotter) room(
	region []cell, runs [][]int, w, h vg.Length, tx, ty func(float64) vg.Length,
) (at vg.Point, ok bool) {
	const corners = 20000
	most := vg.Length(0)
	for k := 0; k < len(region); k += 1 + len(region)/corners {
		i, j := region[k].i, region[k].j
		to := len(m.XS) // where the region ends in one of the rows from j to up
		for up := j; up < len(m.At) && m.At[up][i] == m.At[j][i]; up++ {
			// The rectangle from (j, i) up to row up is as wide as its narrowest row.
			to = min(to, runs[up][i])
			lower := vg.Point{X: tx(m.x[i]), Y: ty(m.y[j])}
			upper := vg.Point{X: tx(m.x[to]), Y: ty(m.y[up+1])}
			across, high := (upper.X-lower.X)/w, (upper.Y-lower.Y)/h
			if across < 1 {
				break // it gets only narrower
			}
			// The sum decides between places with the same room in the scarcer direction.
			spare := min(across, high) + (across+high)/100
			middle := vg.Point{X: (lower.X + upper.X) / 2, Y: (lower.Y + upper.Y) / 2}
			if high >= 1 && spare > most {
				most, ok, at = spare, true, middle
			}
		}
	}
	return at, ok
}

func (m regionMap) title() string { return m.Title }
