//go:build !js

package whatif

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the points of the curve.
func (t *Trade) Rows() table.Rows {
	rows := table.Rows{
		Columns: []table.Column{{Key: t.X.Key(), Head: rangeTitle(t.X)},
			{Key: t.Y.Key(), Head: rangeTitle(t.Y)}},
		Notes: []remark.Note{remark.OnCurve(t.Target.shown(nil))},
	}
	for i, x := range t.Points.X {
		rows.Data = append(rows.Data, []any{t.X.Shown(x), t.Y.Shown(t.Points.Y[i])})
	}
	rows.Verdict = t.closing()
	return rows
}

// closing returns the ends of the curve: what the second parameter must be at the least and at the
// largest value of the first that have a point.
func (t *Trade) closing() table.Sentence {
	var ends []int
	for i, y := range t.Points.Y {
		if !math.IsNaN(y) {
			ends = append(ends[:min(len(ends), 1)], i)
		}
	}
	x, y := t.X.Param, t.Y.Param
	if len(ends) == 0 {
		return table.Say("no point of the curve is in these ranges; give wider ones, as " +
			"--solve-for NAME=FROM..TO")
	}
	value := func(r Range, v float64) any {
		if r.Param.Value.Dim == quantity.DimNone {
			return table.Significant(v, 4)
		}
		return table.Shown(r.Param.Value.Dim, quantity.Alone(v))
	}
	return table.Say("%s just holds with %v", t.Target.shown(nil),
		table.Listed(", and with ", ends, func(i int) table.Sentence {
			return table.Say("%s %v at %s %v", y.Short(), value(t.Y, t.Points.Y[i]), x.Short(),
				value(t.X, t.Points.X[i]))
		}))
}

// Figure draws a heat map of the quantity with the curve over it; nil if the question did not ask
// for it.
func (t *Trade) Figure() (table.Picture, error) {
	if t.over == nil {
		return nil, nil
	}
	line := table.Series{Name: t.Target.shown(nil), Kind: table.Line}
	for i, x := range t.fine.X {
		line.X, line.Y = append(line.X, t.X.Shown(x)), append(line.Y, t.Y.Shown(t.fine.Y[i]))
	}
	h := t.over.heatMap()
	h.Lines = []table.Series{line}
	return h, nil
}
