package check

import (
	"fmt"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A paperFigure is a figure of a paper, drawn from the models: data and not code says
// which (data/figures.toml), so that a platform's figures need no Go.
type paperFigure struct {
	Name string // a file's name without its extension
	table.Picture
}

// PaperFigures draws the figures of the papers that package papers lists. An error
// names the figure.
func PaperFigures() ([]paperFigure, error) {
	listed, err := papers.Figures()
	if err != nil {
		return nil, err
	}
	var all []paperFigure
	for _, f := range listed {
		picture, err := draw(f)
		if err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.Name, err)
		}
		all = append(all, paperFigure{f.Name, picture})
	}
	return all, nil
}

func draw(f papers.Figure) (table.Picture, error) {
	sizes, err := quantity.ParseSizes(f.Sizes)
	if err != nil {
		return nil, err
	}
	var designs []platforms.Design
	for _, ref := range f.Platforms {
		d, err := platforms.Open(ref)
		if err != nil {
			return nil, err
		}
		// Some figures show packets that are not the platform's.
		if d, err = d.Recut(f.Packet); err != nil {
			return nil, err
		}
		designs = append(designs, d)
	}
	switch f.Kind {
	case "timeline":
		t, err := curves.Timeline(designs[0], sizes[0])
		t.Title = f.Title
		return t, err
	case "signature":
		s, err := Signature(designs...)
		s.Title = f.Title
		return s, err
	}
	c, err := curves.Figure(curves.Kind(f.Kind), sizes, designs...)
	c.Title = f.Title
	return c, err
}
