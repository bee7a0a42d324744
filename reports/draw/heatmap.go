package draw

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"sort"

	"github.com/halfpeak/halfpeak/reports/table"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// check returns the ends of Z, or the first fault of the map. A single column or row
// has no neighbour, and so no width.
func (h heatMap) check() (lo, hi float64, err error) {
	if h.Names != nil && (len(h.Names) != len(h.XS) || len(h.Names) != len(h.YS)) {
		return 0, 0, fmt.Errorf("%d names for a map of %d columns and %d rows",
			len(h.Names), len(h.XS), len(h.YS))
	}
	if len(h.XS) < 2 || len(h.YS) < 2 || len(h.Z) != len(h.YS) {
		return 0, 0, errors.New("nothing to draw: a heat map has at least two columns and two rows")
	}
	if err := errors.Join(h.X.checkMiddles(h.XS), h.Y.checkMiddles(h.YS)); err != nil {
		return 0, 0, err
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, row := range h.Z {
		if len(row) != len(h.XS) {
			return 0, 0, fmt.Errorf("a row of %d cells in a map of %d columns", len(row), len(h.XS))
		}
		for _, z := range row { // a cell that is not finite was not measured
			if math.Abs(z) <= largest {
				lo, hi = min(lo, z), max(hi, z)
			}
		}
	}
	if lo > hi {
		return 0, 0, errors.New("nothing to draw: no cell has a value")
	}
	return lo, hi, nil
}

// painter draws the map and, on its right, the scale. The widths of the scale's
// numbers decide how much is left for the map.
func (h heatMap) painter() (func(draw.Canvas) axes, error) {
	lo, hi, err := h.check()
	if err != nil {
		return nil, err
	}
	steps := newSteps(lo, hi)
	if h.Changes {
		steps = changeSteps(lo, hi)
	}
	label := h.Value.title()
	return func(c draw.Canvas) axes {
		f := figure{table.Figure{Series: h.Lines, Marks: h.Marks}, h.X, h.Y}
		styles := map[string]style{}
		for i, s := range h.Lines {
			styles[s.Name] = style{ink, dashes[(i+1)%len(dashes)], glyphs[0]}
		}
		// Lines over the cells have no colours, which mean values here; dashes tell them apart.
		// Labels of marks are below: beside their marks they would cover cells.
		entries := f.legend(styles)
		in := cells{edges(h.XS, h.X), edges(h.YS, h.Y)}
		x, y := in.limits()
		h.Marks = slices.DeleteFunc(slices.Clone(h.Marks), func(m table.Mark) bool {
			return !x.holds(m.X) || !y.holds(m.Y)
		})
		for _, m := range h.Marks {
			entries = append(entries, entry{name: m.Label, style: style{color: ink}, diamond: true})
		}
		area := frame(c, h.Title, entries, h.Notes)
		bar := area
		scale := textStyle(tickSize, ink)
		widest := vg.Length(0)
		for _, v := range steps.ends {
			widest = max(widest, scale.Width(numberLabel(v)))
		}
		// 1.6 lines are for the upright title. Of the 22 points the box takes 14, the
		// tick with its gap 5, and the rest keeps the numbers off the title.
		bar.Min.X = area.Max.X - widest - labelSize*1.6 - 22
		area.Max.X = bar.Min.X - 14
		p := newScaledPlot(area, h.X, h.Y, x, y)
		if h.Names != nil {
			h.name(p, area)
		}
		inside := drawPlot(area, p, h.X.title(), h.Y.title(), func(c draw.Canvas, p *plot.Plot) {
			h.plot(c, p, in, steps, figurePlotter{f, styles, ink})
		})
		steps.draw(bar, inside, label)
		return axes{}
	}, nil
}

// name writes as many names along the axes as have room, those of the columns upright.
func (h heatMap) name(p *plot.Plot, area draw.Canvas) {
	s := &p.X.Tick.Label
	longest := vg.Length(0)
	for _, n := range h.Names {
		longest = max(longest, s.Width(n))
	}
	names := h.Names
	// Names of nodes may be full domain names; a quarter of the width leaves the map
	// most of the picture.
	most := (area.Max.X - area.Min.X) / 4
	if longest > most {
		names = make([]string, len(h.Names))
		for i, n := range h.Names {
			names[i] = shorten(*s, n, most)
		}
		longest = most
	}
	// Both axes have the same names, so the shorter one decides how many have room.
	// 20 points are for the labels of the axes.
	side := min(area.Max.X-area.Min.X, area.Max.Y-area.Min.Y) - longest - 20
	needed := float64(len(names)) * float64(s.FontExtents().Height) * 1.05 // of all names
	every := max(1, int(math.Ceil(needed/float64(side))))
	var across, up []plot.Tick
	for i := 0; i < len(names); i += every {
		// An upright name ends in its tick: the space keeps them apart.
		across = append(across, plot.Tick{Value: h.XS[i], Label: names[i] + " "})
		up = append(up, plot.Tick{Value: h.XS[i], Label: names[i]})
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.ConstantTicks(across), plot.ConstantTicks(up)
	// Upright names take the height of a line each, however long they are.
	s.Rotation, s.XAlign, s.YAlign = math.Pi/2, text.XRight, text.YCenter
}

// steps are the levels of a heat map: step i lies between ends i and i+1.
type steps struct {
	ends   []float64
	change bool // of a map of changes, whose colours part at 0
}

// newSteps chooses about ten steps with round ends, by factors where the values span many.
func newSteps(lo, hi float64) steps {
	// With eleven equal steps, all values below a twelfth of the largest would share the first.
	if lo > 0 && hi > 12*lo {
		ends := []float64{oneTwoFive(lo, math.Floor)}
		for ends[len(ends)-1] < hi*(1-1e-9) {
			// 1.5 times 1, 2 or 5 lies below the next of them.
			ends = append(ends, oneTwoFive(ends[len(ends)-1]*1.5, math.Ceil))
		}
		if len(ends) > 14 { // more shades cannot be told apart: powers of ten alone
			ends = []float64{math.Pow(10, math.Floor(math.Log10(lo)))}
			for ends[len(ends)-1] < hi {
				ends = append(ends, ends[len(ends)-1]*10)
			}
		}
		return steps{ends: ends}
	}
	// All cells are equal: one per cent around them still makes a scale.
	if hi <= lo+1e-9*math.Abs(lo) {
		hi = lo + max(1e-9, math.Abs(lo)/100)
	}
	// niceStep rounds up, so there are eleven steps or fewer, and one more for the round ends.
	step := niceStep((hi - lo) / 11)
	first := math.Floor(lo/step + 1e-9)
	var s steps
	for i := first; ; i++ {
		s.ends = append(s.ends, i*step)
		if i*step >= hi-1e-9*step && len(s.ends) > 1 {
			return s
		}
	}
}

// index returns the step that holds v. The ends are rounded outwards, so v leaves
// them at most by a rounding error, and then belongs to the first or the last step.
func (s steps) index(v float64) int {
	after := sort.Search(len(s.ends), func(i int) bool { return s.ends[i] > v })
	return max(0, min(after-1, len(s.ends)-2))
}

// ramp gets darker all the way, for eyes and for paper without colours: ColorBrewer's YlGnBu,
// without its palest and darkest.
var ramp = []color.NRGBA{
	{0xf7, 0xfb, 0xc8, 0xff},
	{0xd0, 0xec, 0xb3, 0xff},
	{0x95, 0xd6, 0xb9, 0xff},
	{0x52, 0xbc, 0xc2, 0xff},
	{0x24, 0x98, 0xc1, 0xff},
	{0x22, 0x67, 0xac, 0xff},
	{0x24, 0x3f, 0x97, 0xff},
	{0x0c, 0x22, 0x60, 0xff},
}

// Colours of steps on both sides of 0, from white: less in green, more in purple (ColorBrewer's
// PRGn), which differ for any kind of colour vision.
var (
	lessRamp = []color.NRGBA{
		{0xf0, 0xf7, 0xee, 0xff}, {0xa6, 0xdb, 0xa0, 0xff}, {0x5a, 0xae, 0x61, 0xff},
		{0x1b, 0x78, 0x37, 0xff},
	}
	unmeasured = color.NRGBA{0xd9, 0xd9, 0xd9, 0xff}
	moreRamp   = []color.NRGBA{
		{0xf3, 0xee, 0xf6, 0xff}, {0xc2, 0xa5, 0xcf, 0xff}, {0x99, 0x70, 0xab, 0xff},
		{0x76, 0x2a, 0x83, 0xff}, {0x40, 0x00, 0x4b, 0xff},
	}
)

// changeSteps returns the steps of a map of changes: the same in all maps, as far as the values go,
// so that the colours of two maps compare.
func changeSteps(lo, hi float64) steps {
	bounds := []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000}
	s := steps{ends: []float64{-1, 1}, change: true}
	for _, v := range bounds[1:] {
		if hi > s.ends[len(s.ends)-1] {
			s.ends = append(s.ends, v)
		}
		if lo < s.ends[0] {
			s.ends = append([]float64{-v}, s.ends...)
		}
	}
	return s
}

// changeColor returns the colour of the step of a map of changes: white around 0. The sixth step on
// each side and all beyond have the darkest colour.
func (s steps) changeColor(i int) color.NRGBA {
	const darkest = 5
	around := sort.SearchFloat64s(s.ends, 0) - 1
	ramp, k := moreRamp, i-around-1
	if i < around {
		ramp, k = lessRamp, around-1-i
	}
	if k < 0 {
		return white
	}
	at := float64(min(k, darkest)) / darkest * float64(len(ramp)-1)
	j := min(int(at), len(ramp)-2)
	return mix(ramp[j], ramp[j+1], at-float64(j))
}

// color spreads the steps over the whole ramp, however few they are; a single one
// takes the middle.
func (s steps) color(i int) color.NRGBA {
	if s.change {
		return s.changeColor(i)
	}
	at := 0.5 * float64(len(ramp)-1)
	if n := len(s.ends) - 1; n > 1 {
		at = float64(i) / float64(n-1) * float64(len(ramp)-1)
	}
	k := min(int(at), len(ramp)-2)
	return mix(ramp[k], ramp[k+1], at-float64(k))
}

// draw draws the scale of the steps into c, as high as the map beside it.
func (s steps) draw(c draw.Canvas, beside vg.Rectangle, label string) {
	const width = 14
	n := len(s.ends) - 1
	at := func(i int) vg.Length {
		return beside.Min.Y + vg.Length(i)/vg.Length(n)*(beside.Max.Y-beside.Min.Y)
	}
	number := textStyle(tickSize, ink)
	number.YAlign = text.YCenter
	// A quarter of a line between two numbers of the scale.
	every := 1
	for vg.Length(every)*(at(1)-at(0)) < tickSize*1.25 {
		every++
	}
	for i := range n {
		fillBox(c, rect(c.Min.X, at(i), c.Min.X+width, at(i+1)), s.color(i))
	}
	strokeBox(c, rect(c.Min.X, at(0), c.Min.X+width, at(n)), grey, 0.8)
	tick, right := draw.LineStyle{Color: grey, Width: 0.8}, c.Min.X+width
	for i := 0; i <= n; i += every {
		c.StrokeLine2(tick, right, at(i), right+3, at(i))
		c.FillText(number, vg.Point{X: right + 5, Y: at(i)}, numberLabel(s.ends[i]))
	}
	title := textStyle(labelSize, ink)
	title.XAlign, title.YAlign, title.Rotation = text.XCenter, text.YBottom, math.Pi/2
	height := beside.Max.Y - beside.Min.Y
	middle := vg.Point{X: c.Max.X, Y: beside.Min.Y + height/2}
	c.FillText(title, middle, shortenTitle(textStyle(labelSize, ink), label, height))
}

// cells are the edges of the columns and rows of a map.
type cells struct{ x, y []float64 }

// limits returns the outer edges as the ends of the axes: a margin would look like empty cells.
func (e cells) limits() (x, y limits) {
	return limits{e.x[0], e.x[len(e.x)-1]}, limits{e.y[0], e.y[len(e.y)-1]}
}

// fill calls paint for each run of cells of one kind in a row, with its rectangle and
// with one that laps over the next runs by a pixel, so that no gap shows: those to
// the right and above are painted later, and cover what laps over. Cells of a kind
// below 0 are left out.
func (e cells) fill(
	c draw.Canvas, p *plot.Plot,
	kind func(i, j int) int, paint func(kind int, r, lapped vg.Rectangle),
) {
	tx, ty := p.Transforms(&c)
	n := len(e.x) - 1
	for j := range len(e.y) - 1 {
		for i := 0; i < n; {
			k, from := kind(i, j), i
			for i < n && kind(i, j) == k {
				i++
			}
			if k < 0 {
				continue
			}
			r := rect(tx(e.x[from]), ty(e.y[j]), tx(e.x[i]), ty(e.y[j+1]))
			right, top := min(c.Max.X, r.Max.X+pixel), min(c.Max.Y, r.Max.Y+pixel)
			paint(k, r, rect(r.Min.X, r.Min.Y, right, top))
		}
	}
}

// plot draws the cells, joining neighbours in the same step, and the lines and marks over them.
func (h heatMap) plot(c draw.Canvas, p *plot.Plot, in cells, steps steps, over figurePlotter) {
	tx, ty := p.Transforms(&c)
	if h.Changes { // white is a value there
		fillBox(c, c.Rectangle, unmeasured)
	}
	in.fill(c, p, func(i, j int) int {
		if !(math.Abs(h.Z[j][i]) <= largest) {
			return -1
		}
		return steps.index(h.Z[j][i])
	}, func(step int, _, lapped vg.Rectangle) {
		fillBox(c, lapped, steps.color(step))
	})
	at := func(x, y float64) vg.Point { return vg.Point{X: tx(x), Y: ty(y)} }
	for _, s := range h.Lines {
		for _, run := range over.runs(s, at) {
			for _, l := range c.ClipLinesXY(run) {
				// A white rim keeps the line visible on dark cells.
				c.StrokeLines(draw.LineStyle{Color: white, Width: lineWidth * 2.2}, l)
				c.StrokeLines(over.styles[s.Name].line(), l)
			}
		}
	}
	for _, m := range h.Marks {
		drawDiamond(c, ink, at(m.X, m.Y))
	}
}

func (h heatMap) title() string { return h.Title }
