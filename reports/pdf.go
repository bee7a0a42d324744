//go:build !js

package reports

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// pdf is a canvas on a page of a PDF file. Gonum's own canvas writes the bytes of UTF-8 as
// Windows-1252, so that µ, τ, β and ∞ come out as other letters, and the time of day
// (gonum/plot#347); this one writes all letters of its fonts and no time, so that the same drawing
// is the same file.
//
// Transformations are applied here: the page has coordinates in points, with y running down.
type pdf struct {
	doc           *fpdf.Fpdf
	width, height vg.Length
	states        []pdfState
	fonts         map[string]bool
}

type pdfState struct {
	// A point (x, y) lies at (a·x + c·y + e, b·x + d·y + f).
	a, b, c, d, e, f float64

	color  color.Color
	width  vg.Length
	dashes []vg.Length
	offset vg.Length
}

func newPDF(width, height vg.Length) *pdf {
	doc := fpdf.NewCustom(&fpdf.InitType{
		UnitStr: "pt",
		Size:    fpdf.SizeType{Wd: width.Points(), Ht: height.Points()},
	})
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetCatalogSort(true)
	doc.SetCreator(atomicfile.Imprint, false)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	p := &pdf{doc: doc, width: width, height: height, states: make([]pdfState, 1), fonts: map[string]bool{}}
	*p.state() = pdfState{a: 1, d: -1, f: height.Points()}
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
	p.state().dashes, p.state().offset = dashes, offset
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
	s := p.state()
	s.a, s.b, s.c, s.d = s.a*cos+s.c*sin, s.b*cos+s.d*sin, s.c*cos-s.a*sin, s.d*cos-s.b*sin
}

func (p *pdf) Translate(pt vg.Point) {
	s := p.state()
	s.e, s.f = p.at(pt)
}

func (p *pdf) Scale(x, y float64) {
	s := p.state()
	s.a, s.b, s.c, s.d = s.a*x, s.b*x, s.c*y, s.d*y
}

func (p *pdf) Push() { p.states = append(p.states, *p.state()) }

func (p *pdf) Pop() {
	p.states = p.states[:len(p.states)-1]
	s := p.state()
	p.SetColor(s.color)
	p.SetLineWidth(s.width)
	p.SetLineDash(s.dashes, s.offset)
}

// at returns where pt lies on the page.
func (p *pdf) at(pt vg.Point) (x, y float64) {
	s := p.state()
	px, py := pt.X.Points(), pt.Y.Points()
	return s.a*px + s.c*py + s.e, s.b*px + s.d*py + s.f
}

func (p *pdf) Stroke(path vg.Path) {
	if p.state().width > 0 {
		p.path(path, "D")
	}
}

func (p *pdf) Fill(path vg.Path) { p.path(path, "F") }

func (p *pdf) path(path vg.Path, style string) {
	for _, comp := range path {
		switch comp.Type {
		case vg.MoveComp:
			p.doc.MoveTo(p.at(comp.Pos))
		case vg.LineComp:
			p.doc.LineTo(p.at(comp.Pos))
		case vg.ArcComp:
			p.arc(comp)
		case vg.CurveComp:
			p.curve(comp.Control, comp.Pos)
		case vg.CloseComp:
			p.doc.ClosePath()
		}
	}
	p.doc.DrawPath(style)
}

func (p *pdf) curve(control []vg.Point, to vg.Point) {
	x, y := p.at(to)
	x0, y0 := p.at(control[0])
	if len(control) == 1 {
		p.doc.CurveTo(x0, y0, x, y)
		return
	}
	x1, y1 := p.at(control[1])
	p.doc.CurveBezierCubicTo(x0, y0, x1, y1, x, y)
}

// arc draws an arc as cubic curves of at most a quarter turn each, preceded by a line to its start.
func (p *pdf) arc(comp vg.PathComp) {
	n := int(math.Ceil(math.Abs(comp.Angle) / (math.Pi/2 + 1e-9)))
	step := comp.Angle / float64(n)
	bulge := 4.0 / 3 * math.Tan(step/4)
	on := func(angle, along float64) vg.Point {
		sin, cos := math.Sincos(angle)
		return vg.Point{
			X: comp.Pos.X + comp.Radius*vg.Length(cos-along*sin),
			Y: comp.Pos.Y + comp.Radius*vg.Length(sin+along*cos),
		}
	}
	p.doc.LineTo(p.at(on(comp.Start, 0)))
	for i := range n {
		from := comp.Start + float64(i)*step
		p.curve([]vg.Point{on(from, bulge), on(from+step, -bulge)}, on(from+step, 0))
	}
}

func (p *pdf) FillString(face font.Face, pt vg.Point, s string) {
	weight := ""
	if face.Font.Weight == xfont.WeightBold {
		weight = "B"
	}
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
	x, y := p.at(pt)
	st := p.state()
	p.doc.TransformBegin()
	p.doc.TransformRotate(math.Atan2(-st.b, st.a)*180/math.Pi, x, y)
	p.doc.Text(x, y, s)
	p.doc.TransformEnd()
}

// DrawImage is part of vg.Canvas. No picture here holds an image, so it fails.
func (p *pdf) DrawImage(vg.Rectangle, image.Image) {
	p.doc.SetErrorf("reports: a PDF cannot hold an image yet")
}

func (p *pdf) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := p.doc.Output(&b); err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
