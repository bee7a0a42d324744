package draw

import (
	"image/color"
	"math"
	"sort"
	"strings"
	"unicode"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the theme, in points; 600×375 points are 800×500 pixels. They do not grow with the
// picture, so a larger picture has room for more labels.
const (
	titleSize  = vg.Length(12)
	labelSize  = vg.Length(10.5)
	tickSize   = vg.Length(9.5)
	noteSize   = vg.Length(8.5)
	margin     = vg.Length(10)
	lineWidth  = vg.Length(1.5)
	glyphSize  = vg.Length(2.8)
	barCap     = vg.Length(2.5)
	sampleSize = vg.Length(28) // the length of a line in the legend
)

// ink is nearly black and not black: full black on white tires the eye, and grid and axes must stay
// behind the data. grey still has a contrast of 5.7 to white, so notes in it can be read.
var (
	ink   = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	grey  = color.NRGBA{0x66, 0x66, 0x66, 0xff}
	faint = color.NRGBA{0xe4, 0xe4, 0xe4, 0xff}
	white = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// pixel is the length of 1/96 inch.
const pixel = vg.Inch / 96

// palette begins with eight colours that are distinct on white for any kind of colour vision: Okabe
// and Ito's, a little darker, with a brown for the yellow, which has too little contrast for a line
// on white. The last four differ for most people. A test holds every colour to a contrast of at
// least 2.9 by the formula of WCAG.
var palette = []color.NRGBA{
	{0x00, 0x62, 0xa8, 0xff}, // blue
	{0xc8, 0x4c, 0x00, 0xff}, // vermilion
	{0x00, 0x8a, 0x64, 0xff}, // green
	{0xb0, 0x52, 0x8c, 0xff}, // purple
	{0x22, 0x22, 0x22, 0xff}, // black
	{0xc8, 0x84, 0x00, 0xff}, // orange
	{0x38, 0x92, 0xc8, 0xff}, // sky
	{0x7a, 0x4a, 0x2a, 0xff}, // brown
	{0xd0, 0x2c, 0x5c, 0xff}, // crimson
	{0x72, 0x7c, 0x00, 0xff}, // olive
	{0x54, 0x44, 0xb4, 0xff}, // indigo
	{0x80, 0x80, 0x80, 0xff}, // grey
}

// dashes are patterns of eight lines beside each other, which so differ in print too.
var dashes = [][]vg.Length{
	nil,
	{7, 2.5},
	{2, 2},
	{8, 2, 2, 2},
	{12, 3},
	{4, 2},
	{8, 2, 2, 2, 2, 2},
	{1.2, 3},
}

// glyphs are shapes of the points of eight series beside each other.
var glyphs = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
	hollow{draw.CircleGlyph{}, draw.RingGlyph{}},
	hollow{draw.BoxGlyph{}, draw.SquareGlyph{}},
	hollow{draw.PyramidGlyph{}, draw.TriangleGlyph{}},
	draw.CrossGlyph{}, draw.PlusGlyph{},
}

// hollow is an outline filled with white: a line through the hole would make it look full.
type hollow struct{ fill, outline draw.GlyphDrawer }

func (h hollow) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, pt vg.Point) {
	c.SetColor(white)
	h.fill.DrawGlyph(c, sty, pt)
	c.SetColor(sty.Color)
	h.outline.DrawGlyph(c, sty, pt)
}

// style is the look of the series of one name.
type style struct {
	color  color.NRGBA
	dashes []vg.Length
	shape  draw.GlyphDrawer
}

// newStyle returns the style of the i-th name. Colour, dashes and glyph all differ among the first
// eight, and the colour among twelve; later names combine the same colours with other dashes and
// glyphs. The shift by one pairs each colour with the next pattern in each round of the palette.
func newStyle(i int) style {
	n := len(palette)
	return style{palette[i%n], dashes[(i+i/n)%len(dashes)], glyphs[(i+i/n)%len(glyphs)]}
}

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: lineWidth, Dashes: s.dashes}
}

// bar returns the line of an error bar, thinner than a curve: the measurement counts, and hundreds
// of bars beside each other would make a black band.
func (s style) bar() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: 0.9}
}

func (s style) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: glyphSize, Shape: s.shape}
}

// dot returns the glyph for a line with one point.
func (s style) dot() draw.GlyphStyle {
	return draw.GlyphStyle{Color: s.color, Radius: lineWidth, Shape: draw.CircleGlyph{}}
}

// tint mixes c into white: 1 is c, 0 is white. It is opaque, unlike a colour with
// alpha, so that a band over the grid looks the same in all formats.
func tint(c color.NRGBA, part float64) color.NRGBA { return mix(white, c, part) }

// mix returns the colour at a part of the way from a to b.
func mix(a, b color.NRGBA, part float64) color.NRGBA {
	at := func(a, b uint8) uint8 { return uint8(float64(a) + part*(float64(b)-float64(a)) + 0.5) }
	return color.NRGBA{at(a.R, b.R), at(a.G, b.G), at(a.B, b.B), 0xff}
}

// drawDiamond draws the glyph of a mark. No series has a diamond, so a mark on a curve is not taken
// for one of its measurements.
func drawDiamond(c draw.Canvas, col color.Color, pt vg.Point) {
	const r = 3.6
	corners := []vg.Point{
		{X: pt.X - r, Y: pt.Y},
		{X: pt.X, Y: pt.Y + r},
		{X: pt.X + r, Y: pt.Y},
		{X: pt.X, Y: pt.Y - r},
		{X: pt.X - r, Y: pt.Y}, // again, which closes the outline
	}
	c.FillPolygon(white, corners)
	c.StrokeLines(draw.LineStyle{Color: col, Width: 1.2}, corners)
}

// textStyle returns the sans font in the given size. Liberation is embedded by gonum, so that a
// picture has the same letters and places of labels on every system.
func textStyle(size vg.Length, col color.Color) text.Style {
	return text.Style{
		Color:   col,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		XAlign:  text.XLeft,
		YAlign:  text.YBottom,
		Handler: plot.DefaultTextHandler,
	}
}

func titleStyle() text.Style {
	s := textStyle(titleSize, ink)
	s.Font.Weight = xfont.WeightBold
	return s
}

// newPlot returns a plot in the theme. The alignment of gonum's tick labels is kept,
// since it differs between the axes.
func newPlot() *plot.Plot {
	p := plot.New()
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		// gonum sets the axes apart from the data; halfpeak's curves begin at the axis.
		a.Padding = 0
		a.LineStyle = draw.LineStyle{Color: grey, Width: 0.8}
		a.Tick.LineStyle = draw.LineStyle{Color: grey, Width: 0.8}
		a.Tick.Length = 4
		xa, ya := a.Tick.Label.XAlign, a.Tick.Label.YAlign
		a.Tick.Label = textStyle(tickSize, ink)
		a.Tick.Label.XAlign, a.Tick.Label.YAlign = xa, ya
	}
	return p
}

// newScaledPlot returns a plot for c whose axes have these ends.
func newScaledPlot(c draw.Canvas, xa, ya axis, x, y limits) *plot.Plot {
	p := newPlot()
	// The labels of the axes take about 60 and 40 points. Their true sizes are known only when the
	// ticks are, so the ticks are chosen for this estimate.
	x.apply(&p.X, xa, c.Max.X-c.Min.X-60, horizontal)
	y.apply(&p.Y, ya, c.Max.Y-c.Min.Y-40, vertical)
	return p
}

// drawPlot draws p with the labels of its axes into c, and calls inside to draw between the axes,
// whose rectangle it returns. The labels are drawn here because gonum makes room for them as if
// every axis were linear.
func drawPlot(
	c draw.Canvas, p *plot.Plot, x, y string, inside func(draw.Canvas, *plot.Plot),
) vg.Rectangle {
	s := textStyle(labelSize, ink)
	s.XAlign = text.XCenter
	// One line of text and its distance from the ticks.
	inner := c
	if x != "" {
		inner.Min.Y += labelSize * 1.6
	}
	if y != "" {
		inner.Min.X += labelSize * 1.6
	}
	p.Draw(inner)
	data := p.DataCanvas(inner)
	inside(data, p)
	x = shortenTitle(s, x, data.Max.X-data.Min.X)
	c.FillText(s, vg.Point{X: data.Center().X, Y: c.Min.Y}, x)
	s.YAlign = text.YTop
	s.Rotation = math.Pi / 2
	// shorten measures along x, so it gets a style that is not turned.
	y = shortenTitle(textStyle(labelSize, ink), y, data.Max.Y-data.Min.Y)
	c.FillText(s, vg.Point{X: c.Min.X, Y: data.Center().Y}, y)
	return data.Rectangle
}

var gridLine = draw.LineStyle{Color: faint, Width: 0.6}

// drawUprights draws a faint line at each labelled tick of x, and none at the ticks between them:
// on a logarithmic axis these would crowd before each power of ten.
func drawUprights(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if t.Label != "" {
			c.StrokeLine2(gridLine, tx(t.Value), c.Min.Y, tx(t.Value), c.Max.Y)
		}
	}
}

// rect returns the rectangle with these corners, in any order.
func rect(x1, y1, x2, y2 vg.Length) vg.Rectangle {
	return vg.Rectangle{
		Min: vg.Point{X: min(x1, x2), Y: min(y1, y2)},
		Max: vg.Point{X: max(x1, x2), Y: max(y1, y2)},
	}
}

func fillBox(c draw.Canvas, r vg.Rectangle, fill color.Color) {
	c.SetColor(fill)
	c.Fill(r.Path())
}

func strokeBox(c draw.Canvas, r vg.Rectangle, edge color.Color, width vg.Length) {
	c.SetLineStyle(draw.LineStyle{Color: edge, Width: width})
	c.Stroke(r.Path())
}

// hatch draws slanted lines into a rectangle.
func hatch(c draw.Canvas, r vg.Rectangle, col color.NRGBA) {
	const gap = 5
	height := r.Max.Y - r.Min.Y
	inside := draw.Canvas{Canvas: c.Canvas, Rectangle: r}
	// The lines of all rectangles lie on one lattice, so that they meet across borders.
	first := vg.Length(math.Floor(float64((r.Min.X-height+r.Min.Y)/gap))) * gap
	for at := first - r.Min.Y; at < r.Max.X; at += gap {
		slanted := []vg.Point{{X: at, Y: r.Min.Y}, {X: at + height, Y: r.Max.Y}}
		c.StrokeLines(draw.LineStyle{Color: col, Width: 0.7}, inside.ClipLinesXY(slanted)...)
	}
}

// shorten returns s in one line of at most the given width, with an ellipsis if its end is cut off.
func shorten(st text.Style, s string, width vg.Length) string {
	s = printable(s)
	if st.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	// A search by halves, since the width of a text grows with its letters; measuring is slow.
	cut := func(n int) string { return strings.TrimRight(string(runes[:n]), " ") + "…" }
	n := sort.Search(len(runes), func(n int) bool { return st.Width(cut(n+1)) > width })
	if n == 0 {
		return ""
	}
	return cut(n)
}

// shortenTitle is shorten for the title of an axis, which keeps its unit: the numbers need it.
func shortenTitle(st text.Style, s string, width vg.Length) string {
	at := strings.LastIndex(s, " (")
	if at < 0 || st.Width(printable(s)) <= width {
		return shorten(st, s, width)
	}
	unit := printable(s[at+1:])
	return strings.TrimLeft(shorten(st, s[:at], width-st.Width(" "+unit))+" "+unit, " ")
}

// wrap breaks s between words into lines of at most the given width. A word that is longer than a
// line, such as a path, is cut off: broken anywhere it could not be copied either.
func wrap(st text.Style, s string, width vg.Length) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && st.Width(line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimLeft(line+" "+shorten(st, word, width), " ")
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// printable returns s on one line, with question marks for runes that no font shows, such as those
// that change the direction of writing. Names in pictures come from users' files and may hold
// anything, and a line break would leave the place that was measured.
func printable(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c) || unicode.IsControl(c):
			return ' '
		case !unicode.IsPrint(c):
			return '?'
		}
		return c
	}, s)
}
