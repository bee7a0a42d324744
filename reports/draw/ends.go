package draw

import (
	"cmp"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/reports/table"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// endNames are the names of curves beside their right ends, where a reader finds them without a
// legend. All curves have one, or none has.
type endNames []endName

type endName struct {
	name  string
	style style
	y     float64 // of the curve's last point
}

// Of a figure with names at the ends of curves: the least width of the rest, so that a narrow
// picture has a legend below in place of a strip for the curves, the distance of the names from the
// axis, and how far a name may stand above or below its end.
const (
	leastPlot = vg.Length(330)
	endGap    = vg.Length(12)
	endShift  = tickSize * 1.3
)

// endNames returns the names and the width that they need on the right of the axes, or nil if there
// is no room: in a narrow picture, and where many curves end close together. A single curve is
// named by the title or the legend, and a name without a curve has only the legend.
func (f figure) endNames(
	c draw.Canvas, x, y limits, styles map[string]style,
) (names endNames, width vg.Length) {
	at := map[string]int{}
	for _, s := range f.Series {
		if s.Name == "" || len(s.X) == 0 {
			continue
		}
		if _, known := at[s.Name]; !known {
			at[s.Name] = len(names)
			names = append(names, endName{s.Name, styles[s.Name], math.NaN()})
		}
		for i := range s.X {
			// A curve that ends before the last 4 % of the axis would have its name far from it,
			// beside another curve.
			ends := s.Kind == table.Line && x.part(s.X[i], f.X.Log) > 0.96 && s.X[i] <= x.max
			if ends && f.Y.usable(s.Y[i]) && s.Y[i] >= y.min && s.Y[i] <= y.max {
				names[at[s.Name]].y = s.Y[i]
			}
		}
	}
	st := textStyle(tickSize, ink)
	for i := range names {
		if math.IsNaN(names[i].y) {
			return nil, 0
		}
		names[i].name = printable(names[i].name)
		width = max(width, endGap+st.Width(names[i].name))
	}
	size := c.Rectangle.Size()
	if len(names) < 2 || size.X-2*margin-width < leastPlot {
		return nil, 0
	}
	// The height of the axes is known when they are drawn; title, ticks, label and notes take about
	// this much.
	height := size.Y - 80 - 12*vg.Length(len(f.Notes))
	slices.SortStableFunc(names, func(a, b endName) int { return cmp.Compare(b.y, a.y) })
	ends := names.ends(y, f.Y.Log, 0, height)
	for i, where := range spread(ends, tickSize*1.25, 0, height) {
		if d := where - ends[i]; d > endShift || d < -endShift {
			return nil, 0
		}
	}
	return names, width
}

// part returns the place of v between the limits, from 0 to 1.
func (l limits) part(v float64, log bool) float64 {
	if log {
		return math.Log(v/l.min) / math.Log(l.max/l.min)
	}
	return (v - l.min) / (l.max - l.min)
}

// ends returns the heights at which the curves end, between the heights of the axis's ends.
func (n endNames) ends(y limits, log bool, from, to vg.Length) []vg.Length {
	all := make([]vg.Length, len(n))
	for i, e := range n {
		all[i] = from + vg.Length(y.part(e.y, log))*(to-from)
	}
	return all
}

// draw writes the names between the axes and the right edge of the picture.
func (n endNames) draw(c draw.Canvas, at axes, log bool, right vg.Length) {
	c.Max.X = right
	ends := n.ends(at.y, log, at.area.Min.Y, at.area.Max.Y)
	places := spread(ends, tickSize*1.25, at.area.Min.Y, at.area.Max.Y)
	for i, e := range n {
		st := textStyle(tickSize, e.style.color)
		st.YAlign = text.YCenter
		leader := draw.LineStyle{Color: e.style.color, Width: 0.8}
		c.StrokeLine2(leader, at.area.Max.X+1, ends[i], at.area.Max.X+endGap-2, places[i])
		c.FillText(st, vg.Point{X: at.area.Max.X + endGap, Y: places[i]}, e.name)
	}
}

// spread moves descending heights apart to the distance, between from and to, as little as it can:
// heights that are too close form a block around their mean, and blocks that touch become one.
func spread(heights []vg.Length, distance, from, to vg.Length) []vg.Length {
	type block struct {
		first, n int
		mean     vg.Length
	}
	span := func(b block) vg.Length { return distance * vg.Length(b.n-1) / 2 }
	var blocks []block
	for i, h := range heights {
		b := block{i, 1, h}
		for len(blocks) > 0 {
			last := blocks[len(blocks)-1]
			// The isotonic regression of pool-adjacent-violators: merging a block with the one
			// before it until none is too close gives the least sum of squared shifts.
			if last.mean-span(last) >= b.mean+span(b)+distance {
				break
			}
			n := vg.Length(last.n + b.n)
			mean := (last.mean*vg.Length(last.n) + b.mean*vg.Length(b.n)) / n
			b = block{last.first, last.n + b.n, mean}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	places := make([]vg.Length, len(heights))
	for _, b := range blocks {
		middle := max(from+span(b), min(to-span(b), b.mean))
		for i := range b.n {
			places[b.first+i] = middle + span(b) - distance*vg.Length(i)
		}
	}
	return places
}
