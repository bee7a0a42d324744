package reports

import (
	"encoding/json"
	"math"
)

// Numbers are printed in JSON with 12 significant digits, and as null if they are not finite.
type Numbers []float64

// MarshalJSON prints the numbers; none are an empty array.
func (all Numbers) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 2+16*len(all)), '[')
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendNumber(b, v)
	}
	return append(b, ']'), nil
}

// MarshalJSON prints what a page draws: the labels of the axes, the series, the marks and the
// notes. The place of a mark has null where it is of no matter.
func (f Figure) MarshalJSON() ([]byte, error) {
	type axis struct {
		Label string `json:"label"`
	}
	type series struct {
		Name string  `json:"name"`
		Kind Kind    `json:"kind"`
		X    Numbers `json:"x"`
		Y    Numbers `json:"y"`
		Low  Numbers `json:"low,omitempty"`
		High Numbers `json:"high,omitempty"`
	}
	type mark struct {
		Kind   MarkKind        `json:"kind"`
		X      json.RawMessage `json:"x"`
		Y      json.RawMessage `json:"y"`
		Label  string          `json:"label"`
		Series string          `json:"series"`
	}
	page := struct {
		Title  string   `json:"title"`
		X      axis     `json:"x"`
		Y      axis     `json:"y"`
		Series []series `json:"series"`
		Marks  []mark   `json:"marks"`
		Notes  []string `json:"notes"`
	}{f.Title, axis{f.X.Label}, axis{f.Y.Label}, []series{}, []mark{}, append([]string{}, f.Notes...)}
	for _, s := range f.Series {
		page.Series = append(page.Series, series{s.Name, s.Kind, s.X, s.Y, s.Low, s.High})
	}
	for _, m := range f.Marks {
		m = m.placed()
		page.Marks = append(page.Marks, mark{m.Kind, AppendNumber(nil, m.X), AppendNumber(nil, m.Y), m.Label, m.Series})
	}
	return json.Marshal(page)
}

// placed returns the mark with NaN where its kind needs no number.
func (m Mark) placed() Mark {
	switch m.Kind {
	case AtX:
		m.Y = math.NaN()
	case AtY:
		m.X = math.NaN()
	}
	return m
}
