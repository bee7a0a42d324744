package table

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Picture is the data of a drawing, which package draw makes.
type Picture interface {
	// Rows returns the numbers behind the picture, a row for each point.
	Rows() Rows
}

// An Answer to a question has all that its rows and its figure show.
type Answer interface {
	Rows() Rows
	// Figure returns the picture; nil if the question has none, or did not ask for it.
	Figure() (Picture, error)
}

// A Drawn is a picture as an answer: its rows are the numbers that it shows.
type Drawn struct{ Picture }

// Figure returns the picture.
func (d Drawn) Figure() (Picture, error) { return d.Picture, nil }

// A Figure is a plot of y against x.
type Figure struct {
	Title  string   `json:"title"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
	Marks  []Mark   `json:"marks"`
	Notes  []string `json:"notes"` // remarks printed beneath the legend
}

// A Series is a set of points under one name. Series of the same name share colour, dashes, glyph
// and the entry of the legend: a model and its measurement are a Line and a Points of one name.
type Series struct {
	Name string     `json:"name"` // empty: not in the legend
	Kind SeriesKind `json:"kind"`
	X    Numbers    `json:"x"` // as many as Y; a point that is not finite leaves a gap
	Y    Numbers    `json:"y"`

	// Low and High, if not nil, are the interval around each Y: error bars of Points, otherwise a
	// band. A bound that is not finite is ignored.
	Low  Numbers `json:"low,omitempty"`
	High Numbers `json:"high,omitempty"`
}

// A SeriesKind is a way to draw a series.
type SeriesKind string

// The kinds of series.
const (
	Line   SeriesKind = "line"   // of a model
	Points SeriesKind = "points" // measurements
	// Band is a prediction interval from Low to High, without a line at Y. Beyond is an
	// extrapolated band: paler, its edges dashed.
	Band   SeriesKind = "band"
	Beyond SeriesKind = "beyond"
)

// A Mark is a place in a figure with a label beside it.
type Mark struct {
	Kind   MarkKind
	X, Y   float64 // AtX needs no Y, AtY no X
	Label  string
	Valued bool   // AtY: the label ends with the value, as of a roof
	Series string // the name of the series whose colour it takes; empty: grey
}

// A MarkKind is the shape of a mark.
type MarkKind string

// The kinds of marks.
const (
	AtPoint MarkKind = "point" // a diamond at (X, Y), such as n½
	AtX     MarkKind = "x"     // an upright line at X, such as a switch of protocols
	AtY     MarkKind = "y"     // a level line at Y, such as the roof of a link
)

// Rows returns the points and the marks of the figure, in its order.
func (f Figure) Rows() Rows {
	r := Rows{
		Columns: []Column{
			{Key: "kind", Head: "kind"}, {Key: "name", Head: "name"},
			{Key: "x", Head: f.X.head()}, {Key: "y", Head: f.Y.head()},
			{Key: "low", Head: "low"}, {Key: "high", Head: "high"},
			{Key: "label", Head: "label"},
			{Key: "x_quantity"}, {Key: "y_quantity"},
		},
		Notes: captions(f.Notes),
	}
	x, y := f.X.quantity(), f.Y.quantity()
	for _, s := range f.Series {
		for i := range min(len(s.X), len(s.Y)) {
			low, high := s.Bounds(i)
			r.Data = append(r.Data,
				[]any{string(s.Kind), s.Name, f.X.cell(s.X[i]), f.Y.cell(s.Y[i]),
					f.Y.cell(low), f.Y.cell(high), nil, x, y})
		}
	}
	for _, m := range f.Marks {
		m = m.placed()
		r.Data = append(r.Data, []any{"mark", m.Series, f.X.cell(m.X), f.Y.cell(m.Y), nil, nil,
			f.MarkLabel(m, Fixed), x, y})
	}
	return r
}

// MarshalJSON returns the figure as JSON for a page; lists without elements are [].
func (f Figure) MarshalJSON() ([]byte, error) {
	type figure Figure                         // without this method
	f.Series = append([]Series{}, f.Series...) // not nil, which would be null
	marks := make([]Mark, len(f.Marks))
	for i, m := range f.Marks {
		m.Label = f.MarkLabel(m, Fixed)
		marks[i] = m
	}
	f.Marks = marks
	f.Notes = append([]string{}, f.Notes...)
	return json.Marshal(figure(f))
}

// MarshalJSON prints the mark, with null for the coordinate that its kind does not need.
func (m Mark) MarshalJSON() ([]byte, error) {
	m = m.placed()
	return json.Marshal(struct {
		Kind   MarkKind        `json:"kind"`
		X      json.RawMessage `json:"x"`
		Y      json.RawMessage `json:"y"`
		Label  string          `json:"label"`
		Series string          `json:"series"`
	}{m.Kind, AppendNumber(nil, m.X), AppendNumber(nil, m.Y), m.Label, m.Series})
}

// placed returns the mark with NaN where its kind needs no number: 0 would look like
// a place.
func (m Mark) placed() Mark {
	switch m.Kind {
	case AtX:
		m.Y = math.NaN()
	case AtY:
		m.X = math.NaN()
	}
	return m
}

// MarkLabel returns the label of a mark, with the value of its line if it has one.
func (f Figure) MarkLabel(m Mark, print func(quantity.Value) string) string {
	if !m.Valued {
		return m.Label
	}
	return m.Label + " " + print(quantity.Value{Num: m.Y, Dim: f.Y.Dim})
}

// Fixed prints the value of a mark for programs.
func Fixed(v quantity.Value) string { return strings.Replace(v.Fixed(), ".00 ", " ", 1) }

// Bounds returns the interval around point i; a missing bound is not finite.
func (s Series) Bounds(i int) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	if s.Low != nil {
		low = s.Low[i]
	}
	if s.High != nil {
		high = s.High[i]
	}
	return low, high
}

// A Stack is figures one below the other, their vertical axes aligned: a fit above its residuals.
// The first takes two thirds of the height; the rest share the remainder. Give all the same X.Min
// and X.Max.
type Stack []Figure

// Rows returns the rows of all figures. Their columns have the same keys; y_quantity
// tells the figures apart.
func (s Stack) Rows() Rows {
	var rows Rows
	for _, f := range s {
		r := f.Rows()
		rows.Columns = r.Columns
		rows.Data = append(rows.Data, r.Data...)
		rows.Notes = append(rows.Notes, r.Notes...)
	}
	return rows
}

// A Tornado shows how one value changes with each of several parameters: a bar for each, around the
// present value, from the value with less of the parameter to the value with more.
type Tornado struct {
	Title     string
	X         Axis // of the value; linear
	Base      float64
	Less      string       // meaning of the pale half of a bar: "10 % smaller"
	More      string       // and the dark half
	Bars      []TornadoBar // the widest first; bars without room are counted in a note
	Notes     []string
	BaseLabel string // beside the line at Base; empty: none
}

// A TornadoBar is the value with less and with more of one parameter. A value that is not finite
// is not drawn.
type TornadoBar struct {
	Name       string
	Less, More float64 // with less, with more
}

// Rows returns a row for each bar.
func (t Tornado) Rows() Rows {
	r := Rows{
		Columns: []Column{
			{Key: "name", Head: "name"}, {Key: "base", Head: t.X.head()},
			{Key: "low", Head: t.Less}, {Key: "high", Head: t.More},
		},
		Notes: captions(t.Notes),
	}
	for _, b := range t.Bars {
		r.Data = append(r.Data, []any{b.Name, t.X.cell(t.Base), t.X.cell(b.Less),
			t.X.cell(b.More)})
	}
	return r
}

// A HeatMap shows a quantity over x and y as cells in steps from pale to dark, which keep their
// order in black and white. The legend beside it is the scale of the steps.
type HeatMap struct {
	Title string
	X, Y  Axis        // Min and Max are ignored: the cells give the ends
	XS    []float64   // the middles of the columns, rising, at least 2
	YS    []float64   // the middles of the rows, rising, at least 2
	Names []string    // of columns and rows, if both are the same and XS and YS count them
	Z     [][]float64 // by row, then by column; values that are not finite are white
	Value Axis        // of Z: its label and dimension

	// Changes is set if Z are changes in percent. Less and more have colours of their own, around 0
	// is white, and cells without a value are grey.
	Changes bool

	Lines []Series // of the kind Line, drawn over the cells: where a target is met
	Marks []Mark   // of the kind AtPoint: the present values
	Notes []string // remarks printed beneath
}

// Rows returns a row for each cell.
func (h HeatMap) Rows() Rows {
	r := Rows{
		Columns: []Column{
			{Key: "x", Head: h.X.head()}, {Key: "y", Head: h.Y.head()},
			{Key: "z", Head: h.Value.head()},
			{Key: "x_quantity"}, {Key: "y_quantity"}, {Key: "z_quantity"},
		},
		Notes: captions(h.Notes),
	}
	for j, row := range h.Z {
		for i, z := range row {
			x, y := h.X.cell(h.XS[i]), h.Y.cell(h.YS[j])
			if h.Names != nil {
				x, y = h.Names[i], h.Names[j]
			}
			r.Data = append(r.Data, []any{x, y, h.Value.cell(z), h.X.quantity(), h.Y.quantity(),
				h.Value.quantity()})
		}
	}
	return r
}

// A Timeline shows when each stage of a pipeline is busy with each packet: a row per stage, the
// first on top, and a box per packet. The end of the last box is marked with its time. With kinds,
// it shows the activities of several actors.
type Timeline struct {
	Title  string
	Stages []string // names, the first stage on top
	Boxes  []TimelineBox
	Notes  []string // remarks printed beneath

	// Names in the legend: of boxes, by their Kind (none: they are packets), of boxes in flight, of
	// idle boxes, of messages, and of the path.
	Kinds                                       []string
	FlightName, IdleName, MessageName, PathName string
	Messages                                    []TimelineLeg // thin lines under the path
	Path                                        []TimelineLeg // a line, drawn over the boxes
}

// A TimelineLeg is a part of a path: within a stage, or from one to another.
type TimelineLeg struct {
	From, To   int     // indices into Stages
	Start, End float64 // µs, finite, 0 <= Start <= End
}

// A TimelineBox is the time that one packet spends in one stage.
type TimelineBox struct {
	Stage      int     // index into Stages
	Packet     int     // its number, printed if there is room and the timeline has no kinds
	Kind       int     // index into Kinds, if there are any
	Idle       bool    // the stage only waits: drawn in grey, not in the colour of its kind
	Flight     bool    // the stage waits for bytes on their way: a pale box of its kind
	Start, End float64 // µs, finite, 0 <= Start <= End
}

// Rows returns the boxes of the timeline, in its order.
func (t Timeline) Rows() Rows {
	r := Rows{
		Columns: []Column{
			{Key: "stage", Head: "stage"}, {Key: "packet", Head: "packet"},
			{Key: "start_us", Head: "start µs"}, {Key: "end_us", Head: "end µs"},
		},
		Notes: captions(t.Notes),
	}
	if len(t.Kinds) > 0 {
		r.Columns[0] = Column{Key: "name", Head: "name"}
		r.Columns[1] = Column{Key: "does", Head: "does"}
	}
	for _, b := range t.Boxes {
		name := strconv.Itoa(b.Stage)
		if b.Stage >= 0 && b.Stage < len(t.Stages) {
			name = t.Stages[b.Stage]
		}
		var what any = b.Packet
		switch {
		case b.Idle:
			what = t.IdleName
		case b.Flight:
			what = t.FlightName
		case b.Kind >= 0 && b.Kind < len(t.Kinds):
			what = t.Kinds[b.Kind]
		}
		r.Data = append(r.Data, []any{name, what, b.Start, b.End})
	}
	return r
}

// Areas show the parts of a whole against x, stacked, the first at the bottom. The legend names the
// parts, and the picture does where they are wide enough.
type Areas struct {
	Title string
	X, Y  Axis // Y begins at 0 and is linear
	XS    []float64
	Parts []AreaPart
	Marks []Mark // of the kind AtX
	Notes []string
}

// An AreaPart is one part of the whole. Y is its size at each of the XS, at least 0.
type AreaPart struct {
	Name string
	Y    []float64
}

// Rows returns a row for each x and part.
func (a Areas) Rows() Rows {
	r := Rows{
		Columns: []Column{
			{Key: "name", Head: "name"},
			{Key: "x", Head: a.X.head()}, {Key: "y", Head: a.Y.head()},
			{Key: "x_quantity"}, {Key: "y_quantity"},
		},
		Notes: captions(a.Notes),
	}
	for _, p := range a.Parts {
		for i, x := range a.XS {
			r.Data = append(r.Data, []any{p.Name, a.X.cell(x), a.Y.cell(p.Y[i]), a.X.quantity(),
				a.Y.quantity()})
		}
	}
	return r
}

// captions returns the remarks of a picture as notes of its rows.
func captions(texts []string) (notes []Note) {
	for _, text := range texts {
		notes = append(notes, remark.Described(text))
	}
	return notes
}
