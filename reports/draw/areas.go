package draw

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/reports/table"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// sums returns the heights of the edges: sums[k][i] is the sum of the parts before part k at x i.
func (a areas) sums() ([][]float64, error) {
	// One place has no width to fill.
	if len(a.XS) < 2 || len(a.Parts) == 0 {
		return nil, errors.New("nothing to draw: areas have at least one part and two places")
	}
	// The first edge is the axis.
	sums := [][]float64{make([]float64, len(a.XS))}
	for k, p := range a.Parts {
		if len(p.Y) != len(a.XS) {
			return nil, fmt.Errorf("part %q has %d values at %d places",
				p.Name, len(p.Y), len(a.XS))
		}
		next := make([]float64, len(a.XS))
		for i, y := range p.Y {
			// Written so that NaN fails too. A negative part would cover the part below it.
			if !(y >= 0 && y <= largest) || !a.X.usable(a.XS[i]) {
				return nil, fmt.Errorf("part %q is %v at %v", p.Name, y, a.XS[i])
			}
			next[i] = sums[k][i] + y
		}
		sums = append(sums, next)
	}
	return sums, nil
}

// painter draws the parts. Its axis of y ends at or above the highest total, not the
// largest part.
func (a areas) painter() (func(draw.Canvas) axes, error) {
	sums, err := a.sums()
	if err != nil {
		return nil, err
	}
	// The axis ends with the data, without a margin: what is beside the areas would read as zero.
	x := limits{a.XS[0], a.XS[len(a.XS)-1]}
	y, err := a.Y.limits([]float64{0, slices.Max(sums[len(a.Parts)])})
	if err != nil {
		return nil, err
	}
	// Parts that always add up to 100 % fill the frame: the round end above them, 120
	// or so, would leave a white band.
	if a.Y.Max > 0 {
		y = limits{0, a.Y.Max}
	}
	return func(c draw.Canvas) axes {
		var entries []entry
		for k := len(a.Parts) - 1; k >= 0; k-- { // in the order of the picture
			// The legend names what is seen: at least a hundredth of the height somewhere.
			if slices.Max(a.Parts[k].Y) > y.max/100 {
				entries = append(entries, areaEntry(k, a.Parts[k].Name))
			}
		}
		area := frame(c, a.Title, entries, a.Notes)
		p := newScaledPlot(area, a.X, a.Y, x, y)
		return axes{drawPlot(area, p, a.X.title(), a.Y.title(), areasPlotter{a, sums}.plot), x, y}
	}, nil
}

// areaEdge returns the full colour of area k. The palette has an even number of colours, and shades
// take turns: without a step of one after each round, area k+8 would look exactly like area k.
func areaEdge(k int) color.NRGBA {
	n := len(palette)
	return palette[(k+k/n)%n]
}

// areaColor returns pale and dark colours by turns, so that neighbours differ without colours too.
func areaColor(k int) color.NRGBA {
	return tint(areaEdge(k), []float64{0.25, 0.6}[k%2])
}

// areaEntry returns the entry of the legend for an area. Its outline has the full
// colour, as the edge of the area has, so that a pale one is found too.
func areaEntry(k int, name string) entry {
	fill := areaColor(k)
	return entry{name: name, style: style{color: areaEdge(k)}, fill: &fill}
}

type areasPlotter struct {
	areas
	sums [][]float64
}

// plot draws the areas, lines between them, marks, and the name of each part where it is thickest,
// if there is room.
func (a areasPlotter) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for k := range a.Parts {
		var edge []vg.Point
		for i, x := range a.XS {
			edge = append(edge, vg.Point{X: tx(x), Y: ty(a.sums[k+1][i])})
		}
		// Back along the lower edge: a polygon is drawn in one turn.
		for i := len(a.XS) - 1; i >= 0; i-- {
			edge = append(edge, vg.Point{X: tx(a.XS[i]), Y: ty(a.sums[k][i])})
		}
		c.FillPolygon(areaColor(k), c.ClipPolygonXY(edge))
	}
	// Lines after all areas, each of which would cover half of the line below it. The
	// topmost edge has no neighbour and needs none.
	for k := 1; k < len(a.Parts); k++ {
		edge := draw.LineStyle{Color: areaEdge(k - 1), Width: 0.8}
		for _, line := range a.upperEdge(k-1, tx, ty) {
			c.StrokeLines(edge, c.ClipLinesXY(line)...)
		}
	}
	// Names of parts are placed before labels of marks: a name must stand in its
	// part, a label can move along its line.
	labels := labeller{area: c.Rectangle}
	for _, m := range a.Marks {
		if m.Kind == table.AtX && a.X.usable(m.X) && c.ContainsX(tx(m.X)) {
			line := []vg.Point{{X: tx(m.X), Y: c.Min.Y}, {X: tx(m.X), Y: c.Max.Y}}
			c.StrokeLines(draw.LineStyle{Color: ink, Width: 0.8, Dashes: []vg.Length{1.5, 2}}, line)
			labels.along(m.Label, m.Kind, ink, line, eitherSide)
		}
	}
	name := textStyle(tickSize, ink)
	name.XAlign, name.YAlign = text.XCenter, text.YCenter
	for k, part := range a.Parts {
		label := printable(part.Name)
		w, h := name.Width(label), vg.Length(tickSize*1.3)
		at, ok := a.widest(k, w+6, h, tx, ty)
		// Without room in the picture, the name is in the legend alone.
		if !ok {
			continue
		}
		for _, part := range []vg.Length{0, 0.25, 0.5, 0.75, 1} {
			r := box(at, w, h)
			// Five points along the name and on both sides of it, heavier than any sum of lines:
			// no label of a mark may cover or touch it.
			for _, y := range []vg.Length{r.Min.Y - 3, at.Y, r.Max.Y + 3} {
				labels.avoid(vg.Point{X: r.Min.X + part*w, Y: y}, 1000)
			}
		}
		c.FillText(name, at, label)
	}
	// Areas are pale enough for letters without a ground, which would hide their edges.
	labels.place().texts(c)
}

// upperEdge returns the lines above part k, where it has a height: elsewhere the line would look
// like a part.
func (a areasPlotter) upperEdge(k int, tx, ty func(float64) vg.Length) (lines [][]vg.Point) {
	y := a.Parts[k].Y
	var line []vg.Point
	for i, x := range a.XS {
		if y[max(0, i-1)] == 0 && y[i] == 0 && y[min(len(y)-1, i+1)] == 0 {
			lines, line = append(lines, line), nil
			continue
		}
		line = append(line, vg.Point{X: tx(x), Y: ty(a.sums[k+1][i])})
	}
	return append(lines, line)
}

// widest returns the place within part k for a text of width w and height h: the middle of the
// stretch around its highest place where it is at least four fifths as high.
func (a areasPlotter) widest(
	k int, w, h vg.Length, tx, ty func(float64) vg.Length,
) (at vg.Point, ok bool) {
	left, right := tx(a.XS[0]), tx(a.XS[len(a.XS)-1])
	thick, middle := make([]vg.Length, len(a.XS)), make([]vg.Length, len(a.XS))
	most := 0
	for i, x := range a.XS {
		center := tx(x)
		if center-w/2 < left || center+w/2 > right {
			continue
		}
		low, high := vg.Length(math.Inf(-1)), vg.Length(math.Inf(1))
		for j := range a.XS { // the part over the whole width of the text
			if d := tx(a.XS[j]) - center; d >= -w/2 && d <= w/2 || j == i {
				low, high = max(low, ty(a.sums[k][j])), min(high, ty(a.sums[k+1][j]))
			}
		}
		for _, m := range a.Marks {
			// A name across the line of a mark would be struck through.
			if d := tx(m.X) - center; m.Kind == table.AtX && d > -w/2-2 && d < w/2+2 {
				high = low
			}
		}
		thick[i], middle[i] = high-low, (low+high)/2
		if thick[i] > thick[most] {
			most = i
		}
	}
	first, last := most, most
	for first > 0 && thick[first-1] >= thick[most]*0.8 {
		first--
	}
	for last < len(a.XS)-1 && thick[last+1] >= thick[most]*0.8 {
		last++
	}
	i, half := first, (tx(a.XS[first])+tx(a.XS[last]))/2
	for i < last && tx(a.XS[i]) < half {
		i++
	}
	return vg.Point{X: tx(a.XS[i]), Y: middle[i]}, thick[i] > h
}

func (a areas) title() string { return a.Title }
