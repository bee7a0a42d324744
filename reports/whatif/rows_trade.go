//go:build !js

package whatif

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the points of the curve.
func (t *Trade) Rows() table.Rows {
	rows := table.Rows{
		Columns: []table.Column{{Key: t.X.Key(), Head: rangeTitle(t.X)},
			{Key: t.Y.Key(), Head: rangeTitle(t.Y)}},
		Notes: []string{"On the curve, " + t.Target.shown(nil) + " just holds."},
	}
	for i, x := range t.Points.X {
		rows.Data = append(rows.Data, []any{t.X.Shown(x), t.Y.Shown(t.Points.Y[i])})
	}
	if !slices.ContainsFunc(t.Points.Y, func(y float64) bool { return !math.IsNaN(y) }) {
		rows.Verdict = table.Say("No point of the curve is in these ranges.")
	}
	return rows
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
