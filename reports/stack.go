//go:build !js

package reports

import (
	"errors"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func (s Stack) title() string { return s[0].title() }

// painter returns a function that draws the stack. Only the first figure has a
// legend, so the figures below it should use its names. The notes of all stand
// together below: between panels they would tear apart what shares an axis.
func (s Stack) painter() (func(draw.Canvas) axes, error) {
	if len(s) == 0 {
		return nil, errors.New("nothing to draw: no figures")
	}
	panels := make([]func(draw.Canvas) axes, len(s))
	var notes []string
	for i, f := range s {
		paint, more, err := f.panel()
		if err != nil {
			return nil, err
		}
		panels[i] = paint
		notes = append(notes, more...)
	}
	return func(c draw.Canvas) axes {
		c = frame(c, s[0].Title, s[0].legend(s[0].styles()), notes)
		areas := make([]draw.Canvas, len(panels))
		lefts := make([]vg.Length, len(panels))
		most, top := vg.Length(0), c.Max.Y
		for i, paint := range panels {
			// The first figure has the data; residuals need less height.
			share := vg.Length(2) / 3
			if i > 0 {
				share = vg.Length(1) / 3 / vg.Length(len(panels)-1)
			}
			area := c
			area.Max.Y = top
			area.Min.Y = top - share*(c.Max.Y-c.Min.Y)
			top = area.Min.Y
			areas[i] = area
			// Drawn once to see where the axis goes: its ticks depend on the size of the panel.
			size := area.Size()
			trial := draw.Canvas{Canvas: vgsvg.New(size.X, size.Y), Rectangle: area.Rectangle}
			lefts[i] = paint(trial).area.Min.X
			most = max(most, lefts[i])
		}
		for i, paint := range panels {
			// All panels begin at the farthest axis, so that the same x stands at the same place in
			// each.
			areas[i].Min.X += most - lefts[i]
			paint(areas[i])
		}
		return axes{}
	}, nil
}
