package draw

import (
	"bytes"
	"cmp"
	"fmt"
	"image/color"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/reports/table"
	"gonum.org/v1/plot/vg"
)

// hex returns a colour as gonum writes it into SVG: six capital digits.
func hex(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// htmlSizes are the two sizes in pixels of each picture of a document: for screens, and for
// telephones, where the first would be too small to read.
var htmlSizes = []struct {
	class         string
	width, height int
}{
	{"wide", 560, 380},
	{"narrow", 360, 350},
}

// untitled returns the picture without the title and the notes, which the page prints.
func untitled(p drawing) drawing {
	v := reflect.New(reflect.TypeOf(p)).Elem()
	v.Set(reflect.ValueOf(p))
	if v.Kind() == reflect.Struct {
		v.FieldByName("Title").SetZero()
		v.FieldByName("Notes").SetZero()
	}
	return v.Interface().(drawing)
}

// live is a picture with values that a script can show.
type live interface{ values() any }

// liveFigure holds the values of a figure for the script, html.js, which reads these
// keys.
type liveFigure struct {
	Kind   string       `json:"kind"`
	X      liveAxis     `json:"x"`
	Y      liveAxis     `json:"y"`
	Series []liveSeries `json:"series"`
}

type liveAxis struct {
	Label string `json:"label"`
	Log   bool   `json:"log,omitempty"`
	Bytes bool   `json:"bytes,omitempty"`
}

// A liveSeries has null for infinite bounds, since JSON has no infinity.
type liveSeries struct {
	Name  string           `json:"name"`
	Kind  table.SeriesKind `json:"kind"`
	Color string           `json:"color"`
	X     []float64        `json:"x"`
	Y     []float64        `json:"y"`
	Low   []any            `json:"low,omitempty"` // null: no bound that the axis could show
	High  []any            `json:"high,omitempty"`
	At    []float64        `json:"at,omitempty"` // where each Y is drawn, if not there
}

// values returns the points that the picture shows, in the order of the legend.
// Points that it leaves out have no place where a reader could point at them.
func (f figure) values() any {
	v := liveFigure{Kind: "figure", X: newLiveAxis(f.X), Y: newLiveAxis(f.Y)}
	styles := f.styles()
	for _, s := range f.Series {
		l := liveSeries{Name: s.Name, Kind: s.Kind, Color: hex(styles[s.Name].color)}
		for i := range s.X {
			if !f.X.usable(s.X[i]) || !f.Y.usable(s.Y[i]) {
				continue
			}
			l.X, l.Y = append(l.X, brief(s.X[i])), append(l.Y, brief(s.Y[i]))
			low, high := s.Bounds(i)
			l.Low, l.High = append(l.Low, f.Y.bound(low)), append(l.High, f.Y.bound(high))
		}
		if s.Low == nil && s.High == nil {
			l.Low, l.High = nil, nil
		}
		if len(l.X) > 0 {
			v.Series = append(v.Series, l)
		}
	}
	return v
}

// values returns the size of each part, and where its upper edge is drawn: a reader
// wants the part, and sees the sum.
func (a areas) values() any {
	v := liveFigure{Kind: "figure", X: newLiveAxis(a.X), Y: newLiveAxis(a.Y)}
	top := make([]float64, len(a.XS))
	for k, p := range a.Parts {
		l := liveSeries{Name: p.Name, Kind: table.Line, Color: hex(palette[k%len(palette)])}
		for i, y := range p.Y {
			top[i] += y
			l.X, l.Y = append(l.X, brief(a.XS[i])), append(l.Y, brief(y))
			l.At = append(l.At, brief(top[i]))
		}
		v.Series = append(v.Series, l)
	}
	slices.Reverse(v.Series) // from the top, as the picture is
	return v
}

// bound returns v for the script; nil if the axis cannot show it.
func (a axis) bound(v float64) any {
	if !a.usable(v) {
		return nil
	}
	return brief(v)
}

// newLiveAxis returns the axis with the unit of its numbers in the label.
func newLiveAxis(a axis) liveAxis {
	a.apart = false
	return liveAxis{a.title(), a.Log, a.Bytes}
}

type liveTimeline struct {
	Kind   string       `json:"kind"`
	Unit   string       `json:"unit"` // of the times, after a space
	Stages []string     `json:"stages"`
	Boxes  [][4]float64 `json:"boxes"` // stage, packet, start, end
}

// values returns the boxes as lists of four numbers: names of fields would make up
// most of a page with thousands of boxes.
func (t timeline) values() any {
	v := liveTimeline{Kind: "timeline", Unit: " " + cmp.Or(t.time.unit, "µs"), Stages: t.Stages}
	for _, b := range t.Boxes {
		v.Boxes = append(v.Boxes, [4]float64{
			float64(b.Stage), float64(b.Packet), brief(b.Start), brief(b.End),
		})
	}
	return v
}

// brief rounds v to seven significant digits, which keeps the page small. Sizes up to 1 MiB are
// exact.
func brief(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 7, 64), 64)
	return v
}

// A stylesheet collects what drawings need in the stylesheet of their page: a class for each style
// that gonum writes into an attribute.
type stylesheet struct {
	classes map[string]string // by style, "fill:none;stroke:…"
	rules   strings.Builder
}

func newStylesheet() *stylesheet { return &stylesheet{classes: map[string]string{}} }

// class returns the name of a class with the style, an attribute of gonum's.
func (s *stylesheet) class(style string) string {
	name, ok := s.classes[style]
	if !ok {
		// Short names, since each element of each drawing has one; a class cannot
		// begin with a digit.
		name = "p" + strconv.FormatInt(int64(len(s.classes)), 36)
		s.classes[style] = name
		fmt.Fprintf(&s.rules, ".%s{%s}", name, style)
	}
	return name
}

// inlineSVG draws the picture for a page with that stylesheet. It edits the text that
// gonum writes, since its canvas knows no classes; a change of gonum's
// output shows in the golden page. Screen readers are given the table below
// instead of the drawing.
func inlineSVG(p drawing, class string, width, height int, page *stylesheet) (string, error) {
	var b bytes.Buffer
	at, err := writeImage(&b, untitled(p), "svg", width, height)
	if err != nil {
		return "", err
	}
	_, drawing, _ := strings.Cut(b.String(), "<svg")
	_, drawing, _ = strings.Cut(drawing, ">")
	if _, after, titled := strings.Cut(drawing, "</title>"); titled {
		drawing = after // the page has its own
	}
	drawing = svgText.ReplaceAllStringFunc(drawing, fitText)
	drawing = svgStyle.ReplaceAllStringFunc(drawing, func(s string) string {
		return `class="` + page.class(svgStyle.FindStringSubmatch(s)[1]) + `"`
	})
	w, h := vg.Length(width)*pixel, vg.Length(height)*pixel
	head := fmt.Sprintf(`<svg class="%s" viewBox="0 0 %v %v" aria-hidden="true"`,
		class, float64(w), float64(h))
	if box := at.area; box != (vg.Rectangle{}) { // y runs down in SVG
		head += fmt.Sprintf(` data-area="%.5g %.5g %.5g %.5g"`,
			box.Min.X, h-box.Max.Y, box.Max.X, h-box.Min.Y)
		head += fmt.Sprintf(` data-x="%.7g %.7g" data-y="%.7g %.7g"`,
			at.x.min, at.x.max, at.y.min, at.y.max)
	}
	return head + ">" + strings.ReplaceAll(drawing, "\n", ""), nil
}

var svgStyle = regexp.MustCompile(`style="([^"]*)"`)

// fitText leaves the family of the font to the stylesheet, and fixes the width of the text,
// whatever font the reader's machine has.
func fitText(s string) string {
	m := svgText.FindStringSubmatch(s)
	_, width := svgWidth(s)
	weight := ""
	if m[2] == "bold" {
		weight = "font-weight:bold;"
	}
	place := strings.Replace(m[1], ` transform="scale(1, -1)"`, "", 1) // as the stylesheet says
	const element = `<text %s textLength="%.4g" lengthAdjust="spacingAndGlyphs" ` +
		`style="%sfont-size:%spx;fill:%s">%s</text>`
	return fmt.Sprintf(element, place, width, weight, m[3], m[4], m[5])
}
