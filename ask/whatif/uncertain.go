package whatif

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An Uncertainty is predictions with their intervals, of one design or of two. It has
// intervals of two kinds, which notes must tell apart: of the next measurement, and
// of the model at the true parameters (docs/accuracy.md).
type Uncertainty struct {
	Designs    []NamedDesign
	Quantities []Quantity // of messages of any size
	Sizes      []quantity.Bytes
	Sampling   Sampling
	Intervals  [][][]quantity.Interval // by design, quantity and size
	Faster     []float64               // how likely the second design is the faster one, by size
	Measured   bool                    // some intervals are of the next measurement
	Sampled    bool                    // some are intervals of parameters
}

// A NamedDesign is a design under the name that a table has for it.
type NamedDesign struct {
	Name string
	Design
}

// predictAll predicts quantities of one or two designs with 95 % intervals. Of two, it also gives
// the probability that the second is faster. It is an error that is [ErrExact] if no parameter of
// them has an interval.
func predictAll(designs []NamedDesign, quantities []Quantity, sizes []quantity.Bytes,
	s Sampling) (u *Uncertainty, err error) {
	if !Sized(quantities) {
		sizes = sizes[:1] // any
	}
	if slices.ContainsFunc(quantities, Quantity.simulated) {
		s.Samples = min(s.Samples, maxSimulatedSamples)
	}
	s.total = s.Samples * len(quantities) * len(designs)
	u = &Uncertainty{Designs: designs, Quantities: quantities, Sizes: sizes, Sampling: s}
	exact := 0
	next := AllFitted(designs)
	for _, d := range designs {
		var of [][]quantity.Interval
		for i, q := range quantities {
			in, measured, err := Intervals(d, next, q.Name, sizes, s)
			u.Measured, u.Sampled = u.Measured || measured, u.Sampled || !measured
			// Whether a design has any interval does not depend on the quantity, so
			// it is counted once.
			if errors.Is(err, ErrExact) {
				if i == 0 {
					exact++
				}
			} else if err != nil {
				return nil, err
			}
			of = append(of, in)
		}
		u.Intervals = append(u.Intervals, of)
	}
	last := designs[len(designs)-1]
	if exact == len(designs) {
		return nil, usage.Fields(fmt.Errorf("%s: %w", last.Subject(), ErrExact), "assume")
	}
	switch {
	case len(designs) == 1 || !Sized(quantities):
	case next:
		u.Faster, err = nextFaster(last.Design, designs[0].Design, sizes, s)
	default:
		u.Faster, err = faster(last.Design, designs[0].Design, sizes, s)
	}
	return u, err
}

// AllFitted reports whether the next measurement of each of the designs can be
// predicted. If not, their intervals are all of parameters, so that like is compared
// with like: a changed design has no measurement.
func AllFitted(designs []NamedDesign) bool {
	return !slices.ContainsFunc(designs, func(d NamedDesign) bool { return !d.Forecastable() })
}

// Intervals predicts a quantity: with next it is the next measurement of times and of bandwidth;
// otherwise the intervals are those of the parameters.
func Intervals(d NamedDesign, next bool, name string, sizes []quantity.Bytes,
	s Sampling) (all []quantity.Interval, measured bool, err error) {
	follower, follows := FollowerOf(d.Design, name, sizes)
	if !next || !follows {
		all, err = d.Predict(name, sizes, s)
		return all, false, err
	}
	return d.forecasts(follower, sizes), true, nil
}
