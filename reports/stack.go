package reports

import (
	"errors"
	"io"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Stack is figures one below the other, their vertical axes aligned: a fit above its
// residuals. The first takes two thirds of the height, the others share the
// rest. Give all the same X.Min and X.Max.
type Stack []Figure

// Rows returns the rows of all figures.
func (s Stack) Rows() Rows {
	var rows Rows
	for _, f := range s {
		r := f.Rows()
		rows.Columns = r.Columns
		rows.Data = append(rows.Data, r.Data...)
		rows.Notes = append(rows.Notes, r.Notes...)
	}
	return rows
}

// WriteImage draws the stack; see Picture. The title and the legend are those of the
// first figure.
func (s Stack) WriteImage(w io.Writer, ext string, width, height int) error {
	if len(s) == 0 {
		return errors.New("nothing to draw: there are no figures")
	}
	type panel struct {
		paint func(draw.Canvas)
		left  vg.Length // of the axis, from the left of the canvas
	}
	panels := make([]panel, len(s))
	var most vg.Length
	var notes []string
	for i, f := range s {
		var at axes
		paint, more, err := f.inside(&at)
		if err != nil {
			return err
		}
		paint(draw.New(vgsvg.New(vg.Length(width)*pixel, vg.Length(height)*pixel))) // to see where the axis goes
		panels[i] = panel{paint, at.area.Min.X}
		most = max(most, at.area.Min.X)
		notes = append(notes, more...)
	}
	return writeImage(w, ext, width, height, func(c draw.Canvas) {
		c = frame(c, s[0].Title, s[0].legend(s[0].styles()), notes)
		top := c.Max.Y
		for i, p := range panels {
			share := vg.Length(2) / 3
			if i > 0 {
				share = vg.Length(1) / 3 / vg.Length(len(panels)-1)
			}
			area := c
			area.Max.Y = top
			area.Min.Y = top - share*(c.Max.Y-c.Min.Y)
			area.Min.X += most - p.left
			top = area.Min.Y
			p.paint(area)
		}
	})
}
