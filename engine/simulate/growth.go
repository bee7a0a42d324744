package simulate

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Growth is how far a parameter of LogGOPS may grow until the finish is later by a given fraction.
type Growth struct {
	Parameter string  // "L", "o", "g", "G" or "O"
	Later     float64 // the fraction: 0.01 is 1 %

	// Value is the largest value of the parameter, in µs or µs per byte, with which the finish
	// is not later than that, to 1 in 10,000. +Inf: the finish never is, up to a thousand
	// seconds (or seconds per byte).
	Value float64
}

// Growth looks for the growth by running the schedule again and again with a larger parameter,
// first doubling what is added, then halving the interval. It relies on a finish that does not
// come earlier when a parameter grows, which scheduling anomalies can break; then it returns
// one of several values at which the limit is crossed.
//
// Later is above 0. The machine must be LogGOPS, the schedule must end, and the errors of
// [Program.Run] are its errors.
func (p *Program) Growth(ctx context.Context, o Options, letter string, later float64) (Growth, error) {
	param, err := parameterOf(letter)
	if err != nil {
		return Growth{}, err
	}
	if o.Machine != nil || letter == "S" {
		return Growth{}, fmt.Errorf("how far %s may grow is asked of a machine of LogGOPS parameters, for L, o, g, G and O", letter)
	}
	if !(later > 0) {
		return Growth{}, errors.New("a finish that is later by nothing: give a fraction above 0")
	}
	o.Record = false
	finish := func(value float64) (uint64, error) {
		with := o
		*param.get(&with.LogGOPS) = value
		r, err := p.Run(ctx, with)
		if err != nil {
			return 0, err
		}
		return r.Ranks[r.last()], nil
	}
	unit := 1 / o.Rules.ticks() // values are whole ticks
	base := *param.get(&o.LogGOPS)
	first, err := finish(base)
	if err != nil {
		return Growth{}, err
	}
	g := Growth{Parameter: letter, Later: later}
	limit := uint64(math.Floor(float64(first) * (1 + later)))
	within := base
	var beyond float64
	for step := max(base/16, unit); ; step *= 2 {
		value := base + math.Round(step/unit)*unit
		if value > 1e9 {
			g.Value = math.Inf(1)
			return g, nil
		}
		t, err := finish(value)
		if err != nil {
			return g, err
		}
		if t > limit {
			beyond = value
			break
		}
		within = value
	}
	for beyond-within > max(1.5*unit, 1e-4*(within-base)) {
		middle := base + math.Round((within+(beyond-within)/2-base)/unit)*unit
		if middle <= within || middle >= beyond {
			break
		}
		t, err := finish(middle)
		if err != nil {
			return g, err
		}
		if t > limit {
			beyond = middle
		} else {
			within = middle
		}
	}
	g.Value = within
	return g, nil
}
