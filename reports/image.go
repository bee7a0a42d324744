//go:build !js

package reports

import (
	"bytes"
	"fmt"
	"html"
	"image"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Picture can be drawn by [WriteImage]; Rows returns its values.
type Picture interface {
	// Rows returns the numbers behind the picture, a row for each point.
	Rows() Rows
	title() string
	// painter returns a function that draws the picture onto a canvas and, if a script shows its
	// values, returns the place of its axes.
	painter() (func(draw.Canvas) axes, error)
}

// ImageFormats lists the formats of [WriteImage], which are also the extensions of their files.
func ImageFormats() []string { return []string{"png", "svg", "pdf"} }

// WriteImage draws the picture to w. Ext is png, svg or pdf, with or without a dot before it; width
// and height are pixels of 1/96 inch, from 320×240 to 10000×10000. The errors are those of w, an
// ext or a size that cannot be, and a picture without anything to draw.
func WriteImage(w io.Writer, p Picture, ext string, width, height int) error {
	_, err := writeImage(w, p, ext, width, height)
	return err
}

func writeImage(w io.Writer, p Picture, ext string, width, height int) (at axes, err error) {
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
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(wd, ht), vgimg.UseDPI(96))}
	case "svg":
		canvas = vgsvg.New(wd, ht)
	case "pdf":
		canvas = newPDF(wd, ht)
	default:
		return at, fmt.Errorf("cannot draw a picture of kind %q; choose one of %s",
			ext, strings.Join(ImageFormats(), ", "))
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

// titled adds the title to an SVG file, whose readers show it as the name of the picture. Other
// kinds of file stay as they are.
func titled(file []byte, title string) []byte {
	before, after, svg := bytes.Cut(file, []byte("<svg"))
	if !svg || title == "" {
		return file
	}
	attributes, content, _ := bytes.Cut(after, []byte(">"))
	element := "\n<title>" + html.EscapeString(OneLine(title)) + "</title>"
	return slices.Concat(before, []byte("<svg"), attributes, []byte(">"+element), content)
}

// pdf is a canvas on a page of a PDF file. Gonum's own canvas writes the bytes of UTF-8 as
// Windows-1252, so that µ, τ, β and ∞ come out as other letters, and the time of day
// (gonum/plot#347); this one writes all letters of its fonts and no time, so that the same drawing
// is the same file.
type pdf struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	states        []pdfState
	fonts         map[string]bool
}

// A pdfState is the state of a path or text besides the page's own.
type pdfState struct {
	color color.Color // fpdf writes that of texts with each text
	width vg.Length
}

func newPDF(width, height vg.Length) *pdf {
	doc := fpdf.NewCustom(&fpdf.InitType{
		UnitStr: "pt",
		Size:    fpdf.SizeType{Wd: width.Points(), Ht: height.Points()},
	})
	// The same drawing is the same file, so neither the time nor the order of a map may show.
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetCatalogSort(true)
	doc.SetCreator("halfpeak", false)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	p := &pdf{
		doc:    doc,
		width:  width,
		height: height,
		states: make([]pdfState, 1),
		fonts:  map[string]bool{},
	}
	doc.TransformBegin()
	vg.Initialize(p)
	return p
}

func (p *pdf) state() *pdfState { return &p.states[len(p.states)-1] }

func (p *pdf) Size() (width, height vg.Length) { return p.width, p.height }

func (p *pdf) SetLineWidth(w vg.Length) {
	p.state().width = w
	p.doc.SetLineWidth(w.Points())
}

func (p *pdf) SetLineDash(dashes []vg.Length, offset vg.Length) {
	points := make([]float64, len(dashes))
	for i, d := range dashes {
		points[i] = d.Points()
	}
	p.doc.SetDashPattern(points, offset.Points())
}

func (p *pdf) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	p.state().color = c
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	p.doc.SetFillColor(r, g, b)
	p.doc.SetDrawColor(r, g, b)
	p.doc.SetTextColor(r, g, b)
	p.doc.SetAlpha(float64(n.A)/255, "Normal")
}

func (p *pdf) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	p.doc.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

func (p *pdf) Translate(pt vg.Point) {
	p.doc.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: pt.X.Points(), F: pt.Y.Points()})
}

func (p *pdf) Scale(x, y float64) { p.doc.Transform(fpdf.TransformMatrix{A: x, D: y}) }

func (p *pdf) Push() {
	p.states = append(p.states, *p.state())
	p.doc.TransformBegin()
}

func (p *pdf) Pop() {
	p.doc.TransformEnd()
	p.states = p.states[:len(p.states)-1]
	p.SetColor(p.state().color) // fpdf keeps a copy of these that TransformEnd does not restore
	p.SetLineWidth(p.state().width)
}

// coordinates returns pt in the coordinates of fpdf's functions, in which y runs down.
func (p *pdf) coordinates(pt vg.Point) (x, y float64) {
	return pt.X.Points(), (p.height - pt.Y).Points()
}

func (p *pdf) Stroke(path vg.Path) {
	if p.state().width > 0 {
		p.path(path, "D")
	}
}

func (p *pdf) Fill(path vg.Path) { p.path(path, "F") }

func (p *pdf) path(path vg.Path, style string) {
	for _, comp := range path {
		x, y := p.coordinates(comp.Pos)
		switch comp.Type {
		case vg.MoveComp:
			p.doc.MoveTo(x, y)
		case vg.LineComp:
			p.doc.LineTo(x, y)
		case vg.ArcComp:
			r, degrees := comp.Radius.Points(), 180/math.Pi
			p.doc.ArcTo(x, y, r, r, 0, comp.Start*degrees, (comp.Start+comp.Angle)*degrees)
		case vg.CurveComp:
			x0, y0 := p.coordinates(comp.Control[0])
			if len(comp.Control) == 1 {
				p.doc.CurveTo(x0, y0, x, y)
				break
			}
			x1, y1 := p.coordinates(comp.Control[1])
			p.doc.CurveBezierCubicTo(x0, y0, x1, y1, x, y)
		case vg.CloseComp:
			p.doc.ClosePath()
		}
	}
	p.doc.DrawPath(style)
}

// FillString writes a text. The file embeds a font, regular or bold, with its first text.
func (p *pdf) FillString(face font.Face, pt vg.Point, s string) {
	weight := ""
	if face.Font.Weight == xfont.WeightBold {
		weight = "B"
	}
	// A font takes most of the bytes of a small file, so bold is embedded only if it is used.
	if !p.fonts[weight] {
		var ttf bytes.Buffer
		if _, err := face.Face.WriteSourceTo(nil, &ttf); err != nil {
			p.doc.SetError(err)
			return
		}
		p.doc.AddUTF8FontFromBytes("sans", weight, ttf.Bytes())
		p.fonts[weight] = true
	}
	p.doc.SetFont("sans", weight, face.Font.Size.Points())
	x, y := p.coordinates(pt)
	p.doc.Text(x, y, s)
}

// DrawImage is part of vg.Canvas. No picture here holds an image, so it fails.
func (p *pdf) DrawImage(vg.Rectangle, image.Image) {
	p.doc.SetErrorf("reports: a PDF cannot hold an image yet")
}

func (p *pdf) WriteTo(w io.Writer) (int64, error) {
	p.doc.TransformEnd()
	var b bytes.Buffer
	if err := p.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
