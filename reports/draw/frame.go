package draw

import (
	"image/color"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// entry is a line of the legend.
type entry struct {
	name        string
	style       style
	line, glyph bool
	fill        *color.NRGBA // a box of this colour, outlined in that of the style
	hatched     bool         // the box
	diamond     bool         // that of a mark
}

// frame draws the title above a plot and the legend and notes below it. It returns the canvas for
// the plot.
func frame(c draw.Canvas, title string, entries []entry, notes []string) draw.Canvas {
	c = draw.Crop(c, margin, -margin, margin, -margin)
	full := c.Max.Y - c.Min.Y
	if title != "" {
		s := titleStyle()
		s.YAlign = text.YTop
		lines := wrap(s, title, c.Max.X-c.Min.X)
		if len(lines) > 2 {
			lines = []string{lines[0], strings.Join(lines[1:], " ")}
		}
		for i, line := range lines {
			at := vg.Point{X: c.Min.X, Y: c.Max.Y - titleSize*1.3*vg.Length(i)}
			c.FillText(s, at, shorten(s, line, c.Max.X-c.Min.X))
		}
		c.Max.Y -= titleSize * (1.7 + 1.3*vg.Length(max(0, len(lines)-1)))
	}
	// Notes come first since they stand lowest; each takes its height from the bottom.
	// At most 45 % of the height for both, so that the plot keeps about half.
	c.Min.Y += drawNotes(c, notes, full*0.15)
	c.Min.Y += drawLegend(c, entries, full*0.3)
	return c
}

// drawNotes writes the notes at the bottom of c, in at most the given height, and returns the
// height taken.
func drawNotes(c draw.Canvas, notes []string, height vg.Length) vg.Length {
	s := textStyle(noteSize, grey)
	leading := noteSize * 1.35
	var lines []string
	for _, n := range notes {
		lines = append(lines, wrap(s, printable(n), c.Max.X-c.Min.X)...)
	}
	if most := int(height / leading); len(lines) > most { // then one after the other, not below it
		lines = wrap(s, printable(strings.Join(notes, " ")), c.Max.X-c.Min.X)
	}
	// The last line shown ends with an ellipsis, so that a cut is seen. One line is always shown.
	if most := max(1, int(height/leading)); len(lines) > most {
		lines = lines[:most]
		lines[most-1] = shorten(s, lines[most-1]+" …", c.Max.X-c.Min.X)
	}
	if len(lines) == 0 {
		return 0
	}
	for i, line := range lines {
		y := c.Min.Y + leading*vg.Length(len(lines)-1-i)
		c.FillText(s, vg.Point{X: c.Min.X, Y: y}, line)
	}
	return leading*vg.Length(len(lines)) + 4
}

// drawLegend writes the entries in columns at the bottom of c, in at most the given height, and
// returns the height taken.
func drawLegend(c draw.Canvas, entries []entry, height vg.Length) vg.Length {
	if len(entries) == 0 {
		return 0
	}
	const gap = 16
	s := textStyle(tickSize, ink)
	leading := tickSize * 1.5
	width := c.Max.X - c.Min.X
	// All columns are as wide as the longest name needs. No name takes more than half of the
	// legend, so that two columns always fit.
	var column vg.Length
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = shorten(s, e.name, width/2-sampleSize-gap)
		column = max(column, sampleSize+5+s.Width(names[i]))
	}
	columns := min(len(entries), max(1, int((width+gap)/(column+gap))))
	rows := (len(entries) + columns - 1) / columns
	// As many columns as these rows need: five entries in four columns would leave a row of one.
	columns = (len(entries) + rows - 1) / rows
	rows = min(rows, max(1, int(height/leading)))
	const above, below = 6, 0
	taken := leading*vg.Length(rows) + above + below
	for i, e := range entries {
		x := c.Min.X + vg.Length(i%columns)*(column+gap)
		y := c.Min.Y + taken - above - leading*vg.Length(i/columns+1)
		// The last place tells how many names are missing, so that nobody takes the legend for
		// complete.
		if i == rows*columns-1 && len(entries) > rows*columns {
			more := "and " + numberLabel(float64(len(entries)-i)) + " more"
			c.FillText(s, vg.Point{X: x, Y: y}, shorten(s, more, column))
			break
		}
		mid := y + tickSize*0.55 // of the capitals: half their height, over the descent
		if e.fill != nil {
			r := rect(x+4, mid-4.5, x+sampleSize, mid+4.5)
			fillBox(c, r, *e.fill)
			if e.hatched {
				hatch(c, r, e.style.color)
			}
			strokeBox(c, r, e.style.color, 0.8)
		}
		if e.line {
			c.StrokeLine2(e.style.line(), x, mid, x+sampleSize, mid)
		}
		if e.glyph {
			c.DrawGlyphNoClip(e.style.glyph(), vg.Point{X: x + sampleSize/2, Y: mid})
		}
		if e.diamond {
			drawDiamond(c, e.style.color, vg.Point{X: x + sampleSize/2, Y: mid})
		}
		c.FillText(s, vg.Point{X: x + sampleSize + 5, Y: y}, names[i])
	}
	return taken
}
