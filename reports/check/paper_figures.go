package check

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A FigureQuestion asks for a figure of a paper, drawn from the models: data and not code says
// which (data/figures.toml), so that a platform's figures need no Go.
type FigureQuestion struct{ papers.Figure }

func (q FigureQuestion) Ask(context.Context) (table.Drawn, error) {
	picture, err := draw(q.Figure)
	if err != nil {
		return table.Drawn{}, fmt.Errorf("figure %s: %w", q.Name, err)
	}
	return table.Drawn{Picture: picture}, nil
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
		s, err := signature(designs)
		s.Title = f.Title
		return s, err
	}
	c, err := curves.Figure(curves.Kind(f.Kind), sizes, designs...)
	c.Title = f.Title
	return c, err
}
