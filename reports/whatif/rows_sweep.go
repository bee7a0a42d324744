//go:build !js

package whatif

import (
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
	rows := table.Rows{Doubts: a.doubts}
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
	return rows
}
