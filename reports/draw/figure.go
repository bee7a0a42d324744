package draw

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/reports/table"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// check returns an error for unequal lengths and unknown kinds: figures also come from users of the
// library.
func (f figure) check() error {
	for _, s := range f.Series {
		switch s.Kind {
		case table.Line, table.Points, table.Band, table.Beyond:
		default:
			return fmt.Errorf("series %q: unknown kind %q", s.Name, s.Kind)
		}
		n := len(s.Y)
		if len(s.X) != n || s.Low != nil && len(s.Low) != n || s.High != nil && len(s.High) != n {
			return fmt.Errorf("series %q: x, y, low and high differ in length", s.Name)
		}
	}
	for _, m := range f.Marks {
		if m.Kind != table.AtPoint && m.Kind != table.AtX && m.Kind != table.AtY {
			return fmt.Errorf("mark %q: unknown kind %q", m.Label, m.Kind)
		}
	}
	return nil
}

// title returns the title of the figure or, without one, its labels: an SVG needs a
// name.
func (f figure) title() string {
	if f.Title == "" {
		return f.Y.title() + " against " + f.X.title()
	}
	return f.Title
}

// painter draws one panel inside a frame; a [Stack] draws several.
func (f figure) painter() (func(draw.Canvas) axes, error) {
	panel, notes, err := f.panel()
	if err != nil {
		return nil, err
	}
	x, y, _, err := f.limits()
	if err != nil {
		return nil, err
	}
	return func(c draw.Canvas) axes {
		styles := f.styles()
		names, width := f.endNames(c, x, y, styles)
		if names == nil {
			return panel(frame(c, f.Title, f.legend(styles), notes))
		}
		area := frame(c, f.Title, nil, notes)
		right := area.Max.X
		area.Max.X -= width
		at := panel(area)
		names.draw(area, at, f.Y.Log, right)
		return at
	}, nil
}

// panel checks the figure. It returns a function that draws the axes and the area
// between them, and the notes under them. All errors come from here, before anything
// is drawn.
func (f figure) panel() (paint func(draw.Canvas) axes, notes []string, err error) {
	if err := f.check(); err != nil {
		return nil, nil, err
	}
	x, y, left, err := f.limits()
	if err != nil {
		return nil, nil, err
	}
	// Points that are left out are counted in the picture itself, which travels without its text.
	notes = f.Notes
	if left > 0 {
		// The full slice expression copies: the notes belong to the caller.
		notes = append(notes[:len(notes):len(notes)],
			fmt.Sprintf("Left out: %d points that these axes cannot show.", left))
	}
	inside := figurePlotter{f, f.styles(), grey}
	return func(area draw.Canvas) axes {
		p := newScaledPlot(area, f.X, f.Y, x, y)
		return axes{drawPlot(area, p, f.X.title(), f.Y.title(), inside.plot), x, y}
	}, notes, nil
}

// limits returns the ends of the axes, and how many points they leave out. Bounds of
// intervals and marks widen the axes, but a figure of these alone has nothing to
// compare them with: that is an error.
func (f figure) limits() (x, y limits, left int, err error) {
	var xs, ys []float64
	for _, s := range f.Series {
		for i := range s.X {
			if s.Kind == table.Line && math.IsNaN(s.Y[i]) {
				continue // a gap, which is meant
			}
			if !f.X.usable(s.X[i]) || !f.Y.usable(s.Y[i]) {
				left++
				continue
			}
			xs, ys = append(xs, s.X[i]), append(ys, s.Y[i])
			low, high := s.Bounds(i)
			for _, v := range []float64{low, high} {
				// A bound that cannot be drawn, such as one below 0 on a logarithmic axis, does not
				// take its point along.
				if f.Y.usable(v) {
					ys = append(ys, v)
				}
			}
		}
	}
	if len(xs) == 0 {
		if left > 0 {
			return x, y, left, fmt.Errorf(
				"nothing to draw: none of the %d points is a number that its axis can show", left)
		}
		return x, y, left, errors.New("nothing to draw: no points")
	}
	// Room for the label of a level line, which stands above it, on a logarithmic axis: one text of
	// the fifteen that an axis is high. On a linear one the round end leaves enough.
	room := min(1.6, math.Pow(slices.Max(ys)/slices.Min(ys), 1./15))
	for _, m := range f.Marks {
		// Marks widen the axes: a roof above all measurements is what the picture is for.
		if m.Kind != table.AtX && f.Y.usable(m.Y) {
			ys = append(ys, m.Y)
			if m.Kind == table.AtY && m.Label != "" && f.Y.Log {
				ys = append(ys, m.Y*room)
			}
		}
		if m.Kind != table.AtY && f.X.usable(m.X) {
			xs = append(xs, m.X)
		}
	}
	if x, err = f.X.limits(xs); err != nil {
		return x, y, left, err
	}
	y, err = f.Y.limits(ys)
	return x, y, left, err
}

// styles returns the style of each name of a series, by the order of their first use.
// A model and its measurements share a name, and so a colour.
func (f figure) styles() map[string]style {
	styles := map[string]style{}
	for _, s := range f.Series {
		if _, ok := styles[s.Name]; !ok {
			styles[s.Name] = newStyle(len(styles))
		}
	}
	return styles
}

// legend returns an entry for each name. Its sample shows all that the series of that
// name are drawn with: a line, a glyph, a filling. The filling is that of the Band if
// there is one, since Beyond is only its pale continuation.
func (f figure) legend(styles map[string]style) []entry {
	var entries []entry
	for _, s := range f.Series {
		if s.Name == "" || len(s.X) == 0 {
			continue
		}
		i := slices.IndexFunc(entries, func(e entry) bool { return e.name == s.Name })
		if i < 0 {
			i = len(entries)
			entries = append(entries, entry{name: s.Name, style: styles[s.Name]})
		}
		entries[i].line = entries[i].line || s.Kind == table.Line
		entries[i].glyph = entries[i].glyph || s.Kind == table.Points
		if s.Kind == table.Band || s.Kind == table.Beyond && entries[i].fill == nil {
			fill := filling(s.Kind, styles[s.Name].color)
			entries[i].fill = &fill
		}
	}
	return entries
}

type figurePlotter struct {
	figure
	styles map[string]style
	marks  color.NRGBA // of marks without a series
}

// plot draws level and upright lines, bands, lines, points and marks, in this order: from what
// fills most to what fills least, so that nothing is covered whole. Labels go where they hide the
// least; the ground behind their letters lies below all curves, so that it never erases one.
func (f figurePlotter) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	drawUprights(c, p)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" {
			c.StrokeLine2(gridLine, c.Min.X, ty(t.Value), c.Max.X, ty(t.Value))
		}
	}
	var labels labeller
	labels.area = c.Rectangle
	at := func(x, y float64) vg.Point { return vg.Point{X: tx(x), Y: ty(y)} }
	f.plotMarkLines(c, &labels, tx, ty)
	f.avoidSeries(c, &labels, at)
	diamonds := f.plotMarks(c, &labels, at)
	placed := labels.place()
	placed.grounds(c)
	f.plotBands(c, at)
	f.plotLines(c, at)
	f.plotPoints(c, at)
	for _, draw := range diamonds {
		draw()
	}
	placed.texts(c)
}

// avoidSeries makes obstacles of the curves, points and error bars.
// Bands are no obstacles: they are pale, and a picture with a wide one would leave labels no
// place.
func (f figurePlotter) avoidSeries(
	c draw.Canvas, labels *labeller, at func(x, y float64) vg.Point,
) {
	for _, s := range f.Series {
		switch s.Kind {
		case table.Line:
			for _, run := range f.runs(s, at) {
				for _, l := range c.ClipLinesXY(run) {
					labels.avoidLine(l, 3)
				}
			}
		case table.Points:
			for i := range s.X {
				if !f.X.usable(s.X[i]) || !f.Y.usable(s.Y[i]) {
					continue
				}
				if bar, _ := f.errorBar(s, i, at, c.Rectangle); bar != nil {
					labels.avoidLine(bar, 3)
				}
				// A point hides more than a piece of a line: a label over it would look like one
				// more point.
				labels.avoid(at(s.X[i], s.Y[i]), 6)
			}
		}
	}
}

// plotMarkLines draws the lines of marks at a value of x or y, and adds their labels.
func (f figurePlotter) plotMarkLines(
	c draw.Canvas, labels *labeller, tx, ty func(float64) vg.Length,
) {
	var levels []level
	var uprights []level // their labels have more places than those of level lines
	for _, m := range f.Marks {
		var line []vg.Point
		switch {
		case m.Kind == table.AtX && f.X.usable(m.X):
			line = []vg.Point{{X: tx(m.X), Y: c.Min.Y}, {X: tx(m.X), Y: c.Max.Y}}
		case m.Kind == table.AtY && f.Y.usable(m.Y):
			line = []vg.Point{{X: c.Min.X, Y: ty(m.Y)}, {X: c.Max.X, Y: ty(m.Y)}}
		default:
			continue
		}
		// Axes with ends of their own may leave a mark outside, which then has no line to label.
		for _, l := range c.ClipLinesXY(line) {
			c.StrokeLines(f.markLine(m), l)
			if m.Kind == table.AtX {
				labels.avoidLine(l, 3) // crosses letters, where a level line only underlines them
			} else {
				labels.avoidLine(l, 1)
			}
			if m.Kind == table.AtY {
				levels = append(levels, level{f.MarkLabel(m, table.Fixed), f.markColor(m), l})
			} else {
				uprights = append(uprights, level{m.Label, f.markColor(m), l})
			}
		}
	}
	labels.levels(levels)
	labels.uprights(uprights)
}

// plotBands draws the bands of all series below everything else, the highest first, so that none
// covers a narrower one. Lines have bands too, if they have Low and High; points have error bars
// instead.
func (f figurePlotter) plotBands(c draw.Canvas, at func(x, y float64) vg.Point) {
	type band struct {
		outline
		style style
		kind  table.SeriesKind
	}
	var all []band
	for _, s := range f.Series {
		for _, o := range f.bands(s, at, c.Rectangle) {
			all = append(all, band{o, f.styles[s.Name], s.Kind})
		}
	}
	slices.SortStableFunc(all, func(a, b band) int { return cmp.Compare(b.height(), a.height()) })
	for _, b := range all {
		c.FillPolygon(filling(b.kind, b.style.color), c.ClipPolygonXY(b.polygon()))
	}
	for _, b := range all { // over all fillings, so that overlapping bands are distinct
		lines := slices.Concat(c.ClipLinesXY(b.under), c.ClipLinesXY(b.over))
		c.StrokeLines(b.style.edge(b.kind), lines...)
	}
}

// plotLines draws the lines. A point between two gaps is drawn as a dot, or it would not be seen.
func (f figurePlotter) plotLines(c draw.Canvas, at func(x, y float64) vg.Point) {
	for _, s := range f.Series {
		if s.Kind != table.Line {
			continue
		}
		for _, run := range f.runs(s, at) {
			for _, l := range c.ClipLinesXY(run) {
				c.StrokeLines(f.styles[s.Name].line(), l)
			}
			if len(run) == 1 {
				c.DrawGlyph(f.styles[s.Name].dot(), run[0])
			}
		}
	}
}

// plotPoints draws the points over their error bars.
func (f figurePlotter) plotPoints(c draw.Canvas, at func(x, y float64) vg.Point) {
	for _, s := range f.Series {
		if s.Kind != table.Points {
			continue
		}
		st := f.styles[s.Name]
		for i := range s.X {
			if !f.X.usable(s.X[i]) || !f.Y.usable(s.Y[i]) {
				continue
			}
			pt := at(s.X[i], s.Y[i])
			// Bars are drawn even where the point itself is outside the frame, above or below.
			if bar, ended := f.errorBar(s, i, at, c.Rectangle); bar != nil && c.ContainsX(pt.X) {
				c.StrokeLines(st.bar(), bar)
				for k, end := range bar {
					// Without a cap, a bar that reaches the frame does not seem to end there.
					if ended[k] {
						c.StrokeLine2(st.bar(), pt.X-barCap, end.Y, pt.X+barCap, end.Y)
					}
				}
			}
			c.DrawGlyph(st.glyph(), pt)
		}
	}
}

// plotMarks adds the labels of marks at points, and returns the drawing of their diamonds, which
// lie over the leaders of the labels.
func (f figurePlotter) plotMarks(
	c draw.Canvas, labels *labeller, at func(x, y float64) vg.Point,
) (diamonds []func()) {
	for _, m := range f.Marks {
		if m.Kind != table.AtPoint || !f.X.usable(m.X) || !f.Y.usable(m.Y) {
			continue
		}
		pt := at(m.X, m.Y)
		if !c.Contains(pt) {
			continue
		}
		labels.avoid(pt, 8)
		labels.around(m, f.markColor(m), pt)
		diamonds = append(diamonds, func() { drawDiamond(c, f.markColor(m), pt) })
	}
	return diamonds
}

// markColor returns the colour of a mark's series, so that it is clear which curve a
// knee belongs to.
func (f figurePlotter) markColor(m table.Mark) color.NRGBA {
	if s, ok := f.styles[m.Series]; ok && m.Series != "" {
		return s.color
	}
	return f.marks
}

// markLine returns a line thinner than a model's. Upright ones are dotted, to differ
// from the grid.
func (f figurePlotter) markLine(m table.Mark) draw.LineStyle {
	s := draw.LineStyle{Color: f.markColor(m), Width: 0.8}
	if m.Kind == table.AtX {
		s.Dashes = []vg.Length{1.5, 2}
	}
	return s
}
