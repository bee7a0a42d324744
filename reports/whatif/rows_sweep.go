//go:build !js

package whatif

import (
	"cmp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// rangeTitle names the parameter on an axis: "host-dma.tau (µs/KiB)".
func rangeTitle(r Range) string {
	title := r.Param.Short()
	if u := r.Param.Value.Dim.Column().Unit; u != "" {
		title += " (" + u + ")"
	}
	return title
}

// Rows returns the rows for people: numbers of one column have one scale. There are none if they
// were written elsewhere.
func (a *Swept) Rows() table.Rows {
	// Times without a size, such as the finish of a schedule, need no column of sizes
	// for people.
	heads := []string{}
	for _, r := range a.Ranges {
		heads = append(heads, rangeTitle(r))
	}
	heads = append(heads, table.HeadIf(Sized(a.Quantities), "size"))
	for _, q := range a.Quantities {
		heads = append(heads, q.Kind.Title)
	}
	rows := table.Rows{Notes: a.notes}
	for i, key := range a.Keys() {
		rows.Columns = append(rows.Columns, table.Column{Key: key, Head: heads[i]})
	}
	fixed := len(a.Ranges) + 1 // columns without a quantity
	for _, row := range a.rows {
		var cells []any
		for i, v := range row {
			if i < fixed {
				cells = append(cells, v)
				continue
			}
			dim := a.Quantities[i-fixed].Kind.Dim
			cells = append(cells, table.Shown(dim, quantity.Alone(v/dim.Column().Scale)))
		}
		rows.Data = append(rows.Data, cells)
	}
	for j := range a.Ranges {
		var values []float64
		for _, row := range a.rows {
			values = append(values, row[j])
		}
		scale := quantity.NewScale(quantity.DimNone, nil, 3, values...)
		rows.Columns[j].Text = func(v any) string { return scale.Number(v.(float64)) }
	}
	rows.Columns[len(a.Ranges)].Text = func(v any) string {
		return quantity.Bytes(v.(float64)).String()
	}
	rows.Verdict = a.closing(rows)
	return rows
}

// closing says from where to where each quantity goes that was asked for, else the first, at which
// values of the parameters.
func (a *Swept) closing(rows table.Rows) table.Sentence {
	if len(a.rows) == 0 {
		return table.Sentence{}
	}
	several := len(a.Ranges) > 1
	at := func(row []float64, named bool) string {
		var words []string
		for j, r := range a.Ranges {
			text := rows.Columns[j].Text(row[j])
			if named || several {
				text = r.Param.Short() + " " + text
			}
			words = append(words, strings.TrimSpace(text+" "+r.Param.Value.Dim.Column().Unit))
		}
		if size := len(a.Ranges); len(a.Sizes) > 1 && Sized(a.Quantities) {
			words = append(words, rows.Columns[size].Text(row[size]))
		}
		return strings.Join(words, ", ")
	}
	closing := table.Closing{Error: a.noInterval}
	for i, q := range a.Quantities {
		j := len(a.Ranges) + 1 + i
		by := func(x, y []float64) int { return cmp.Compare(x[j], y[j]) }
		least, most := slices.MinFunc(a.rows, by), slices.MaxFunc(a.rows, by)
		shown := func(row []float64) any {
			return table.Shown(q.Kind.Dim, quantity.Alone(row[j]/q.Kind.Dim.Column().Scale))
		}
		v := table.Closed{Of: q.Kind.Title, Value: shown(least), With: " at all values"}
		if least[j] < most[j] {
			v.With = table.Say(" at %s, %v at %s", at(least, true), shown(most),
				at(most, false))
		}
		closing.Values = append(closing.Values, v)
	}
	said := table.MaxClosed
	if !a.asked && a.Design.Calls == nil {
		said = 1
	}
	closing.Values = closing.Values[:min(len(closing.Values), said)]
	return closing.Say()
}
