package program

import (
	"context"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/program"
)

// mesh returns the times of collectives along the axes of a mesh by the layers and levels of the
// machine; nil without any. Used is set when it is asked.
func (at where) mesh(ctx context.Context, ranks int, c collective.Choices, used *bool) (
	func(program.Collective) (uint64, error), error) {
	if at.Layer.Model == nil {
		return nil, nil
	}
	layer := at.Layer
	layer.Model = at.costs.Layer
	m, err := placed.Machine(at.costs.Machine, layer, at.Map, ranks, simulate.NoLimit)
	if err != nil {
		return nil, err
	}
	of := &collectives.Mesh{Machine: m, Levels: at.costs.Machine, Ranks: ranks,
		PerNode: c.PerNode, Choices: c}
	return func(c program.Collective) (uint64, error) {
		*used = true
		return of.Time(ctx, c)
	}, nil
}
