package simulate

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
)

// Why holds the composition of a finish time and its dependence on each parameter.
type Why struct {
	Result *Result
	Path   *Path

	// Tolerances holds those of L, o, g, G and O, in this order, for each requested fraction. It is
	// empty on a machine that is not LogGOPS.
	Tolerances [][]Tolerance
}

// Why runs the schedule by the default rules, records it, and finds how far each parameter may grow
// before the finish is later by each of the ascending fractions. Errors are those of Run and Path,
// and a fraction of 0 or less.
func (p *Program) Why(ctx context.Context, o Setup, later ...float64) (*Why, error) {
	o.Record = true
	r, err := p.Run(ctx, o)
	if err != nil {
		return nil, err
	}
	w := &Why{Result: r}
	if w.Path, err = r.Path(); err != nil {
		return nil, err
	}
	if o.Machine != nil {
		return w, nil
	}
	for _, param := range parameters[:5] { // S is a size and not a time
		finish, slope := r.Ranks[r.last()], w.Path.Slopes.By(param.letter)
		list, err := p.tolerances(ctx, o, param, finish, slope, later...)
		if err != nil {
			return nil, err
		}
		w.Tolerances = append(w.Tolerances, list)
	}
	return w, nil
}

// Tolerance is the largest value of a LogGOPS parameter that delays the finish by no more than a
// given fraction.
type Tolerance struct {
	Parameter string  // "L", "o", "g", "G" or "O"
	Later     float64 // the fraction: 0.01 is 1 %

	// Value is the largest value of the parameter that delays the finish by at most that fraction,
	// in µs or µs per byte, to 1 in 10,000. It is +Inf if even a thousand seconds (or seconds per
	// byte) do not delay it more.
	Value float64
}

// A probe is a value of a parameter with its finish.
type probe struct {
	value float64
	ticks uint64
}

// tolerances finds the values for several ascending fractions. The schedule finishes at first, and
// by slope ticks later for each tick of the parameter, or 0 if that is unknown. Each probe is a
// run. The search assumes that the finish never comes earlier when a parameter grows. Scheduling
// anomalies can break this; then it returns one of several values at which the limit is crossed.
func (p *Program) tolerances(ctx context.Context, o Setup, param parameter,
	first, slope uint64, later ...float64) ([]Tolerance, error) {
	o.Record = false
	base := *param.get(&o.LogGOPS)
	s := search{base: base, unit: 1 / o.Rules.ticks(), slope: float64(slope) * o.Rules.ticks(),
		known: []probe{{base, first}}}
	if o.Rules == Default && (param.letter == "G" || param.letter == "O") {
		s.unit /= 1e6 // times of a byte: a message of a megabyte sees less than a tick
	}
	s.run = func(value float64) (uint64, error) {
		with := o
		*param.get(&with.LogGOPS) = value
		r, err := p.Run(ctx, with)
		if err != nil {
			return 0, err
		}
		return r.Ranks[r.last()], nil
	}
	var all []Tolerance
	for _, fraction := range later {
		if !(fraction > 0) {
			return nil, errors.New("the finish must be later by a fraction above 0")
		}
		value, err := s.find(uint64(math.Floor(float64(first) * (1 + fraction))))
		if err != nil {
			return nil, err
		}
		all = append(all, Tolerance{param.letter, fraction, value})
	}
	return all, nil
}

// A search finds where the finish passes a limit.
//
// The finish is mostly a convex function of straight pieces. So a line through known probes leads
// to the crossing of the limit, or behind it, and a probe a little further shows whether that was
// it: two runs for each limit if there is a single piece.
type search struct {
	run        func(value float64) (ticks uint64, err error)
	base, unit float64 // values are the base and whole units
	slope      float64 // ticks for each µs
	known      []probe // by value
}

// find returns the largest value whose finish is not beyond the limit.
func (s *search) find(limit uint64) (float64, error) {
	const most = 1e9 // µs: a thousand seconds, which Tolerance.Value promises to try
	for try := 0; ; try++ {
		after := slices.IndexFunc(s.known, func(k probe) bool { return k.ticks > limit })
		within := s.known[len(s.known)-1]
		if after > 0 { // 0 it cannot be: the base is within
			within = s.known[after-1]
		}
		little := max(s.unit, 1e-4*(within.value-s.base))
		var value float64
		if after < 0 { // nothing is beyond the limit yet
			if within.value >= most {
				return math.Inf(1), nil
			}
			value = max(min(s.onTick(s.ahead(limit, little, try)), most), within.value+s.unit)
		} else {
			beyond := s.known[after]
			if beyond.value-within.value <= little+s.unit/2 {
				return within.value, nil
			}
			switch value = within.value + (beyond.value-within.value)/2; try % 3 {
			case 0: // where the line through the two reaches the limit
				way := float64(limit-within.ticks) / float64(beyond.ticks-within.ticks)
				value = within.value + way*(beyond.value-within.value)
			case 1:
				value = within.value + little
			}
			if value = s.onTick(value); value <= within.value || value >= beyond.value {
				if try%3 == 2 {
					return within.value, nil
				}
				continue
			}
		}
		ticks, err := s.run(value)
		if err != nil {
			return 0, err
		}
		at, _ := slices.BinarySearchFunc(s.known, value, func(k probe, v float64) int {
			return cmp.Compare(k.value, v)
		})
		s.known = slices.Insert(s.known, at, probe{value, ticks})
	}
}

// ahead returns a value that may be beyond the limit, which no known one is.
func (s *search) ahead(limit uint64, little float64, try int) float64 {
	last := len(s.known) - 1
	within, slope := s.known[last], s.slope
	if last > 0 && within.ticks > s.known[last-1].ticks {
		slope = float64(within.ticks-s.known[last-1].ticks) / (within.value - s.known[last-1].value)
	}
	switch {
	case slope > 0 && try == 0:
		return within.value + float64(limit-within.ticks)/slope
	case slope > 0 && try == 1:
		return within.value + little
	}
	return s.base + max(8*(within.value-s.base), s.base, s.unit)
}

func (s *search) onTick(value float64) float64 {
	return s.base + math.Floor((value-s.base)/s.unit+1e-6)*s.unit
}
