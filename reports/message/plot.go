package message

import (
	"cmp"
	"context"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A CurveQuestion asks for the curves of a quantity over message sizes, with measured points.
type CurveQuestion struct {
	On    []platforms.Design // each is one layer
	Kind  curves.Kind
	Sizes []quantity.Bytes // nil: 1 B to 1 MiB, or to the largest that was measured
	Title string           // empty: the names of the layers
}

func (q CurveQuestion) Ask(context.Context) (d table.Drawn, err error) {
	if q.Sizes == nil {
		q.Sizes = curves.Sizes(list.Map(q.On, func(d platforms.Design) platforms.Layer {
			return d.Layer
		})...)
	}
	f, err := curves.Figure(q.Kind, q.Sizes, q.On...)
	f.Title = cmp.Or(q.Title, f.Title)
	return table.Drawn{Picture: f}, err
}
