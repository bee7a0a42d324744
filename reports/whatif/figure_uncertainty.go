package whatif

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Figure draws the intervals of a quantity over sizes, as a band around each line; nil if the
// question did not ask for it. A band of next measurements is made of three series and drawn below
// its line.
func (u *Uncertainty) Figure() (table.Picture, error) {
	if u.series == nil {
		return nil, nil
	}
	q := u.curve
	subject := u.Designs[len(u.Designs)-1].Subject()
	if u.apart() {
		subject += ", " + u.Designs[0].Subject()
	}
	f := table.Figure{
		Title: subject + ": " + q.Kind.Title + " with 95 % intervals",
		X:     table.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     table.Axis{Label: q.Kind.Title, Dim: q.Kind.Dim},
	}
	f.Series, f.Notes = u.series, u.curveNotes
	f.Y.Log = q.Kind.Dim != quantity.DimRate || dwarfed(f.Series)
	return f, nil
}

// dwarfed reports whether a band dwarfs all lines. Where lines level off, a linear scale shows the
// bands otherwise.
func dwarfed(all []table.Series) bool {
	top, highest := 0.0, 0.0
	for _, s := range all {
		for i, y := range s.Y {
			if s.Kind == table.Line && !math.IsNaN(y) {
				top = max(top, y)
			}
			if s.High != nil && s.High[i] > highest && !math.IsInf(s.High[i], 1) { // not NaN
				highest = s.High[i]
			}
		}
	}
	return highest > 2*top
}
