//go:build !js

package whatif

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Question is what is asked of a design and of its change. At most one of Target, Sensitivity,
// Breakdown, Landmarks and Uncertainty is set; without one, the answer is the costs before and
// after the change.
type Question struct {
	Before, After whatif.Design  // the platform as it is, and changed
	Against       *whatif.Design // with Uncertainty: another platform, instead of Before; nil: none

	Target      string   // a condition, as [whatif.Design.ParseTarget] reads it
	SolveFor    []string // parameters or ranges that may reach it; none: tries each parameter
	Sensitivity bool
	Breakdown   bool
	Landmarks   bool
	Uncertainty bool

	// nil: the times of the design's calls; without any, those of the question
	Quantities []whatif.Quantity
	Sizes      []quantity.Bytes // of the messages; nil: those of the question
	Units      quantity.UnitChoice
	Sampling   whatif.Sampling // of Landmarks and Uncertainty
	// Watch is told in a line which parameter is searched for the target, and what is found;
	// nil: nobody is.
	Watch func(line string, found bool)
}

// quantitiesOr returns the quantities that are asked for, else the times of the design's calls,
// else those of these names.
func (q Question) quantitiesOr(otherwise ...string) []whatif.Quantity {
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

// sizesOr returns the sizes that are asked for, else those of the text.
func (q Question) sizesOr(otherwise string) []quantity.Bytes {
	if q.Sizes != nil {
		return q.Sizes
	}
	sizes, err := quantity.ParseSizes(otherwise)
	if err != nil {
		panic(err) // a text in this file
	}
	return sizes
}

// Answer returns the table of the answer, and a function that draws its picture, nil if there is
// none. It is an error if the design lacks a quantity, a parameter or a gap that is asked for.
func Answer(ctx context.Context, q Question) (rows reports.Rows,
	picture func() (reports.Picture, error), err error) {
	d := q.After
	q.Sampling.Context = ctx
	switch {
	case q.Target != "":
		return reach(ctx, q)
	case q.Uncertainty:
		return uncertain(q)
	case q.Sensitivity:
		sizes, quantities := q.sizesOr(whatif.OneSize), q.quantitiesOr("one_way")
		rows, err = sensitivityRows(d, quantities, sizes, q.Units)
		picture = func() (reports.Picture, error) {
			return tornado(d, quantities[0].At(sizes[0]))
		}
	case q.Breakdown && len(d.Calls) > 0:
		rows, err = partRows(d, q.quantitiesOr())
	case q.Breakdown:
		rows, err = OwnerRows(d, q.sizesOr(whatif.TableSizes))
		picture = func() (reports.Picture, error) {
			return Shares(d, q.quantitiesOr("one_way")[0].Name == "gap", curve(q, "1..1MiB/16"))
		}
	case q.Landmarks:
		var all []whatif.Landmark
		all, err = d.Landmarks(q.Sampling)
		rows = landmarkRows(d, all, q.Units)
	case len(d.Calls) > 0:
		rows, err = contrastedTimes(q.Before, d, q.quantitiesOr())
	default:
		rows, err = contrasted(q.Before, d, q.sizesOr(whatif.TableSizes), q.Units)
	}
	return rows, picture, err
}

// reach finds the values that reach the target: of one parameter, the curve of two, or of each in
// turn if none is named.
func reach(ctx context.Context, q Question) (rows reports.Rows,
	picture func() (reports.Picture, error), err error) {
	d := q.After
	t, err := d.ParseTarget(q.Target)
	if err != nil {
		return rows, nil, usage.Fields(err, "target")
	}
	var ranges []whatif.Range
	for _, text := range q.SolveFor {
		r, err := d.Searched(text)
		if err != nil {
			return rows, nil, usage.Fields(err, "solve-for")
		}
		ranges = append(ranges, r)
	}
	// One value each: of the parameter that is named, or of every parameter in turn.
	if len(ranges) != 2 {
		s, err := whatif.Solve(ctx, d, t, watched(q.Watch, q.Units, t), ranges...)
		if err != nil {
			return rows, nil, err
		}
		return solutionRows(s, q.Units), nil, nil
	}
	if path := ranges[0].Param.Path; path == ranges[1].Param.Path {
		return rows, nil, usage.Fields(usage.Error{
			Err: fmt.Errorf("%s twice; a curve is over two parameters", path)}, "solve-for")
	}
	c, err := newTargetCurve(d, t, ranges[0], ranges[1])
	if err != nil {
		return rows, nil, err
	}
	rows, err = c.rows(ctx)
	return rows, func() (reports.Picture, error) { return c.picture(ctx) }, err
}

// uncertain predicts with intervals, beside the changed design or beside another platform.
func uncertain(q Question) (reports.Rows, func() (reports.Picture, error), error) {
	designs := []whatif.NamedDesign{{Name: "as it is", Design: q.Before}}
	switch {
	// The other platform comes first, since the question is whether this one is faster.
	case q.Against != nil:
		designs = []whatif.NamedDesign{{Name: q.Against.Subject(), Design: *q.Against},
			{Name: q.After.Subject(), Design: q.After}}
	case len(q.After.Changes) > 0:
		designs = append(designs, whatif.NamedDesign{Name: "changed", Design: q.After})
	}
	u, err := whatif.PredictAll(designs, q.quantitiesOr("one_way", "bandwidth"),
		q.sizesOr(whatif.TableSizes), q.Sampling)
	if err != nil {
		return reports.Rows{}, nil, err
	}
	return uncertaintyRows(u), func() (reports.Picture, error) {
		return bands(u.Designs, q.quantitiesOr("bandwidth")[0], curve(q, "1..1MiB/8"), q.Sampling)
	}, nil
}

// curve returns the sizes that are asked for if they make a curve, else those of the text: the
// picture of a single size would be a point.
func curve(q Question, otherwise string) []quantity.Bytes {
	if len(q.Sizes) == 1 {
		q.Sizes = nil
	}
	return q.sizesOr(otherwise)
}
