package collective

import (
	"context"

	"github.com/halfpeak/halfpeak/platforms"
)

// On answers the calls on a design. The errors are an unknown collective, algorithm or library, a
// call that the algorithms do not take or that was not measured, a layer with invalid times, and
// the context's error.
func (c Calls) On(ctx context.Context, d platforms.Design) (*Times, error) {
	q, err := c.on(d)
	if err != nil {
		return nil, err
	}
	t, err := q.compute(ctx)
	if err == nil {
		t.Machine = d.Name()
	}
	return t, err
}

// compute answers the question.
func (q question) compute(ctx context.Context) (t *Times, err error) {
	if len(q.fits) > 0 {
		t, err = q.measured(ctx)
	} else {
		t, err = q.simulated(ctx)
	}
	if err == nil {
		t.asked = q
	}
	return t, err
}
