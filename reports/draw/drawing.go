// Package draw draws the pictures of package table as files (PNG, SVG, PDF), and writes documents
// as one HTML file without references to other files.
//
// A drawing has a method painter, which checks the data and returns a function that draws on a
// canvas of any size and kind: image.go calls it once for each file, html_picture.go twice for each
// picture of a page. On the way down, frame (theme.go) takes the title, the legend and the notes
// from the canvas, limits and apply (ticks.go) choose the axes for what is left, and labeller
// (labels.go) finds room for the labels inside. Texts from outside pass html/template or
// [table.OneLine].
package draw

import (
	"fmt"

	"gonum.org/v1/plot/vg/draw"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A drawing is a picture in the units of a reader.
type drawing interface {
	title() string
	// in returns the drawing in the units of a reader, and otherwise in units that are chosen for
	// its values.
	in(quantity.UnitChoice) drawing
	// painter returns a function that draws onto a canvas and, if a script shows the values,
	// returns the place of its axes.
	painter() (func(draw.Canvas) axes, error)
}

// The drawings of each kind of picture: the picture's data with axes that have a unit.
type (
	figure struct {
		table.Figure
		X, Y axis
	}
	stack []figure
	areas struct {
		table.Areas
		X, Y axis
	}
	tornado struct {
		table.Tornado
		X axis
	}
	heatMap struct {
		table.HeatMap
		X, Y, Value axis
	}
	timeline struct {
		table.Timeline
		time  axis
		total string // the end of the last box, with its unit
	}
	regionMap struct {
		table.RegionMap
		X, Y axis
	}
)

// drawingOf returns the drawing of a picture.
func drawingOf(p table.Picture) (drawing, error) {
	switch p := p.(type) {
	case table.Figure:
		return figureOf(p), nil
	case table.Stack:
		var s stack
		for _, f := range p {
			s = append(s, figureOf(f))
		}
		return s, nil
	case table.Areas:
		return areas{p, axis{Axis: p.X}, axis{Axis: p.Y}}, nil
	case table.Tornado:
		return tornado{p, axis{Axis: p.X}}, nil
	case table.HeatMap:
		return heatMap{p, axis{Axis: p.X}, axis{Axis: p.Y}, axis{Axis: p.Value}}, nil
	case table.Timeline:
		return timeline{Timeline: p, time: timeAxis}, nil
	case table.RegionMap:
		return regionMap{p, axis{Axis: p.X}, axis{Axis: p.Y}}, nil
	}
	return nil, fmt.Errorf("no drawing of a %T", p)
}

func figureOf(f table.Figure) figure { return figure{f, axis{Axis: f.X}, axis{Axis: f.Y}} }
