package collectives

import "context"

// Compute answers the question. The errors are an unknown collective, algorithm or library, a call
// that the algorithms do not take or that was not measured, a layer with invalid times, and the
// context's error.
func (q Question) Compute(ctx context.Context) (*Times, error) {
	if len(q.Fits) > 0 {
		return q.measured(ctx)
	}
	return q.simulated(ctx)
}
