//go:build !js

package whatif

import (
	"github.com/halfpeak/halfpeak/ask/messages"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Question is what is asked of a design and of its change. At most one of Target, Sensitivity,
// Breakdown, Landmarks and Uncertainty is set; without one, the answer is the costs before and
// after the change. [Question.Sweep] asks for Ranges.
type Question struct {
	Before, After Design  // the platform as it is, and changed
	Against       *Design // with Uncertainty: another platform, instead of Before; nil: none

	Ranges      []string // of a sweep, as [Design.ParseRange] reads them
	Target      string   // a condition, as [Design.ParseTarget] reads it
	SolveFor    []string // parameters or ranges that may reach it; none: tries each parameter
	Sensitivity bool
	Breakdown   bool
	Landmarks   bool
	Uncertainty bool

	// nil: the times of the design's calls; without any, those of the question
	Quantities []Quantity
	Sizes      []quantity.Bytes // of the messages; nil: those of the question
	Units      quantity.UnitChoice
	Sampling   Sampling // of Landmarks and Uncertainty
	// Watch is told in a line which parameter is searched for the target, and what is found;
	// nil: nobody is.
	Watch func(line string, found bool)
}

// The sizes of messages of a question that gives none.
const (
	TableSizes = "1,256,4KiB,64KiB,1MiB"
	// A sweep has its rows for each size, and a tornado shows one.
	OneSize = "64KiB"
)

// Change asks about a design and its change. On a machine of levels, one message is one of the
// layer that has all parameters that are changed, searched or swept; if several have them, it is an
// error that lists the levels.
func (q *Question) Change(base Design, assignments ...string) error {
	err := q.change(base, assignments)
	if !base.Whole || len(base.Calls) > 0 {
		return err
	}
	var found []Question
	for _, l := range base.Platform.Layers {
		other, of := base, *q
		other.Layer, other.Whole = l, false
		if l.Messages() == nil && of.change(other, assignments) == nil && of.fits() {
			found = append(found, of)
		}
	}
	switch {
	case len(found) == 1:
		*q = found[0]
		return nil
	case len(found) > 1 || err == nil:
		_, err = messages.Way{}.Of(base.Design)
	}
	return err
}

func (q *Question) change(base Design, assignments []string) (err error) {
	q.Before = base
	q.After, err = base.Set(assignments...)
	return err
}

// fits reports whether the changed design has the parameters that are searched and swept.
func (q *Question) fits() bool {
	for _, text := range q.Ranges {
		if _, err := q.After.ParseRange(text); err != nil {
			return false
		}
	}
	for _, text := range q.SolveFor {
		if _, err := q.After.Searched(text); err != nil {
			return false
		}
	}
	return true
}

// Sweep returns the sweep over the ranges. A picture of it shows the first of the quantities that
// were asked for; if none was, it shows the bandwidth.
func (q Question) Sweep() (*Sweep, error) {
	d, swept := q.After, []string{"one_way", "gap", "bandwidth"}
	if d.Layer.GapError() != nil {
		swept = []string{"one_way", "bandwidth"}
	}
	s := &Sweep{Design: d, Sizes: q.SizesOr(OneSize), Quantities: q.QuantitiesOr(swept...)}
	if q.Quantities == nil && len(d.Calls) == 0 {
		s.Shown = len(s.Quantities) - 1
	}
	for _, text := range q.Ranges {
		r, err := d.ParseRange(text)
		if err != nil {
			return nil, usage.Fields(err, "sweep")
		}
		s.Ranges = append(s.Ranges, r)
	}
	return s, s.check()
}

// PredictBoth predicts with intervals, beside the changed design or beside another platform. The
// first design is what the second is compared with.
func (q Question) PredictBoth() (*Uncertainty, error) {
	designs := []NamedDesign{{"as it is", q.Before}}
	switch {
	// The other platform comes first, since the question is whether this one is faster.
	case q.Against != nil:
		designs = []NamedDesign{{q.Against.Subject(), *q.Against}, {q.After.Subject(), q.After}}
	case len(q.After.Changes) > 0:
		designs = append(designs, NamedDesign{"changed", q.After})
	}
	return predictAll(designs, q.QuantitiesOr("one_way", "bandwidth"), q.SizesOr(TableSizes),
		q.Sampling)
}

// QuantitiesOr returns the quantities that are asked for, else the times of the design's calls,
// else those of these names.
func (q Question) QuantitiesOr(otherwise ...string) []Quantity {
	if q.Quantities != nil {
		return q.Quantities
	}
	if len(q.After.Calls) > 0 {
		otherwise = nil
	}
	all, err := q.After.Quantities(otherwise...)
	if err != nil {
		panic(err) // a name in this file
	}
	return all
}

// SizesOr returns the sizes that are asked for, else those of the text.
func (q Question) SizesOr(otherwise string) []quantity.Bytes {
	if q.Sizes != nil {
		return q.Sizes
	}
	sizes, err := quantity.ParseSizes(otherwise)
	if err != nil {
		panic(err) // a text in this file
	}
	return sizes
}
