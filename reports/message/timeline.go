//go:build !js

package message

import (
	"cmp"
	"context"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A TimelineQuestion asks for the way of a message of Size through a layer's pipeline, as the
// message engine sends it; see [curves.Timeline].
type TimelineQuestion struct {
	On    platforms.Design
	Size  quantity.Bytes
	Title string // empty: the layer, the size and its packets
}

func (q TimelineQuestion) Ask(context.Context) (d table.Drawn, err error) {
	t, err := curves.Timeline(q.On, q.Size)
	t.Title = cmp.Or(q.Title, t.Title)
	return table.Drawn{Picture: t}, err
}
