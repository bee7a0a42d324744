package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// An UncertaintyQuestion asks for quantities with 95 % intervals: of the design as it is and, if it
// was changed, of the changed one, or of another platform and of this one. Of two it also asks how
// likely the second is the faster one. It is an error that is [ErrExact] if no parameter of them
// has an interval.
type UncertaintyQuestion struct {
	Case
	Against  *Design // another platform, before the one of the question; nil: none
	Sampling Sampling
	// Bands asks for a figure of the first quantity over sizes, the bandwidth if none is named.
	Bands bool
}

// An Uncertainty is predictions with their intervals, of one design or of two. It has
// intervals of two kinds, which notes must tell apart: of the next measurement, and
// of the model at the true parameters (docs/accuracy.md).
type Uncertainty struct {
	Designs    []NamedDesign
	Quantities []Quantity // of messages of any size
	Sizes      []quantity.Bytes
	Sampling   Sampling
	Intervals  [][][]quantity.Interval // by design, quantity and size
	// Faster is how likely the second design is the faster one: of messages by size, one way; of
	// calls by quantity. It is nil if that is not known, and NaN if a fit has too few sizes.
	Faster   []float64
	Measured bool   // some intervals are of the next measurement
	Sampled  bool   // some are intervals of parameters
	TooFew   string // why a fit has no interval; empty if all have one
	Off      string // how far real times were from simulated ones; empty without such
	notes    []remark.Note

	curve      Quantity       // of the figure
	series     []table.Series // of the figure, bands before the line of their design; nil: none
	curveNotes []string
}

// A NamedDesign is a design under the name that a table has for it.
type NamedDesign struct {
	Name string
	Design
}

// designs returns the designs under the names that a table has for them.
func (q UncertaintyQuestion) designs() []NamedDesign {
	asIs := NamedDesign{Name: "as it is", Design: q.Before}
	switch {
	// The other platform comes first, since the question is whether this one is faster.
	case q.Against != nil:
		return []NamedDesign{{Name: q.Against.Subject(), Design: *q.Against},
			{Name: q.After.Subject(), Design: q.After}}
	case len(q.After.Changes) > len(q.Before.Changes):
		return []NamedDesign{asIs, {Name: "changed", Design: q.After}}
	}
	return []NamedDesign{asIs}
}

func (q UncertaintyQuestion) Ask(ctx context.Context) (*Uncertainty, error) {
	quantities := q.quantitiesOr("one_way", "bandwidth")
	u, err := predictAll(q.designs(), quantities, q.sizesOr(TableSizes), q.Sampling.in(ctx))
	if err == nil && q.Bands {
		err = u.addCurve(q.quantitiesOr("bandwidth")[0], q.curve("1..1MiB/8"))
	}
	return u, err
}

// predictAll predicts quantities of one or two designs.
func predictAll(designs []NamedDesign, quantities []Quantity, sizes []quantity.Bytes,
	s Sampling) (u *Uncertainty, err error) {
	switch sized := Sized(quantities); {
	case sized && len(sizes) == 0:
		return nil, usage.Fields(errors.New("no sizes; give at least one"), "size")
	case !sized && len(sizes) > 0:
		sizes = sizes[:1] // any
	case !sized:
		sizes = []quantity.Bytes{1}
	}
	if slices.ContainsFunc(quantities, Quantity.simulated) {
		s.Samples = min(s.Samples, maxSimulatedSamples)
	}
	s.total = s.Samples * len(quantities) * len(designs)
	u = &Uncertainty{Designs: designs, Quantities: quantities, Sizes: sizes, Sampling: s}
	u.doubt()
	exact := 0
	next := allFitted(designs)
	for _, d := range designs {
		u.TooFew = cmp.Or(u.TooFew, tooFew(d.Design))
		var of [][]quantity.Interval
		for i, q := range quantities {
			in, measured, err := intervals(d, next, q.Name, sizes, s)
			u.Measured, u.Sampled = u.Measured || measured, u.Sampled || !measured
			// Whether a design has any interval does not depend on the quantity, so
			// it is counted once.
			if errors.Is(err, ErrExact) {
				if i == 0 {
					exact++
				}
				// The fit has no interval of its error.
				if d.Layer.Measured != nil && len(d.Changes) == 0 {
					for k := range in {
						in[k] = quantity.Alone(in[k].Value)
					}
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
	if len(designs) == 2 {
		u.Faster, err = u.secondFaster(next)
	}
	if u.TooFew != "" {
		u.Faster = slices.Repeat([]float64{math.NaN()}, len(u.Faster))
	}
	return u, err
}

// doubt notes how far the predictions can be trusted.
func (u *Uncertainty) doubt() {
	for _, q := range u.Quantities {
		if q.call != nil {
			u.Off = cmp.Or(u.Off, q.call.Off)
		}
	}
	for i, d := range u.Designs {
		of := ""
		if len(u.Designs) > 1 {
			of = d.Name + ": "
		}
		// Else it is the first one, changed.
		if Sized(u.Quantities) && (i == 0 || len(d.Changes) == 0) {
			u.notes = append(u.notes, d.beyond(of, u.Sizes)...)
		}
	}
	u.notes = append(u.notes, NotesOf(u.Quantities)...)
}

// secondFaster returns how likely the second design is the faster one; next: all intervals of
// messages are of the next measurement. Times of two platforms with intervals of measured ones are
// taken as independent. Those of a platform and its change err alike, and have no probability.
func (u *Uncertainty) secondFaster(next bool) ([]float64, error) {
	a, b := u.Designs[1].Design, u.Designs[0].Design
	switch {
	case Sized(u.Quantities) && next:
		return nextFaster(a, b, u.Sizes, u.Sampling)
	case Sized(u.Quantities):
		oneWay := func(d Design) (all []Quantity, err error) {
			q, err := d.quantityOf("one_way", 1)
			return list.Map(u.Sizes, q.At), err
		}
		return faster(a, b, oneWay, u.Sampling)
	case slices.ContainsFunc(u.Quantities, func(q Quantity) bool { return !q.simulated() }):
		return nil, nil
	case !u.Measured:
		p, err := faster(a, b, func(d Design) ([]Quantity, error) {
			name := func(q Quantity) string { return q.Name }
			return d.Quantities(list.Map(u.Quantities, name)...)
		}, u.Sampling)
		return p, err
	case a.Platform.Name == b.Platform.Name && len(a.Changes)+len(b.Changes) > 0:
		return nil, nil
	}
	var all []float64
	for i := range u.Quantities {
		x, y := u.Intervals[1][i][0], u.Intervals[0][i][0]
		if !x.Known() || !y.Known() {
			return nil, nil
		}
		all = append(all, firstOf(x, y))
	}
	return all, nil
}

// allFitted reports whether the next measurement of each of the designs can be
// predicted. If not, their intervals are all of parameters, so that like is compared
// with like: a changed design has no measurement.
func allFitted(designs []NamedDesign) bool {
	return !slices.ContainsFunc(designs, func(d NamedDesign) bool { return !d.Forecastable() })
}

// predicted returns the present value of a quantity, in µs and bytes, with the interval of its next
// measurement, if the design has one. The error is that of [Design.ValueOf].
func (d Design) predicted(q Quantity) (quantity.Interval, error) {
	value, err := d.ValueOf(q)
	if err == nil && q.simulated() {
		return q.Within(d.Costs(), value), nil
	}
	at := []quantity.Bytes{q.Size}
	if follower, follows := followerOf(d, q.Name, at); follows && d.Forecastable() {
		return d.forecasts(follower, at)[0], err
	}
	return quantity.Alone(value), err
}

// noInterval says what is known of the errors of quantities, unless one of the values, which were
// predicted, has an interval.
func (d Design) noInterval(all []Quantity, values ...quantity.Interval) string {
	if slices.ContainsFunc(values, quantity.Interval.Known) {
		return ""
	}
	for _, q := range all {
		if q.call != nil {
			return q.call.Off
		}
	}
	return study.NoInterval(d.Design)
}

// intervals predicts a quantity: with next it is the next measurement of times and of bandwidth, as
// it is of a call whose time is predicted from a measurement; otherwise the intervals are those of
// the parameters.
func intervals(d NamedDesign, next bool, name string, sizes []quantity.Bytes,
	s Sampling) (all []quantity.Interval, measured bool, err error) {
	if q, err := d.quantityOf(name, 1); err == nil && q.simulated() {
		in, err := d.predicted(q)
		if err == nil && in.Known() {
			return slices.Repeat([]quantity.Interval{in}, len(sizes)), true, nil
		}
	}
	follower, follows := followerOf(d.Design, name, sizes)
	if !next || !follows {
		all, err = d.Predict(name, sizes, s)
		return all, false, err
	}
	return d.forecasts(follower, sizes), true, nil
}

// banded are the intervals of a quantity over sizes, for a figure.
type banded struct {
	name      string
	sizes     []quantity.Bytes
	intervals []quantity.Interval
	next      bool           // they are those of the next measurement, else of parameters
	bands     []table.Series // of next
}

// apart reports whether two platforms are compared, and not one with its change.
func (u *Uncertainty) apart() bool {
	return len(u.Designs) == 2 && u.Designs[0].Name == u.Designs[0].Subject()
}

// addCurve adds the intervals of a quantity over sizes.
func (u *Uncertainty) addCurve(q Quantity, sizes []quantity.Bytes) error {
	if !q.isSized() {
		what := "has no size of messages"
		if q.simulated() {
			what = "is the time of one call"
		}
		err := fmt.Errorf("%s %s, which is no curve over sizes", q.Name, what)
		return usage.Fields(err, "plot")
	}
	next := allFitted(u.Designs)
	// Of two platforms, the one to compare with stands first here and second in the command, whose
	// order the colours of all pictures have.
	designs := slices.Clone(u.Designs)
	if u.apart() {
		slices.Reverse(designs)
	}
	for _, d := range designs {
		c := banded{name: d.Name, sizes: sizes}
		follower, follows := followerOf(d.Design, q.Name, sizes)
		if c.next = next && follows; c.next {
			c.bands, c.sizes = curves.Forecasts(d.Name, follower, d.Design.Design, sizes)
		}
		var err error
		c.intervals, _, err = intervals(d, next, q.Name, c.sizes, u.Sampling)
		if err != nil && !errors.Is(err, ErrExact) {
			return err
		}
		u.series = append(append(u.series, c.bands...), c.line())
	}
	u.curve, u.curveNotes = q, curves.BandNotes(u.series)
	return nil
}

// line returns the line with its intervals, unless bands show these.
func (c banded) line() table.Series {
	line := table.Series{Name: c.name, Kind: table.Line}
	for i, n := range c.sizes {
		in := c.intervals[i]
		at := in.Value
		if c.next && !in.Known() {
			at = math.NaN() // as in plot
		}
		line.X, line.Y = append(line.X, float64(n)), append(line.Y, at)
		if !c.next {
			line.Low, line.High = append(line.Low, in.Low), append(line.High, in.High)
		}
	}
	return line
}
