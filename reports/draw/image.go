package draw

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// ImageFormats lists the formats of [WriteImage], which are also the extensions of their files.
var ImageFormats = []string{"png", "svg", "pdf"}

// WriteImage draws the picture to w. Ext is png, svg or pdf, with or without a dot before it; width
// and height are pixels of 1/96 inch, from 320×240 to 10000×10000. Axes of times and rates have the
// units of the choice; without one, times above 1,000 µs are in ms, and those above 10⁶ µs in s, or
// each tick of a logarithmic axis has its unit.
// The errors are those of w, an ext or a size that cannot be, and a picture without anything to
// draw.
func WriteImage(w io.Writer, p table.Picture, ext string, width, height int,
	units quantity.UnitChoice) error {
	d, err := drawingOf(p)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := writeImage(&b, d.in(units), ext, width, height); err != nil {
		return err
	}
	// A reader's font for letters that ours lack has other widths: they take the room that was
	// measured.
	content := svgText.ReplaceAllFunc(b.Bytes(), func(element []byte) []byte {
		if text, width := svgWidth(string(element)); lacksGlyphs(text) {
			fit := fmt.Sprintf(`<text textLength="%.4g" lengthAdjust="spacingAndGlyphs"`, width)
			return append([]byte(fit), element[len("<text"):]...)
		}
		return element
	})
	_, err = w.Write(content)
	return err
}

// writeImage is WriteImage; it also returns the place of the axes, which a script on
// a page needs to find the values under the pointer.
func writeImage(w io.Writer, p drawing, ext string, width, height int) (at axes, err error) {
	paint, err := p.painter()
	if err != nil {
		return at, err
	}
	// Below, the labels have no room; above, a PNG takes more than 400 MB of memory while it is
	// drawn.
	if width < 320 || height < 240 || width > 10000 || height > 10000 {
		return at, fmt.Errorf("a picture of %d×%d pixels is not possible; "+
			"choose from 320×240 to 10000×10000", width, height)
	}
	wd, ht := vg.Length(width)*pixel, vg.Length(height)*pixel
	var canvas vg.CanvasWriterTo
	switch strings.ToLower(strings.TrimPrefix(ext, ".")) {
	case "png":
		image := vgimg.NewWith(vgimg.UseWH(wd, ht), vgimg.UseDPI(96))
		canvas = codedCanvas{kernedCanvas{vgimg.PngCanvas{Canvas: image}}}
	case "svg":
		canvas = vgsvg.New(wd, ht)
	case "pdf":
		canvas = codedCanvas{newPDF(wd, ht)}
	default:
		return at, fmt.Errorf("cannot draw a picture of kind %q; choose one of %s",
			ext, strings.Join(ImageFormats, ", "))
	}
	c := draw.New(canvas)
	c.SetColor(white)
	// Without a ground of its own, a picture would be unreadable on a dark page.
	c.Fill(c.Path())
	at = paint(c)
	var b bytes.Buffer
	if _, err := canvas.WriteTo(&b); err != nil {
		return at, err
	}
	// If Liberation is not installed, fonts of the same widths serve.
	content := bytes.ReplaceAll(b.Bytes(),
		[]byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	_, err = w.Write(titled(content, p.title()))
	return at, err
}

// svgText matches a text as gonum writes it.
var svgText = regexp.MustCompile(`(?s)<text ([^>]*?)\s*style="font-family:[^"]*?` +
	`font-weight:(\w+);font-style:normal;font-size:([0-9.]+)px;fill:(#\w+)">([^<]*)</text>`)

// svgWidth returns the text of an element that [svgText] matches, and its width in our font.
func svgWidth(element string) (content string, width float64) {
	m := svgText.FindStringSubmatch(element)
	size, err := strconv.ParseFloat(m[3], 64)
	if err != nil {
		panic(err) // gonum wrote it
	}
	st := textStyle(vg.Length(size), ink)
	if m[2] == "bold" {
		st = titleStyle()
		st.Font.Size = vg.Length(size)
	}
	content = html.UnescapeString(m[5])
	return content, float64(st.Width(content))
}

// titled adds the title to an SVG file, whose readers show it as the name of the picture. Other
// kinds of file stay as they are.
func titled(file []byte, title string) []byte {
	before, after, svg := bytes.Cut(file, []byte("<svg"))
	if !svg || title == "" {
		return file
	}
	attributes, content, _ := bytes.Cut(after, []byte(">"))
	element := "\n<title>" + html.EscapeString(table.OneLine(title)) + "</title>"
	return slices.Concat(before, []byte("<svg"), attributes, []byte(">"+element), content)
}

func (s stack) title() string { return s[0].title() }

// painter returns a function that draws the stack. Only the first figure has a
// legend, so the figures below it should use its names. The notes of all stand
// together below: between panels they would tear apart what shares an axis.
func (s stack) painter() (func(draw.Canvas) axes, error) {
	if len(s) == 0 {
		return nil, errors.New("nothing to draw: no figures")
	}
	panels := make([]func(draw.Canvas) axes, len(s))
	var notes []string
	for i, f := range s {
		paint, more, err := f.panel()
		if err != nil {
			return nil, err
		}
		panels[i] = paint
		notes = append(notes, more...)
	}
	return func(c draw.Canvas) axes {
		c = frame(c, s[0].Title, s[0].legend(s[0].styles()), notes)
		areas := make([]draw.Canvas, len(panels))
		lefts := make([]vg.Length, len(panels))
		most, top := vg.Length(0), c.Max.Y
		for i, paint := range panels {
			// The first figure has the data; residuals need less height.
			share := vg.Length(2) / 3
			if i > 0 {
				share = vg.Length(1) / 3 / vg.Length(len(panels)-1)
			}
			area := c
			area.Max.Y = top
			area.Min.Y = top - share*(c.Max.Y-c.Min.Y)
			top = area.Min.Y
			areas[i] = area
			// Drawn once to see where the axis goes: its ticks depend on the size of the panel.
			size := area.Size()
			trial := draw.Canvas{Canvas: vgsvg.New(size.X, size.Y), Rectangle: area.Rectangle}
			lefts[i] = paint(trial).area.Min.X
			most = max(most, lefts[i])
		}
		for i, paint := range panels {
			// All panels begin at the farthest axis, so that the same x stands at the same place in
			// each.
			areas[i].Min.X += most - lefts[i]
			paint(areas[i])
		}
		return axes{}
	}, nil
}

// A kernedCanvas is a canvas of pixels on which pairs of letters are as far apart as the font says.
// Package x/image/font/opentype, by which vgimg draws, takes the distance for a font of one size:
// at ours, "Te" overlaps and the space before an A is gone. So a text is drawn in pieces that end
// within such pairs, each where its width says that it begins.
type kernedCanvas struct{ vgimg.PngCanvas }

func (c kernedCanvas) FillString(f font.Face, at vg.Point, text string) {
	begin, last := 0, -1 // of the piece, and the letter before
	for i, r := range text {
		if last >= 0 {
			pair := text[last : i+len(string(r))]
			alone := f.Width(text[last:i]) + f.Width(string(r))
			if math.Abs(float64(f.Width(pair)-alone)) > 1e-6 {
				c.PngCanvas.FillString(f, at, text[begin:i])
				at.X += f.Width(text[begin:i+len(string(r))]) - f.Width(string(r))
				begin = i
			}
		}
		last = i
	}
	c.PngCanvas.FillString(f, at, text[begin:])
}

// A codedCanvas draws letters that the fonts lack, such as those of Chinese, as boxes with their
// code points, as other programs do: a question mark would make names equal that differ. An SVG
// file keeps the letters, since its readers have more fonts.
type codedCanvas struct{ vg.CanvasWriterTo }

func (c codedCanvas) FillString(f font.Face, at vg.Point, text string) {
	begin := 0
	for i, r := range text {
		if !lacksGlyphs(string(r)) {
			continue
		}
		c.CanvasWriterTo.FillString(f, at, text[begin:i])
		at.X += f.Width(text[begin:i])
		c.fillCode(r, at, f.Width(string(r)))
		at.X += f.Width(string(r))
		begin = i + len(string(r))
	}
	c.CanvasWriterTo.FillString(f, at, text[begin:])
}

// digits are the hexadecimal digits, each of five rows of three points; the highest bit is the
// first point.
var digits = [16]uint16{0b111101101101111, 0b010110010010111, 0b111001111100111, 0b111001111001111,
	0b101101111001001, 0b111100111001111, 0b111100111101111, 0b111001001001001, 0b111101111101111,
	0b111101111001111, 0b010101111101101, 0b110101110101110, 0b011100100100011, 0b110101101101110,
	0b111100110100111, 0b111100110100100}

// fillCode draws a box of the width with the four or six digits of a code point, in two rows.
func (c codedCanvas) fillCode(r rune, at vg.Point, width vg.Length) {
	code := fmt.Sprintf("%04X", r)
	if len(code) > 4 {
		code = fmt.Sprintf("%06X", r)
	}
	columns := len(code) / 2
	point := width / vg.Length(4*columns+2) // a digit and its gap take four, the edges one each
	fill := func(x, y, w, h vg.Length) {    // from the lower left corner, in points
		c.Fill(rect(at.X+x*point, at.Y+(y-2)*point, at.X+(x+w)*point, at.Y+(y+h-2)*point).Path())
	}
	wide, high := vg.Length(4*columns+1), vg.Length(15)
	for _, edge := range [][4]vg.Length{{0, 0, wide, 0.4}, {0, high, wide, 0.4}, {0, 0, 0.4, high},
		{wide - 0.4, 0, 0.4, high}} {
		fill(edge[0], edge[1], edge[2], edge[3])
	}
	for i, d := range code {
		value, _ := strconv.ParseUint(string(d), 16, 8) // the digits are our own
		for bit := range 15 {
			if digits[value]>>(14-bit)&1 == 1 {
				x := 1 + 4*(i%columns) + bit%3
				y := 13 - 7*(i/columns) - bit/3
				fill(vg.Length(x), vg.Length(y), 1, 1)
			}
		}
	}
}

// lacksGlyphs reports whether the fonts lack a letter of s.
func lacksGlyphs(s string) bool {
	face := plot.DefaultTextHandler.Cache().Lookup(textStyle(tickSize, ink).Font, tickSize).Face
	var buf sfnt.Buffer
	return strings.ContainsFunc(s, func(r rune) bool {
		i, err := face.GlyphIndex(&buf, r)
		return err != nil || i == 0 // glyph 0 of every font is the box for a missing letter
	})
}
