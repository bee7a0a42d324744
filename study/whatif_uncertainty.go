package study

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// An Uncertainty is predictions with their intervals, of one design or of two.
type Uncertainty struct {
	Designs   []NamedDesign
	Names     []string // of the quantities
	Sizes     []quantity.Bytes
	Sampling  whatif.Sampling
	intervals [][][]whatif.Interval // by design, quantity and size
	faster    []float64             // how likely the second design is the faster one, by size
	measured  bool                  // intervals are those of the next measurement
}

// A NamedDesign is a design under the name that a table has for it.
type NamedDesign struct {
	Name string
	whatif.Design
}

// Uncertain predicts quantities of one or two designs with 95 % intervals. It is an error that
// is [whatif.ErrExact] if no parameter of them has an interval.
func Uncertain(designs []NamedDesign, names []string, sizes []quantity.Bytes, s whatif.Sampling) (*Uncertainty, error) {
	if !sized(designs[0].Design, names) {
		sizes = sizes[:1] // any
	}
	if slices.Contains(names, Finish) { // each is a simulation
		s.Samples = min(s.Samples, 1000)
	}
	u := &Uncertainty{Designs: designs, Names: names, Sizes: sizes, Sampling: s}
	exact := 0
	for _, d := range designs {
		var of [][]whatif.Interval
		for i, name := range names {
			in, measured, err := intervals(d, len(designs) == 1, name, sizes, s)
			u.measured = u.measured || measured
			if errors.Is(err, whatif.ErrExact) {
				if i == 0 {
					exact++
				}
			} else if err != nil {
				return nil, err
			}
			of = append(of, in)
		}
		u.intervals = append(u.intervals, of)
	}
	last := designs[len(designs)-1]
	if exact == len(designs) {
		return nil, fmt.Errorf("%s: %w with --assume PERCENT", last.Layer.Ref(), whatif.ErrExact)
	}
	if len(designs) > 1 && sized(designs[0].Design, names) {
		var err error
		if u.faster, err = whatif.Faster(last.Design, designs[0].Design, sizes, s); err != nil {
			return nil, err
		}
	}
	return u, nil
}

// intervals predicts a quantity: alone, a design that says what it was fitted to gives the next
// measurement of times and of bandwidth; otherwise the intervals are those of the parameters.
func intervals(d NamedDesign, alone bool, name string, sizes []quantity.Bytes, s whatif.Sampling) (all []whatif.Interval, measured bool, err error) {
	next, err := measuredCurve(d.Design)
	if err != nil {
		return nil, false, err
	}
	of := map[string]func(n quantity.Bytes, t quantity.Micros) float64{
		"one_way":   func(_ quantity.Bytes, t quantity.Micros) float64 { return float64(t) },
		"rtt":       func(_ quantity.Bytes, t quantity.Micros) float64 { return 2 * float64(t) },
		"bandwidth": func(n quantity.Bytes, t quantity.Micros) float64 { return float64(n) / float64(t) },
	}[name]
	if !alone || of == nil || len(sizes) == 0 || next(sizes[0]) == nil {
		all, err = d.Predict(name, sizes, s)
		return all, false, err
	}
	for _, n := range sizes {
		f := next(n)
		in := whatif.Interval{Value: of(n, f.Middle), Low: of(n, f.Low), High: of(n, f.High)}
		if in.Low > in.High {
			in.Low, in.High = in.High, in.Low
		}
		all = append(all, in)
	}
	return all, true, nil
}

// Rows returns the table of the intervals.
func (u *Uncertainty) Rows() (reports.Rows, error) {
	several, sized := len(u.Designs) > 1, sized(u.Designs[0].Design, u.Names)
	rows := reports.Rows{Columns: []reports.Column{{Key: "platform"}, {Key: "layer"}, {Key: "design"}, {Key: "size_bytes", Head: "size"}}}
	switch {
	case several:
		rows.Columns[2].Head = "design"
	case !sized:
		rows.Columns[1].Head = "layer"
	}
	if !sized {
		rows.Columns[3].Head = ""
	}
	var quantities []whatif.Quantity
	for i, name := range u.Names {
		q, err := u.Designs[0].Quantity(name, 1)
		if err != nil {
			return rows, err
		}
		quantities = append(quantities, q)
		rows.Columns = append(rows.Columns, reports.Column{Head: q.Noun() + ", 95 % interval", Rank: i},
			reports.Column{Key: q.Key()}, reports.Column{Key: q.KeyOf("low")}, reports.Column{Key: q.KeyOf("high")})
	}
	if several && sized {
		rows.Columns = append(rows.Columns, reports.Column{Key: "probability_faster", Head: "is the faster one with", Text: reports.Probability})
	}
	for i, n := range u.Sizes {
		for k, d := range u.Designs {
			row := []any{d.Platform.Name, d.Layer.Name, d.Name, n}
			for j, q := range quantities {
				in := u.intervals[k][j][i]
				row = append(row, reports.Interval{Dim: q.Dim(), Value: in.Value, Low: in.Low, High: in.High}, in.Value, in.Low, in.High)
			}
			if several && sized {
				row = append(row, orAbsent(u.faster[i], k == 1))
			}
			rows.Data = append(rows.Data, row)
		}
	}
	if u.measured {
		m := u.Designs[0].Layer.Measured
		first, last := m.Sizes[0], m.Sizes[len(m.Sizes)-1]
		for _, n := range u.Sizes {
			if n < first || n > last {
				rows.Notes = append(rows.Notes, fmt.Sprintf("%s is beyond the sizes that were measured, %s to %s: the protocol may change.", n, first, last))
			}
		}
		rows.Notes = append(rows.Notes, "Times and bandwidth are those of the next measurement, predicted from what the layer was fitted to. Others are of its parameters:")
	}
	rows.Notes = append(rows.Notes, fmt.Sprintf("%d samples, seed %d; parameters vary independently of each other, but β and τ of a fit together.", u.Sampling.Samples, u.Sampling.Seed))
	rows.Notes = append(rows.Notes, changeNotes(u.Designs[len(u.Designs)-1].Design)...)
	return rows, nil
}

// Bands draws the intervals of a quantity over sizes.
func Bands(designs []NamedDesign, name string, sizes []quantity.Bytes, s whatif.Sampling) (reports.Figure, error) {
	q, err := designs[0].Quantity(name, 1)
	if err != nil {
		return reports.Figure{}, err
	}
	f := reports.Figure{
		Title: designs[len(designs)-1].Layer.Ref() + ": " + q.Head() + " with 95 % intervals",
		X:     reports.Axis{Label: "message size", Scale: reports.Log, Bytes: true},
		Y:     reports.Axis{Label: q.Head(), Scale: reports.Log},
	}
	if q.Dim() == quantity.DimRate { // where lines level off, a linear scale shows the bands
		f.Y.Scale = reports.Linear
	}
	for _, d := range designs {
		line := reports.Series{Name: d.Name, Kind: reports.Line}
		in, _, err := intervals(d, len(designs) == 1, name, sizes, s)
		if err != nil && !errors.Is(err, whatif.ErrExact) {
			return f, err
		}
		for i, n := range sizes {
			line.X, line.Y = append(line.X, float64(n)), append(line.Y, in[i].Value)
			line.Low, line.High = append(line.Low, in[i].Low), append(line.High, in[i].High)
		}
		f.Series = append(f.Series, line)
	}
	return f, nil
}
