//go:build !js

package reports

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

// regionTints has the darkness of each colour: neighbours in the palette, and colours that are
// alike, differ on paper without colours.
var regionTints = []float64{0.3, 0.7, 0.28, 0.55, 0.25, 0.45, 0.85, 0.85}

// regionStyle returns the filling of the i-th name; hatched ones have lines in the darker colour.
func regionStyle(i int) (fill, edge color.NRGBA, hatched bool) {
	c := palette[i%len(palette)]
	return tint(c, regionTints[i%len(regionTints)]), c, i >= len(palette)
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
		for i, level := range m.Contours[:min(len(m.Contours), len(contourStyles))] {
			entries = append(entries, entry{name: level.Label, style: contourStyles[i], line: true})
		}
		area := frame(c, m.Title, entries, m.Notes)
		in := cells{edges(m.XS, m.X), edges(m.YS, m.Y)}
		x, y := in.limits()
		p := newScaledPlot(area, m.X, m.Y, x, y)
		drawPlot(area, p, m.X.Label, m.Y.Label, regionPlotter{m, in}.plot)
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
	if m.Z != nil {
		for k, level := range m.Contours[:min(len(m.Contours), len(contourStyles))] {
			line := contourStyles[k].line()
			line.Width = 1
			for _, l := range m.contour(level.Level) {
				for i := range l {
					l[i] = vg.Point{X: tx(float64(l[i].X)), Y: ty(float64(l[i].Y))}
				}
				c.StrokeLines(line, c.ClipLinesXY(l)...)
			}
		}
	}
	name := textStyle(tickSize, ink)
	name.XAlign, name.YAlign = text.XCenter, text.YCenter
	for k, label := range m.Names {
		label = printable(label)
		w, h := name.Width(label)+8, vg.Length(tickSize*1.6)
		if at, ok := m.room(k, w, h, tx, ty); ok {
			// Pale behind the name: on a dark region its letters could not be read.
			fillBox(c, box(at, w-2, h-2), color.NRGBA{0xff, 0xff, 0xff, 0xc0})
			c.FillText(name, at, label)
		}
	}
}

// room returns the middle of the place within the regions of name k that holds a text of the given
// size and has most room around it. It tries about 60 columns and rows as a corner.
func (m regionPlotter) room(
	k int, w, h vg.Length, tx, ty func(float64) vg.Length,
) (at vg.Point, ok bool) {
	// Trying all of a fine map would take longer than drawing it, and no reader sees the
	// difference.
	const places = 60
	most, stepX, stepY := vg.Length(0), 1+len(m.XS)/places, 1+len(m.YS)/places
	for j := 0; j < len(m.At); j += stepY {
		for i := 0; i < len(m.XS); i += stepX {
			to := len(m.XS) // where the region ends in one of the rows from j to up
			for up := j; up < len(m.At) && m.At[up][i] == k; up++ {
				// The rectangle from (j, i) up to row up is as wide as its narrowest row.
				n := i
				for n < to && m.At[up][n] == k {
					n++
				}
				to = n
				lower := vg.Point{X: tx(m.x[i]), Y: ty(m.y[j])}
				upper := vg.Point{X: tx(m.x[to]), Y: ty(m.y[up+1])}
				across, high := (upper.X-lower.X)/w, (upper.Y-lower.Y)/h
				fits := across >= 1 && high >= 1
				// The sum decides between places with the same room in the scarcer direction.
				if spare := min(across, high) + (across+high)/100; fits && spare > most {
					most, ok = spare, true
					at = vg.Point{X: (lower.X + upper.X) / 2, Y: (lower.Y + upper.Y) / 2}
				}
			}
		}
	}
	return at, ok
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
