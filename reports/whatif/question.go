//go:build !js

package whatif

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
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

	// nil: the measures of the design, such as a finish; without any, those of the question
	Quantities []Quantity
	Sizes      []quantity.Bytes // of the messages; nil: those of the question
	Units      quantity.UnitChoice
	Sampling   Sampling // of Landmarks and Uncertainty
}

// The sizes of messages of a question that gives none.
const (
	TableSizes = "1,256,4KiB,64KiB,1MiB"
	// A sweep has its rows for each size, and a tornado shows one.
	OneSize = "64KiB"
)

// Change asks about a design and its change. One message on a machine is one of the platform's own
// layer, unless the parameters that are changed, searched or swept all belong to another layer:
// then it is one of that layer.
func (q *Question) Change(base Design, assignments ...string) error {
	err := q.change(base, assignments)
	if err == nil && q.fits() || !base.Whole || len(base.measures) > 0 {
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
	if len(found) != 1 {
		return err
	}
	*q = found[0]
	return nil
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
		if _, err := q.After.searched(text); err != nil {
			return false
		}
	}
	return true
}

// Answer returns the table of the answer, and a function that draws its picture, nil if there is
// none. It is an error if the design lacks a quantity, a parameter or a gap that is asked for.
func (q Question) Answer(ctx context.Context) (rows reports.Rows,
	picture func() (reports.Picture, error), err error) {
	d := q.After
	q.Sampling.Context = ctx
	switch {
	case q.Target != "":
		return q.reach(ctx)
	case q.Uncertainty:
		return q.uncertain()
	case q.Sensitivity:
		sizes, quantities := q.sizes(OneSize), q.quantities("one_way")
		rows, err = sensitivityRows(d, quantities, sizes, q.Units)
		picture = func() (reports.Picture, error) {
			return tornado(d, quantities[0].at(sizes[0]))
		}
	case q.Breakdown && len(d.measures) > 0:
		rows, err = partRows(d, q.quantities())
	case q.Breakdown:
		rows, err = OwnerRows(d, q.sizes(TableSizes))
		picture = func() (reports.Picture, error) {
			return Shares(d, q.quantities("one_way")[0].Name == "gap", q.curve("1..1MiB/16"))
		}
	case q.Landmarks:
		rows, err = landmarkRows(d, q.Sampling, q.Units)
	case len(d.measures) > 0:
		rows, err = contrastedTimes(q.Before, d, q.quantities())
	default:
		rows, err = contrasted(q.Before, d, q.sizes(TableSizes), q.Units)
	}
	return rows, picture, err
}

// Sweep returns the sweep over the ranges. A picture of it shows the first of the quantities that
// were asked for; if none was, it shows the bandwidth.
func (q Question) Sweep() (*Sweep, error) {
	d, swept := q.After, []string{"one_way", "gap", "bandwidth"}
	if d.Layer.GapError() != nil {
		swept = []string{"one_way", "bandwidth"}
	}
	s := &Sweep{Design: d, Sizes: q.sizes(OneSize), Quantities: q.quantities(swept...)}
	if q.Quantities == nil && len(d.measures) == 0 {
		s.shown = len(s.Quantities) - 1
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

// reach finds the values that reach the target: of one parameter, the curve of two, or of each in
// turn if none is named.
func (q Question) reach(ctx context.Context) (rows reports.Rows,
	picture func() (reports.Picture, error), err error) {
	d := q.After
	t, err := d.ParseTarget(q.Target)
	if err != nil {
		return rows, nil, usage.Fields(err, "target")
	}
	var ranges []Range
	for _, text := range q.SolveFor {
		r, err := d.searched(text)
		if err != nil {
			return rows, nil, usage.Fields(err, "solve-for")
		}
		ranges = append(ranges, r)
	}
	// One value each: of the parameter that is named, or of every parameter in turn.
	if len(ranges) != 2 {
		s, err := solve(d, t, ranges...)
		if err != nil {
			return rows, nil, err
		}
		return s.rows(q.Units), nil, nil
	}
	if path := ranges[0].Param.Path; path == ranges[1].Param.Path {
		return rows, nil, usage.Fields(usage.Error{
			Err: fmt.Errorf("%s twice; a curve is over two parameters", path)}, "solve-for")
	}
	c := newTargetCurve(d, t, ranges[0], ranges[1])
	return c.rows(), func() (reports.Picture, error) { return c.picture(ctx) }, nil
}

// uncertain predicts with intervals, beside the changed design or beside another platform. The
// first design is what the second is compared with.
func (q Question) uncertain() (reports.Rows, func() (reports.Picture, error), error) {
	designs := []namedDesign{{"as it is", q.Before}}
	switch {
	// The other platform comes first, since the question is whether this one is faster.
	case q.Against != nil:
		designs = []namedDesign{{q.Against.subject(), *q.Against}, {q.After.subject(), q.After}}
	case len(q.After.Changes) > 0:
		designs = append(designs, namedDesign{"changed", q.After})
	}
	u, err := predictAll(designs, q.quantities("one_way", "bandwidth"), q.sizes(TableSizes),
		q.Sampling)
	if err != nil {
		return reports.Rows{}, nil, err
	}
	return u.rows(), func() (reports.Picture, error) {
		return bands(designs, q.quantities("bandwidth")[0], q.curve("1..1MiB/8"), q.Sampling)
	}, nil
}

// quantities returns the quantities that are asked for, else the measures of the design, else those
// of these names.
func (q Question) quantities(otherwise ...string) []Quantity {
	if q.Quantities != nil {
		return q.Quantities
	}
	if len(q.After.measures) > 0 {
		otherwise = nil
	}
	all, err := q.After.Quantities(otherwise...)
	if err != nil {
		panic(err) // a name in this file
	}
	return all
}

// sizes returns the sizes that are asked for, else those of the text.
func (q Question) sizes(otherwise string) []quantity.Bytes {
	if q.Sizes != nil {
		return q.Sizes
	}
	sizes, err := quantity.ParseSizes(otherwise)
	if err != nil {
		panic(err) // a text in this file
	}
	return sizes
}

// curve returns the sizes that are asked for if they make a curve, else those of the text: the
// picture of a single size would be a point.
func (q Question) curve(otherwise string) []quantity.Bytes {
	if len(q.Sizes) == 1 {
		q.Sizes = nil
	}
	return q.sizes(otherwise)
}
