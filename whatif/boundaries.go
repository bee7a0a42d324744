package whatif

import (
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// WithBoundaries adds to sizes the last of each branch and the first of the next, so that the
// line jumps where the protocol does.
func WithBoundaries(sizes, boundaries []quantity.Bytes) []quantity.Bytes {
	all := slices.Clone(sizes)
	for _, n := range boundaries {
		all = append(all, n, n+1)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// BoundaryMarks says at each boundary which branch ends there.
func BoundaryMarks(l platforms.Layer, boundaries []quantity.Bytes) []reports.Mark {
	var marks []reports.Mark
	for _, n := range boundaries {
		marks = append(marks, reports.Mark{Kind: reports.AtX, X: float64(n), Series: l.Ref(), Label: model.Regime(l.Model, n) + " up to " + n.String()})
	}
	return marks
}
