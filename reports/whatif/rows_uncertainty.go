package whatif

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the intervals. The columns of quantities are made in a
// loop, so that this table is not one of [table.TableOf].
func (u *Uncertainty) Rows() table.Rows {
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
		probable = nil
		for _, q := range u.Quantities {
			probable = append(probable, "probability_faster_"+q.Name)
		}
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
	rows.Notes = slices.Concat(u.notes, u.readings())
	rows.Verdict = u.closing()
	return rows
}

// closing returns the intervals of the last design: of messages those of the first quantity, of
// calls those of all.
func (u *Uncertainty) closing() table.Sentence {
	k := len(u.Designs) - 1
	closing := table.Closing{Subject: u.Designs[k].Subject()}
	sized := Sized(u.Quantities)
	for j, q := range u.Quantities {
		if sized && j > 0 {
			break
		}
		for i, n := range u.Sizes {
			v := table.Closed{Of: q.Kind.Title, With: fasterSentence(u, j, i),
				Value: table.Shown(q.Kind.Dim, u.Intervals[k][j][i])}
			if sized {
				closing.Subject, v.Of = q.Kind.Title+" on "+u.Designs[k].Subject(), n
			}
			closing.Values = append(closing.Values, v)
		}
	}
	if len(closing.Values) > table.MaxClosed {
		closing.Changes = u.leastFaster()
	}
	switch {
	case len(u.Designs) > 1 && u.TooFew != "":
		closing.Error = u.TooFew + " and no probability"
	case !u.Measured:
		closing.Error = "by the intervals of the parameters alone"
		if u.Off != "" {
			closing.Error += "; " + u.Off
		}
	}
	return closing.Say()
}

// leastFaster says at which size it is the least certain that the second design is the faster one.
func (u *Uncertainty) leastFaster() string {
	if u.Faster == nil || math.IsNaN(u.Faster[0]) {
		return ""
	}
	doubt := func(i int) float64 { return math.Abs(u.Faster[i] - 0.5) }
	least := 0
	for i := range u.Faster {
		if doubt(i) < doubt(least) {
			least = i
		}
	}
	text := fmt.Sprintf("faster than %s with probability %s", u.other(),
		probabilityText(u.Faster[least]))
	if u.Faster[least] > 0.999 {
		return text + " at each size"
	}
	return fmt.Sprintf("%s at %v, the least certain", text, u.Sizes[least])
}

// other names the design that the last one is compared with.
func (u *Uncertainty) other() string {
	if u.Designs[0].Name == "as it is" {
		return "before"
	}
	return u.Designs[0].Name
}

// wasFitted reports whether the layer of a design, perhaps changed since, was fitted.
func wasFitted(d NamedDesign) bool { return d.Layer.Measured != nil }

// fasterSentence says how likely the second design is the faster one, at the indices of the closing
// line's quantity and size.
func fasterSentence(u *Uncertainty, quantity, size int) table.Sentence {
	if u.Faster == nil || !known(u, quantity, size) {
		return table.Say("")
	}
	return table.Say(", faster than %s with probability %s", u.other(),
		probabilityText(u.Faster[quantity+size]))
}

// known reports whether both designs have an interval of the quantity and the size.
func known(u *Uncertainty, quantity, size int) bool {
	return u.Intervals[0][quantity][size].Known() && u.Intervals[1][quantity][size].Known()
}

// notes says what the intervals are of.
func (u *Uncertainty) readings() (notes []remark.Note) {
	switch sized := Sized(u.Quantities); {
	case u.Measured && !sized:
		notes = append(notes, remark.NextCall())
		if u.Faster != nil {
			notes = append(notes, remark.LogNormalTimes())
		}
	case u.Measured:
		notes = append(notes, remark.NextOfCurve())
		if len(u.Designs) > 1 {
			notes = append(notes, remark.LogNormalNext())
		}
	case sized && slices.ContainsFunc(u.Designs, wasFitted):
		notes = append(notes, remark.OfParameters())
	}
	if u.Measured && !u.Sampled {
		return notes
	}
	if u.Measured {
		notes = append(notes, remark.OthersFollow())
	}
	notes = append(notes, remark.Sampled(u.Sampling.Samples, u.Sampling.Seed))
	notes = append(notes, changeNotes(u.Designs[len(u.Designs)-1].Design)...)
	return notes
}
