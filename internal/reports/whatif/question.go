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

// Answer returns the table of the answer, and a function that draws its picture, nil if there is
// none. It is an error if the design lacks a quantity, a parameter or a gap that is asked for.
func Answer(ctx context.Context, q whatif.Question) (rows reports.Rows,
	picture func() (reports.Picture, error), err error) {
	d := q.After
	q.Sampling.Context = ctx
	switch {
	case q.Target != "":
		return reach(ctx, q)
	case q.Uncertainty:
		return uncertain(q)
	case q.Sensitivity:
		sizes, quantities := q.SizesOr(whatif.OneSize), q.QuantitiesOr("one_way")
		rows, err = sensitivityRows(d, quantities, sizes, q.Units)
		picture = func() (reports.Picture, error) {
			return tornado(d, quantities[0].At(sizes[0]))
		}
	case q.Breakdown && len(d.Calls) > 0:
		rows, err = partRows(d, q.QuantitiesOr())
	case q.Breakdown:
		rows, err = OwnerRows(d, q.SizesOr(whatif.TableSizes))
		picture = func() (reports.Picture, error) {
			return Shares(d, q.QuantitiesOr("one_way")[0].Name == "gap", curve(q, "1..1MiB/16"))
		}
	case q.Landmarks:
		var all []whatif.Landmark
		all, err = d.Landmarks(q.Sampling)
		rows = landmarkRows(d, all, q.Units)
	case len(d.Calls) > 0:
		rows, err = contrastedTimes(q.Before, d, q.QuantitiesOr())
	default:
		rows, err = contrasted(q.Before, d, q.SizesOr(whatif.TableSizes), q.Units)
	}
	return rows, picture, err
}

// reach finds the values that reach the target: of one parameter, the curve of two, or of each in
// turn if none is named.
func reach(ctx context.Context, q whatif.Question) (rows reports.Rows,
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
		s, err := whatif.Solve(ctx, d, t, watched(q, t), ranges...)
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
	return c.rows(), func() (reports.Picture, error) { return c.picture(ctx) }, nil
}

// uncertain predicts with intervals, beside the changed design or beside another platform.
func uncertain(q whatif.Question) (reports.Rows, func() (reports.Picture, error), error) {
	u, err := q.PredictBoth()
	if err != nil {
		return reports.Rows{}, nil, err
	}
	return uncertaintyRows(u), func() (reports.Picture, error) {
		return bands(u.Designs, q.QuantitiesOr("bandwidth")[0], curve(q, "1..1MiB/8"), q.Sampling)
	}, nil
}

// curve returns the sizes that are asked for if they make a curve, else those of the text: the
// picture of a single size would be a point.
func curve(q whatif.Question, otherwise string) []quantity.Bytes {
	if len(q.Sizes) == 1 {
		q.Sizes = nil
	}
	return q.SizesOr(otherwise)
}
