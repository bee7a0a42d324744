package draw

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A pdfCanvas is a page of a PDF file, and a [vg.CanvasWriterTo] of gonum/plot. Gonum's own canvas
// writes the bytes of UTF-8 as Windows-1252, so that µ, τ, β and ∞ come out as other letters, and
// the time of day (gonum/plot#347); this one writes all letters of its fonts and no time, so that
// the same drawing is the same file.
type pdfCanvas struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	states        []pdfState
	fonts         map[string]bool
}

// A pdfState is what Pop must restore besides the page's own state, which the file
// itself keeps: fpdf does not know that TransformEnd brings back the colours of
// before.
type pdfState struct {
	color color.Color // fpdf writes that of texts with each text
	width vg.Length
}

// newPDF returns an empty page of this size. It begins a transformation, as each Push
// does, which WriteTo ends.
func newPDF(width, height vg.Length) *pdfCanvas {
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
	p := &pdfCanvas{
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

// now returns the state since the last Push.
func (p *pdfCanvas) now() *pdfState { return &p.states[len(p.states)-1] }

func (p *pdfCanvas) Size() (width, height vg.Length) { return p.width, p.height }

func (p *pdfCanvas) SetLineWidth(w vg.Length) {
	p.now().width = w
	p.doc.SetLineWidth(w.Points())
}

func (p *pdfCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	points := make([]float64, len(dashes))
	for i, d := range dashes {
		points[i] = d.Points()
	}
	p.doc.SetDashPattern(points, offset.Points())
}

// SetColor sets the colours of fillings, lines and texts, which PDF keeps apart and
// gonum does not.
func (p *pdfCanvas) SetColor(c color.Color) {
	if c == nil {
		c = color.Black
	}
	p.now().color = c
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	r, g, b := int(n.R), int(n.G), int(n.B)
	p.doc.SetFillColor(r, g, b)
	p.doc.SetDrawColor(r, g, b)
	p.doc.SetTextColor(r, g, b)
	p.doc.SetAlpha(float64(n.A)/255, "Normal")
}

// Rotate, Translate and Scale change the coordinates by a matrix of PDF, in which y
// runs up as in gonum's.
func (p *pdfCanvas) Rotate(rad float64) {
	sin, cos := math.Sincos(rad)
	p.doc.Transform(fpdf.TransformMatrix{A: cos, B: sin, C: -sin, D: cos})
}

func (p *pdfCanvas) Translate(pt vg.Point) {
	p.doc.Transform(fpdf.TransformMatrix{A: 1, D: 1, E: pt.X.Points(), F: pt.Y.Points()})
}

func (p *pdfCanvas) Scale(x, y float64) { p.doc.Transform(fpdf.TransformMatrix{A: x, D: y}) }

func (p *pdfCanvas) Push() {
	p.states = append(p.states, *p.now())
	p.doc.TransformBegin()
}

func (p *pdfCanvas) Pop() {
	p.doc.TransformEnd()
	p.states = p.states[:len(p.states)-1]
	p.SetColor(p.now().color) // fpdf keeps a copy of these that TransformEnd does not restore
	p.SetLineWidth(p.now().width)
}

// coordinates returns pt in the coordinates of fpdf's functions, in which y runs down.
func (p *pdfCanvas) coordinates(pt vg.Point) (x, y float64) {
	return pt.X.Points(), (p.height - pt.Y).Points()
}

// Stroke draws nothing at a width of 0, where PDF would draw the thinnest line of the
// device.
func (p *pdfCanvas) Stroke(path vg.Path) {
	if p.now().width > 0 {
		p.path(path, "D")
	}
}

func (p *pdfCanvas) Fill(path vg.Path) { p.path(path, "F") }

// path writes a path for the operator style: D draws it, F fills it.
func (p *pdfCanvas) path(path vg.Path, style string) {
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
func (p *pdfCanvas) FillString(face font.Face, pt vg.Point, s string) {
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
func (p *pdfCanvas) DrawImage(vg.Rectangle, image.Image) {
	p.doc.SetErrorf("a PDF cannot hold an image yet")
}

// WriteTo ends the page and writes the file.
func (p *pdfCanvas) WriteTo(w io.Writer) (int64, error) {
	p.doc.TransformEnd()
	var b bytes.Buffer
	if err := p.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
