package judge

import (
	"fmt"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/predict"
	"github.com/halfpeak/halfpeak/whatif"
)

// A PaperFigure is a figure of a paper, drawn from the models.
type PaperFigure struct {
	Name string // a file's name without its extension
	reports.Picture
}

// PaperFigures draws the figures of the papers that package data lists.
func PaperFigures() ([]PaperFigure, error) {
	listed, err := data.Figures()
	if err != nil {
		return nil, err
	}
	var all []PaperFigure
	for _, f := range listed {
		picture, err := drawn(f)
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.Name, err)
		}
		all = append(all, PaperFigure{f.Name, picture})
	}
	return all, nil
}

func drawn(f data.Figure) (reports.Picture, error) {
	sizes, err := quantity.ParseSizes(f.Sizes)
	if err != nil {
		return nil, err
	}
	var designs []whatif.Design
	for _, ref := range f.Platforms {
		d, err := whatif.Find(ref)
		if err != nil {
			return nil, err
		}
		if f.Packet != "" {
			cut, err := platforms.ParseCut(f.Packet)
			if err != nil {
				return nil, err
			}
			if d.Layer.Model, err = model.Recut(d.Layer.Model, cut); err != nil {
				return nil, err
			}
		}
		designs = append(designs, d)
	}
	if f.Kind == "timeline" {
		t, err := predict.Timeline(designs[0], sizes[0])
		t.Title = f.Title
		return t, err
	}
	if f.Kind == "signature" {
		s, err := Signature(designs...)
		s.Title = f.Title
		return s, err
	}
	c, err := predict.Curves(predict.CurveKind(f.Kind), sizes, designs...)
	c.Title = f.Title
	return c, err
}
