//go:build !js

package halfpeak

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// A Study is a call on a design, made ready for many values of the design's parameters. It answers
// what the command whatif does, with values in place of tables; values of times are in µs.
type Study struct {
	// Design has the questions that are not about the call alone, such as landmarks.
	Design whatif.Design
	Time   whatif.Quantity // of the call; [Collectives] with several times have none
	err    error           // why there is no time
}

// Study prepares a call: collectives and programs are simulated once. Errors are those of
// [Design.Ask].
func (d Design) Study(ctx context.Context, c Call) (s Study, err error) {
	if c == nil {
		return s, errNoCall
	}
	of, calls, err := c.prepare(ctx, d)
	if err != nil {
		return s, err
	}
	s.Design = whatif.Of(of, calls...)
	if m, is := c.(Message); is {
		all, err := s.Design.Quantities("one_way")
		if err != nil {
			return s, err
		}
		s.Time = all[0].At(m.Size)
		_, err = s.Now()
		return s, err
	}
	all, err := s.Design.Quantities()
	if err != nil {
		return s, err
	}
	s.Time = all[0]
	if several, is := c.(Collectives); is && len(all) > 1 {
		s.Time, s.err = whatif.Quantity{}, fmt.Errorf("%s has %d times: ask for one algorithm, or "+
			"the best, on one number of ranks and of one size", several.Collective, len(all))
	}
	return s, nil
}

// prepared returns an error if the study has no time: [Design.Study] did not make it, or made it of
// several calls.
func (s Study) prepared() error {
	if s.Design.Layer.Model == nil && len(s.Design.Calls) == 0 {
		return errNoCall
	}
	return s.err
}

// about returns the case of the questions of package whatif: the time in the design as it is.
func (s Study) about() whatif.Case {
	return whatif.Case{Before: s.Design, After: s.Design, Quantities: []whatif.Quantity{s.Time},
		Sizes: []quantity.Bytes{max(s.Time.Size, 1)}} // calls have their own
}

// Now returns the time of the call in the design as it is.
func (s Study) Now() (quantity.Micros, error) {
	if err := s.prepared(); err != nil {
		return 0, err
	}
	v, err := s.Design.ValueOf(s.Time)
	return quantity.Micros(v), err
}

// Sensitivities returns how much the time depends on each parameter, the most important first; see
// [whatif.SensitivityQuestion].
func (s Study) Sensitivities() (all []whatif.Sensitivity, err error) {
	if err := s.prepared(); err != nil {
		return nil, err
	}
	found, err := whatif.SensitivityQuestion{Case: s.about()}.Ask(context.Background())
	if err != nil {
		return nil, err
	}
	for _, one := range found.Of {
		all = append(all, one.Sensitivity)
	}
	return all, nil
}

// Target returns the changes of single parameters that bring the time down to the one given, the
// smallest first: of the parameters of these names, or of all. Met says that the time is low enough
// as it is; of all parameters, none is then searched. If none can do it alone, no solution is
// Reached, and each has the value that comes closest.
func (s Study) Target(most quantity.Micros, parameters ...string) (*whatif.Solutions, error) {
	if err := s.prepared(); err != nil {
		return nil, err
	}
	if !(most > 0 && most < quantity.Micros(math.Inf(1))) {
		return nil, fmt.Errorf("a target of %g µs: give a time above 0", float64(most))
	}
	q := whatif.TargetQuestion{Case: s.about(),
		Target: whatif.Target{Quantity: s.Time, Value: float64(most)}}
	for _, name := range parameters {
		r, err := s.Design.Searched(name)
		if err != nil {
			return nil, err
		}
		q.By = append(q.By, r)
	}
	return q.Ask(context.Background())
}

// Sweep returns the times at all values of ranges, as in "L=1us..10us/100"; [whatif.Sweep.Run]
// computes them, block by block.
func (s Study) Sweep(ranges ...string) (*whatif.Sweep, error) {
	if err := s.prepared(); err != nil {
		return nil, err
	}
	q := whatif.SweepQuestion{Case: s.about()}
	for _, text := range ranges {
		r, err := s.Design.ParseRange(text)
		if err != nil {
			return nil, err
		}
		q.Ranges = append(q.Ranges, r)
	}
	return q.Sweep()
}

// Uncertainty returns the time with its 95 % interval: that of the next measurement in a layer that
// was fitted, else the one that follows from the intervals of the parameters. The error wraps
// [whatif.ErrExact] if no parameter has one.
func (s Study) Uncertainty(by whatif.Sampling) (quantity.Interval, error) {
	if err := s.prepared(); err != nil {
		return quantity.Alone(quantity.Unknown), err
	}
	unknown := quantity.Alone(quantity.Unknown)
	switch {
	case by.Samples < 1:
		return unknown, fmt.Errorf("%d samples: give 1 or more, as in 1000", by.Samples)
	case !(by.Assumed >= 0 && by.Assumed < math.Inf(1)):
		return unknown, fmt.Errorf("an assumed half-width of %g: give a part of the value, as in "+
			"0.1", by.Assumed)
	}
	q := whatif.UncertaintyQuestion{Case: s.about(), Sampling: by}
	found, err := q.Ask(context.Background())
	if err != nil {
		return unknown, err
	}
	return found.Intervals[0][0][0], nil
}

// Breakdown returns the parts of the time, the largest first: of a message by stage or parameter,
// else by the kind of the events on the critical path.
func (s Study) Breakdown() ([]Part, error) {
	if err := s.prepared(); err != nil {
		return nil, err
	}
	found, err := whatif.BreakdownQuestion{Case: s.about()}.Ask(context.Background())
	if err != nil {
		return nil, err
	}
	var parts []Part
	for _, o := range found.Parts[0].Shares {
		parts = append(parts, Part{o.Owner, s.Time.Part(o)})
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return cmp.Compare(b.Time, a.Time) })
	return parts, nil
}
