//go:build !js

package whatif

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Figure draws the quantity as lines over one range, or as a heat map over two; nil if the question
// did not ask for it.
func (a *Swept) Figure() (table.Picture, error) {
	switch a.collect.(type) {
	case *lines:
		return a.lineFigure(), nil
	case *grid:
		return a.heatMap(), nil
	}
	return nil, nil
}

func rangeAxis(r Range) table.Axis {
	a := table.Axis{Label: rangeTitle(r), Bytes: r.Param.Value.Dim == quantity.DimSize}
	if r.Log {
		a.Log = true
	}
	return a
}

// lineFigure draws a line for each size.
func (a *Swept) lineFigure() table.Figure {
	r, q, l := a.Ranges[0], a.Quantities[a.Shown], a.collect.(*lines)
	f := table.Figure{X: rangeAxis(r), Y: axis(q.At(a.Sizes[0]))}
	named := len(a.Sizes) > 1 // each line has a size of its own
	if named {
		f.Y.Label = q.Kind.Title
	}
	f.Title = a.Design.Subject() + ": " + f.Y.Label
	f.Y.Near = true
	f.X.Min, f.X.Max = r.Shown(r.From), r.Shown(r.To)
	if now := r.Param.Value.Num; now > 0 {
		f.Marks = []table.Mark{{Kind: table.AtX, X: r.Shown(now),
			Label: "as it is: " + r.Param.Value.String()}}
	}
	for i, n := range a.Sizes {
		line := table.Series{Kind: table.Line, X: l.all[i].X, Y: l.all[i].Y}
		if named { // else the title says it
			line.Name = n.String()
		}
		f.Series = append(f.Series, line)
	}
	f.Y.Log = decades(f.Series)
	return f
}

// decades reports whether values, all above 0, span more than two of them: on a linear axis the
// lower lines would lie on each other.
func decades(all []table.Series) bool {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range all {
		for _, y := range s.Y {
			if !math.IsNaN(y) && !math.IsInf(y, 0) {
				lo, hi = min(lo, y), max(hi, y)
			}
		}
	}
	return lo > 0 && hi > 100*lo
}

// heatMap draws the means of the cells.
func (a *Swept) heatMap() table.HeatMap {
	x, y, g := a.Ranges[0], a.Ranges[1], a.collect.(*grid)
	q := a.Quantities[a.Shown].At(a.Sizes[0])
	return table.HeatMap{
		Title: a.Design.Subject() + ": " + axis(q).Label, Value: axis(q),
		X: rangeAxis(x), Y: rangeAxis(y), XS: g.xs, YS: g.ys, Z: g.means(),
		Marks: []table.Mark{{Kind: table.AtPoint, X: x.Shown(x.Param.Value.Num),
			Y:     y.Shown(y.Param.Value.Num),
			Label: "as it is: " + q.Value(g.now).String()}},
	}
}
