package program

import (
	"context"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Schedule runs the program on each rank, and returns its operations and marks. Errors name the
// line and the rank. The end of the context ends it at once.
func (p *Program) Schedule(ctx context.Context, o Options) (*schedule.Schedule, *schedule.Marks,
	error) {
	c, err := p.Calls(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	return c.Schedule(ctx)
}
