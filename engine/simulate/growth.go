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

// Growth looks for the growth by running the schedule again and again with a larger parameter. It
// relies on a finish that does not come earlier when a parameter grows, which scheduling anomalies
// can break; then it returns one of several values at which the limit is crossed.
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
	// The finish is mostly a convex function of straight pieces, so lines through two known points
	// lead near the crossing, and a probe behind it shows whether that is it.
	within, atWithin := base, float64(first)
	var beyond, atBeyond float64
	onTick := func(value float64) float64 { return base + math.Floor((value-base)/unit+1e-6)*unit }
	tolerance := func() float64 { return max(unit, 1e-4*(within-base)) }
	for step := max(base/16, unit); ; step *= 2 {
		value := onTick(base + step)
		if value > 1e9 {
			g.Value = math.Inf(1)
			return g, nil
		}
		t, err := finish(value)
		if err != nil {
			return g, err
		}
		if t > limit {
			beyond, atBeyond = value, float64(t)
			break
		}
		if slope := (float64(t) - atWithin) / (value - within); slope > 0 {
			step = max(step, (value+(float64(limit)-float64(t))/slope-base)/2)
		}
		within, atWithin = value, float64(t)
	}
	for try := 0; beyond-within > tolerance()+unit/2; try++ {
		var value float64
		switch try % 3 {
		case 0: // where the line through the two reaches the limit
			value = within + (float64(limit)-atWithin)/(atBeyond-atWithin)*(beyond-within)
		case 1: // a little behind
			value = within + tolerance()
		default:
			value = within + (beyond-within)/2
		}
		value = onTick(value)
		if value <= within || value >= beyond {
			if try%3 == 2 {
				break
			}
			continue
		}
		t, err := finish(value)
		if err != nil {
			return g, err
		}
		if t > limit {
			beyond, atBeyond = value, float64(t)
		} else {
			within, atWithin = value, float64(t)
		}
	}
	g.Value = within
	return g, nil
}
