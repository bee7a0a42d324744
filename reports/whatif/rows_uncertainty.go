package whatif

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// uncertaintyRows returns the table of the intervals. The columns of quantities are made in a
// loop, so that this table is not one of [reports.TableOf].
func uncertaintyRows(u *Uncertainty) table.Rows {
	several, sized := len(u.Designs) > 1, Sized(u.Quantities)
	rows := table.Rows{Columns: []table.Column{{Key: "platform"},
		{Key: "layer", Head: table.HeadIf(!several && !sized, "layer")},
		{Key: "design", Head: table.HeadIf(several, "design")},
		{Key: "size_bytes", Head: table.HeadIf(sized, "size")}}}
	// A fit has an interval of the next measurement, too, and people must not confuse them.
	of := ", 95 % interval"
	if !u.Measured && sized && slices.ContainsFunc(u.Designs, wasFitted) {
		of = ", 95 % by parameters"
	}
	var spreads [][]table.Field[quantity.Interval]
	for i, q := range u.Quantities {
		spread := table.SpreadOf(q.Kind.Name, q.Kind.Title+of, q.Kind.Dim,
			func(in quantity.Interval) quantity.Interval { return in })
		spread.Text = spread.Text.Ranked(i)
		spreads = append(spreads, spread.Fields())
		for _, f := range spread.Fields() {
			rows.Columns = append(rows.Columns, f.Column)
		}
	}
	probable := []string{"probability_faster"} // the keys of the columns
	if u.Faster == nil {
		probable = nil
	} else if !sized && len(u.Quantities) > 1 {
		probable = list.Map(u.Quantities, func(q Quantity) string {
			return "probability_faster_" + q.Name
		})
	}
	for _, key := range probable {
		rows.Columns = append(rows.Columns, table.Column{Key: key,
			Head: "faster with probability", Text: probabilityText})
	}
	for i, n := range u.Sizes {
		for k, d := range u.Designs {
			row := []any{d.Platform.Name, layerName(d.Design), d.Name, n}
			for j := range u.Quantities {
				for _, f := range spreads[j] {
					row = append(row, f.Cell(u.Intervals[k][j][i]))
				}
			}
			for j := range probable {
				row = append(row, table.OrAbsent(u.Faster[i+j], k == 1 && known(u, j, i)))
			}
			rows.Data = append(rows.Data, row)
		}
	}
	rows.Doubts, rows.Notes = uncertaintyNotes(u, several)
	rows.Doubts = append(rows.Doubts, NotesOf(u.Quantities)...)
	if i := len(u.Sizes) - 1; i >= 0 && len(u.Quantities) > 0 {
		k, j, of := len(u.Designs)-1, 0, " on "
		if sized {
			of = " of " + u.Sizes[i].String() + of
		} else {
			j = len(u.Quantities) - 1
		}
		q := u.Quantities[j]
		doubt := ""
		switch {
		case several && u.TooFew != "":
			doubt = "; " + u.TooFew + " and no probability"
		case u.Off != "" && !u.Measured:
			doubt = "; " + u.Off
		}
		rows.Verdict = table.Say("%s%s%s: %v%s%v%s", q.Kind.Title, of, u.Designs[k].Subject(),
			table.Shown(q.Kind.Dim, u.Intervals[k][j][i]), kindOf(u), fasterSentence(u, j, i),
			doubt)
	}
	return rows
}

// wasFitted reports whether the layer of a design, perhaps changed since, was fitted.
func wasFitted(d NamedDesign) bool { return d.Layer.Measured != nil }

// kindOf says in the closing line that an interval is of the parameters alone.
func kindOf(u *Uncertainty) string {
	if u.Measured {
		return ""
	}
	return " by the intervals of the parameters alone"
}

// fasterSentence says how likely the second design is the faster one, at the indices of the closing
// line's quantity and size.
func fasterSentence(u *Uncertainty, quantity, size int) table.Sentence {
	if u.Faster == nil || !known(u, quantity, size) {
		return table.Say("")
	}
	other := u.Designs[0].Name
	if other == "as it is" {
		other = "before"
	}
	return table.Say("; faster than %s with probability %s", other,
		probabilityText(u.Faster[quantity+size]))
}

// known reports whether both designs have an interval of the quantity and the size.
func known(u *Uncertainty, quantity, size int) bool {
	return u.Intervals[0][quantity][size].Known() && u.Intervals[1][quantity][size].Known()
}

// uncertaintyNotes says what the intervals are of, and where they are extrapolated.
func uncertaintyNotes(u *Uncertainty, several bool) (doubts, notes []string) {
	if Sized(u.Quantities) {
		for i, d := range u.Designs {
			of := ""
			if several {
				of = d.Name + ": "
			}
			if i == 0 || len(d.Changes) == 0 { // else it is the first one, changed
				doubts = append(doubts, beyond(d.Layer, of, u.Sizes)...)
			}
		}
	}
	switch sized := Sized(u.Quantities); {
	case u.Measured && !sized:
		notes = append(notes,
			"The interval is that of the next call, as halfpeak collective has it.")
		if u.Faster != nil {
			notes = append(notes, "The probability takes the two times as log-normal, with "+
				"independent errors.")
		}
	case u.Measured:
		notes = append(notes,
			"Times and bandwidth are those of the next measurement, predicted from the measured "+
				"curve, or by the lines of a model that was fitted by its name.")
		if several {
			notes = append(notes,
				"The probability assumes that the next measurements are log-normal.")
		}
	case sized && slices.ContainsFunc(u.Designs, wasFitted):
		notes = append(notes,
			"Without a measured curve, or after a change, there is no next measurement: the "+
				"intervals are those of the parameters.")
	}
	if u.Measured && !u.Sampled {
		return doubts, notes
	}
	if u.Measured {
		notes = append(notes, "Intervals of other quantities follow from those of the parameters:")
	}
	notes = append(notes,
		fmt.Sprintf("%d samples, seed %d; parameters vary independently, except that β and τ "+
			"of a fit are correlated.", u.Sampling.Samples, u.Sampling.Seed))
	notes = append(notes, changeNotes(u.Designs[len(u.Designs)-1].Design)...)
	return doubts, notes
}

// bands draws the intervals of a quantity over sizes, as a band around each line. A
// band of next measurements is made of three series and drawn below its line.
func bands(designs []NamedDesign, q Quantity, sizes []quantity.Bytes,
	s Sampling) (table.Figure, error) {
	f := table.Figure{
		Title: designs[len(designs)-1].Subject() + ": " + q.Kind.Title + " with 95 % intervals",
		X:     table.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     table.Axis{Label: q.Kind.Title, Dim: q.Kind.Dim},
	}
	if !Sized([]Quantity{q}) {
		err := fmt.Errorf("%s is the time of one call, which is no curve over sizes", q.Name)
		return f, usage.Fields(err, "plot")
	}
	next := !slices.ContainsFunc(designs,
		func(d NamedDesign) bool { return !d.Forecastable() })
	for _, d := range designs {
		line, all := table.Series{Name: d.Name, Kind: table.Line}, sizes
		follower, follows := FollowerOf(d.Design, q.Name, sizes)
		banded := next && follows
		if banded {
			var bands []table.Series
			bands, all = curves.Forecasts(d.Name, follower, d.Design.Design,
				sizes)
			f.Series = append(f.Series, bands...)
		}
		in, _, err := Intervals(d, next, q.Name, all, s)
		if err != nil && !errors.Is(err, ErrExact) {
			return f, err
		}
		for i, n := range all {
			at := in[i].Value
			if banded && !in[i].Known() {
				at = math.NaN() // as in plot
			}
			line.X, line.Y = append(line.X, float64(n)), append(line.Y, at)
			if !banded {
				line.Low, line.High = append(line.Low, in[i].Low), append(line.High, in[i].High)
			}
		}
		f.Series = append(f.Series, line)
	}
	// Where lines level off, a linear scale shows the bands, unless one of them dwarfs all lines.
	top, highest := 0.0, 0.0
	for _, s := range f.Series {
		for i, y := range s.Y {
			if s.Kind == table.Line && !math.IsNaN(y) {
				top = max(top, y)
			}
			if s.High != nil && s.High[i] > highest && !math.IsInf(s.High[i], 1) { // not NaN
				highest = s.High[i]
			}
		}
	}
	f.Y.Log = q.Kind.Dim != quantity.DimRate || highest > 2*top
	f.Notes = curves.BandNotes(f.Series)
	return f, nil
}
