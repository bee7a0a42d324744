//go:build !js

package whatif

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A Question is what is asked of a design and of its change.
type Question struct {
	Before, After Design  // the platform as it is, and changed
	Against       *Design // of [Uncertainty]: another platform than Before; nil: none

	Target   string   // of [Targets]: a condition, as [whatif.Design.ParseTarget] reads it
	SolveFor []string // parameters or ranges that may reach it; none: tries each parameter

	// nil: the times of the design's calls; without any, those of the question
	Quantities []Quantity
	Sizes      []quantity.Bytes // of the messages; nil: those of the question
	Units      quantity.UnitChoice
	Sampling   Sampling // of [Landmarks] and [Uncertainty]
	// Watch is told in a line which parameter is searched for the target, and what is found;
	// nil: nobody is.
	Watch func(line string, found bool)
}

// quantitiesOr returns the quantities that are asked for, else the times of the design's calls,
// else those of these names.
func (q Question) quantitiesOr(otherwise ...string) []Quantity {
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

// An Answer answers a question with a table, and with a function that draws its picture, nil if
// there is none. It is an error if the design lacks a quantity, a parameter or a gap that is asked
// for.
type Answer func(context.Context, Question) (table.Rows, func() (table.Picture, error), error)

// Changes compares the costs before and after the change, or the times of the design's calls.
func Changes(_ context.Context, q Question) (
	rows table.Rows, _ func() (table.Picture, error), err error) {
	if len(q.After.Calls) > 0 {
		rows, err = contrastedTimes(q.Before, q.After, q.quantitiesOr())
	} else {
		rows, err = contrasted(q.Before, q.After, q.sizesOr(TableSizes), q.Units)
	}
	return rows, nil, err
}

// Sensitivity lists how much each parameter matters.
func SensitivityRows(_ context.Context, q Question) (
	table.Rows, func() (table.Picture, error), error) {
	sizes, quantities := q.sizesOr(OneSize), q.quantitiesOr("one_way")
	rows, err := sensitivityRows(q.After, quantities, sizes, q.Units)
	return rows, func() (table.Picture, error) {
		return tornado(q.After, quantities[0].At(sizes[0]))
	}, err
}

// Breakdown divides the costs by stage or parameter, or the times of the design's calls, which have
// no picture.
func Breakdown(_ context.Context, q Question) (
	table.Rows, func() (table.Picture, error), error) {
	if len(q.After.Calls) > 0 {
		rows, err := partRows(q.After, q.quantitiesOr())
		return rows, nil, err
	}
	rows, err := OwnerRows(q.After, q.sizesOr(TableSizes))
	return rows, func() (table.Picture, error) {
		gap := q.quantitiesOr("one_way")[0].Name == "gap"
		return Shares(q.After, gap, curve(q, "1..1MiB/16"))
	}, err
}

// Landmarks lists the sizes at which something begins, such as half of the peak.
func Landmarks(ctx context.Context, q Question) (
	table.Rows, func() (table.Picture, error), error) {
	q.Sampling.Context = ctx
	all, err := q.After.Landmarks(q.Sampling)
	return landmarkRows(q.After, all, q.Units), nil, err
}

// Targets finds the values that reach the target: of one parameter, the curve of two, or of each in
// turn if none is named.
func Targets(ctx context.Context, q Question) (rows table.Rows,
	picture func() (table.Picture, error), err error) {
	d := q.After
	t, err := d.ParseTarget(q.Target)
	if err != nil {
		return rows, nil, usage.Fields(err, "target")
	}
	var ranges []Range
	for _, text := range q.SolveFor {
		r, err := d.Searched(text)
		if err != nil {
			return rows, nil, usage.Fields(err, "solve-for")
		}
		ranges = append(ranges, r)
	}
	// One value each: of the parameter that is named, or of every parameter in turn.
	if len(ranges) != 2 {
		s, err := Solve(ctx, d, t, watched(q.Watch, q.Units, t), ranges...)
		if err != nil {
			return rows, nil, err
		}
		rows = solutionRows(s, q.Units)
		if Sized([]Quantity{t.Quantity}) {
			size := []quantity.Bytes{t.Quantity.Size}
			rows.Doubts = append(rows.Doubts, beyond(d.Layer, "", size)...)
		}
		return rows, nil, nil
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
	return rows, func() (table.Picture, error) { return c.picture(ctx) }, err
}

// Uncertainty predicts with intervals, beside the changed design or beside another platform.
func UncertaintyRows(ctx context.Context, q Question) (
	table.Rows, func() (table.Picture, error), error) {
	q.Sampling.Context = ctx
	designs := []NamedDesign{{Name: "as it is", Design: q.Before}}
	switch {
	// The other platform comes first, since the question is whether this one is faster.
	case q.Against != nil:
		designs = []NamedDesign{{Name: q.Against.Subject(), Design: *q.Against},
			{Name: q.After.Subject(), Design: q.After}}
	case len(q.After.Changes) > 0:
		designs = append(designs, NamedDesign{Name: "changed", Design: q.After})
	}
	u, err := PredictAll(designs, q.quantitiesOr("one_way", "bandwidth"),
		q.sizesOr(TableSizes), q.Sampling)
	if err != nil {
		return table.Rows{}, nil, err
	}
	return uncertaintyRows(u), func() (table.Picture, error) {
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
