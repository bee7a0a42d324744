//go:build !js

package table

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

func (m RegionMap) check() error {
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
// test measures the distances. None is so dark that a contour could not be seen on it.
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

// contourStyles has the lines of contours, the lowest level first: the more of a line is drawn, the
// higher its level. Colours are taken by the regions below.
var contourStyles = []style{
	{color: ink, dashes: []vg.Length{1.5, 2}},
	{color: ink, dashes: []vg.Length{6, 2.5}},
	{color: ink},
}

func (m RegionMap) painter() (func(draw.Canvas) axes, error) {
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
		lines := regionPlotter{m, in}.contours()
		for i, level := range lines {
			if len(level) > 0 {
				entries = append(entries,
					entry{name: m.Contours[i].Label, style: contourStyles[i], line: true})
			}
		}
		area := frame(c, m.Title, entries, m.Notes)
		x, y := in.limits()
		p := newScaledPlot(area, m.X, m.Y, x, y)
		drawPlot(area, p, m.X.title(), m.Y.title(), regionPlotter{m, in}.plot)
		return axes{}
	}, nil
}

type regionPlotter struct {
	RegionMap
	cells
}

// plot draws the cells, the borders between regions, the contours and the names.
func (m regionPlotter) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	m.fill(c, p, func(i, j int) int { return m.At[j][i] }, func(at int, r, lapped vg.Rectangle) {
		fill, edge, hatched := regionStyle(at)
		fillBox(c, lapped, fill)
		if hatched {
			hatch(c, r, edge)
		}
	})
	// White borders separate regions without colours too; ink is left for the contours.
	border := draw.LineStyle{Color: white, Width: 1}
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
	lines := m.contours()
	var contours labeller // for the points along lines
	for _, level := range lines {
		for _, l := range level {
			for i := range l {
				l[i] = vg.Point{X: tx(float64(l[i].X)), Y: ty(float64(l[i].Y))}
			}
			contours.avoidLine(l, curveWeight)
		}
	}
	for k, level := range lines {
		line := contourStyles[k].line()
		line.Width = 1
		for _, l := range level {
			c.StrokeLines(line, c.ClipLinesXY(l)...)
		}
	}
	name := textStyle(tickSize, ink)
	name.XAlign, name.YAlign = text.XCenter, text.YCenter
	runs := m.runs()
	for _, region := range m.parts() {
		label := printable(m.Names[m.At[region[0].j][region[0].i]])
		w, h := name.Width(label)+4, vg.Length(tickSize*1.2)
		if at, ok := m.room(region, runs, w, h, tx, ty, contours.obstacles); ok {
			// Pale behind the name: on a dark region, or over a contour, its letters could not be
			// read.
			fillBox(c, box(at, w, h), color.NRGBA{0xff, 0xff, 0xff, 0xd0})
			c.FillText(name, at, label)
		}
	}
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
// has most room around it, of those that hide no contour if there are some. It tries each cell as
// the lower left corner, and of a fine map every second or third one: no reader sees a difference.
func (m regionPlotter) room(
	region []cell, runs [][]int, w, h vg.Length, tx, ty func(float64) vg.Length,
	contours []obstacle,
) (at vg.Point, ok bool) {
	const corners = 20000
	most, free := vg.Length(0), false // free: the best place so far hides no contour
	better := func(spare vg.Length, middle vg.Point) bool {
		if free && spare <= most {
			return false
		}
		hidden := slices.ContainsFunc(contours, func(o obstacle) bool {
			return hides(box(middle, w, h), o)
		})
		if hidden {
			return !free && spare > most
		}
		free = true
		return true
	}
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
			if high >= 1 && better(spare, middle) {
				most, ok, at = spare, true, middle
			}
		}
	}
	return at, ok
}

// contours returns the lines of each level, some of which may have none.
func (m regionPlotter) contours() (all [][][]vg.Point) {
	if m.Z == nil {
		return nil
	}
	for _, level := range m.Contours[:min(len(m.Contours), len(contourStyles))] {
		all = append(all, m.contour(level.Level))
	}
	return all
}

// contour returns the lines along which Z passes a level, by squares between the middles of four
// cells (marching squares): a side whose ends lie on both sides of the level is crossed, at the
// place that interpolation along the side gives. Neighbouring squares share sides and compute the
// same crossings, to the last bit, by which joined finds the ends that meet.
func (m regionPlotter) contour(level float64) [][]vg.Point {
	var lines [][]vg.Point
	for j := range len(m.YS) - 1 {
		for i := range len(m.XS) - 1 {
			corners := [4][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}
			var crossed []vg.Point
			for k, a := range corners {
				b := corners[(k+1)%4]
				za, zb := m.Z[a[1]][a[0]], m.Z[b[1]][b[0]]
				above := level * (1 + 1e-9) // a plateau at the level is not above it
				drawable := math.Abs(za) <= largest && math.Abs(zb) <= largest
				if (za > above) == (zb > above) || !drawable {
					continue
				}
				part := (level - za) / (zb - za)
				crossed = append(crossed, vg.Point{
					X: vg.Length(m.X.interpolate(m.XS[a[0]], m.XS[b[0]], part)),
					Y: vg.Length(m.Y.interpolate(m.YS[a[1]], m.YS[b[1]], part)),
				})
			}
			// A saddle has four crossings: which pairs belong together is not known, and neighbours
			// are taken.
			for k := 0; k+1 < len(crossed); k += 2 {
				lines = append(lines, crossed[k:k+2:k+2])
			}
		}
	}
	return joined(lines)
}

// joined joins pieces that meet end to end, so that dashes continue: each piece alone is shorter
// than a dash. A line grows from one piece in both directions, by turning it round once.
func joined(pieces [][]vg.Point) [][]vg.Point {
	ends := map[vg.Point][]int{}
	for i, l := range pieces {
		ends[l[0]] = append(ends[l[0]], i)
		ends[l[1]] = append(ends[l[1]], i)
	}
	used := make([]bool, len(pieces))
	grow := func(line []vg.Point) []vg.Point {
		for {
			last, found := line[len(line)-1], false
			for _, i := range ends[last] {
				if used[i] {
					continue
				}
				used[i], found = true, true
				// Pieces have no direction: the end that is not here is the next point.
				next := pieces[i][0]
				if next == last {
					next = pieces[i][1]
				}
				line = append(line, next)
				break
			}
			if !found {
				return line
			}
		}
	}
	var lines [][]vg.Point
	for i, l := range pieces {
		if used[i] {
			continue
		}
		used[i] = true
		line := grow(slices.Clone(l))
		slices.Reverse(line)
		lines = append(lines, grow(line))
	}
	return lines
}

// interpolate returns the value at a part of the way along the axis.
func (a Axis) interpolate(from, to, part float64) float64 {
	if a.Log {
		return math.Exp(math.Log(from) + part*(math.Log(to)-math.Log(from)))
	}
	return from + part*(to-from)
}

func (m RegionMap) title() string { return m.Title }
