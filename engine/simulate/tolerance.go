package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Tolerance is the largest value of a LogGOPS parameter that delays the finish by no more than a
// given fraction.
type Tolerance struct {
	Parameter string  // "L", "o", "g", "G" or "O"
	Later     float64 // the fraction: 0.01 is 1 %

	// Value is the largest value of the parameter, in µs or µs per byte, with which the finish
	// is not later than that, to 1 in 10,000. +Inf: the finish never is, up to a thousand
	// seconds (or seconds per byte).
	Value float64
}

// Tolerance finds that value by running the schedule again and again with a larger parameter.
// It relies on a finish that does not come earlier when a parameter grows, which scheduling
// anomalies can break; then it returns one of several values at which the limit is crossed.
//
// Later is above 0. The machine must be LogGOPS, the schedule must end, and the errors of
// [Program.Run] are its errors.
func (p *Program) Tolerance(ctx context.Context, o Options, letter string, later float64) (Tolerance, error) {
	param, err := parameterOf(letter)
	if err != nil {
		return Tolerance{}, err
	}
	if o.Machine != nil || letter == "S" {
		return Tolerance{}, fmt.Errorf("no tolerance of %s: it needs a machine of LogGOPS parameters, and one of L, o, g, G and O", letter)
	}
	o.Record = false
	r, err := p.Run(ctx, o)
	if err != nil {
		return Tolerance{}, err
	}
	list, err := p.tolerances(ctx, o, param, r.Ranks[r.last()], 0, later)
	if err != nil {
		return Tolerance{}, err
	}
	return list[0], nil
}

// A probe is a value of a parameter with its finish.
type probe struct {
	value float64
	ticks uint64
}

// tolerances is Tolerance for several fractions, ascending, of a schedule that is finished at
// first, where the finish is by slope ticks later for each tick of the parameter, if that is known.
//
// The finish is mostly a convex function of straight pieces. So a line through what is known leads
// to where the limit is crossed, or behind it, and a probe a little further shows whether that was
// it: two runs for each fraction if there is but one piece.
func (p *Program) tolerances(ctx context.Context, o Options, param parameter, first, slope uint64, later ...float64) ([]Tolerance, error) {
	const most = 1e9 // µs
	o.Record = false
	unit := 1 / o.Rules.ticks() // values are whole ticks
	base := *param.get(&o.LogGOPS)
	known := []probe{{base, first}} // by value
	onTick := func(value float64) float64 { return base + math.Floor((value-base)/unit+1e-6)*unit }
	run := func(value float64) error {
		with := o
		*param.get(&with.LogGOPS) = value
		r, err := p.Run(ctx, with)
		if err != nil {
			return err
		}
		at, _ := slices.BinarySearchFunc(known, value, func(k probe, v float64) int { return cmp.Compare(k.value, v) })
		known = slices.Insert(known, at, probe{value, r.Ranks[r.last()]})
		return nil
	}
	var all []Tolerance
	for _, fraction := range later {
		if !(fraction > 0) {
			return nil, errors.New("a finish that is later by nothing: give a fraction above 0")
		}
		limit := uint64(math.Floor(float64(first) * (1 + fraction)))
		g := Tolerance{Parameter: param.letter, Later: fraction, Value: math.Inf(1)}
		for try := 0; ; try++ {
			after := slices.IndexFunc(known, func(k probe) bool { return k.ticks > limit })
			within := known[len(known)-1]
			if after > 0 { // 0 it cannot be: the base is within
				within = known[after-1]
			}
			little := max(unit, 1e-4*(within.value-base))
			var value float64
			if after < 0 { // nothing is beyond the limit yet
				if within.value >= most {
					break
				}
				ahead := float64(slope) / unit // ticks for each µs
				if before := len(known) - 2; before >= 0 && within.ticks > known[before].ticks {
					ahead = float64(within.ticks-known[before].ticks) / (within.value - known[before].value)
				}
				switch {
				case ahead > 0 && try == 0:
					value = within.value + float64(limit-within.ticks)/ahead
				case ahead > 0 && try == 1:
					value = within.value + little
				default:
					value = base + max(8*(within.value-base), base, unit)
				}
				value = min(onTick(value), most)
				value = max(value, within.value+unit)
			} else {
				beyond := known[after]
				if beyond.value-within.value <= little+unit/2 {
					g.Value = within.value
					break
				}
				switch try % 3 {
				case 0: // where the line through the two reaches the limit
					value = within.value + float64(limit-within.ticks)/float64(beyond.ticks-within.ticks)*(beyond.value-within.value)
				case 1:
					value = within.value + little
				default:
					value = within.value + (beyond.value-within.value)/2
				}
				value = onTick(value)
				if value <= within.value || value >= beyond.value {
					if try%3 == 2 {
						g.Value = within.value
						break
					}
					continue
				}
			}
			if err := run(value); err != nil {
				return nil, err
			}
		}
		all = append(all, g)
	}
	return all, nil
}
