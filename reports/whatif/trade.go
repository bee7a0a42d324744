//go:build !js

package whatif

import (
	"context"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A TradeQuestion asks where two parameters together just meet a target: how much of one can be
// traded for the other. A range without a width is taken from a quarter of the parameter to four
// times it; it is an error if that is no range.
type TradeQuestion struct {
	Case
	Target Target
	X, Y   Range
	Map    bool // asks for a figure
}

// A Trade is the curve of two parameters on which a target just holds.
type Trade struct {
	Target Target
	X, Y   Range
	Points points // NaN where there is no value of Y

	fine points // at the resolution of the figure
	over *Swept // the quantity over both parameters; nil: no figure
}

func (q TradeQuestion) Ask(ctx context.Context) (*Trade, error) {
	if path := q.X.Param.Path; path == q.Y.Param.Path {
		return nil, usage.Fields(usage.Error{
			Err: fmt.Errorf("%s twice; a curve is over two parameters", path)}, "solve-for")
	}
	for _, r := range []*Range{&q.X, &q.Y} {
		if r.From == r.To {
			r.From, r.To = r.Param.Value.Num/4, r.Param.Value.Num*4
		}
		if r.From == r.To {
			return nil, usage.Fields(fmt.Errorf("%s is %s, around which there is no range; give "+
				"one, as NAME=FROM..TO", r.Param.Path, r.Param.Shown()), "solve-for")
		}
	}
	t := &Trade{Target: q.Target, X: q.X, Y: q.Y}
	var err error
	t.Points, err = q.After.tradeCurve(ctx, q.Target, q.X, q.Y)
	if err != nil || !q.Map {
		return t, err
	}
	x, y := q.X, q.Y
	x.Steps, y.Steps = mapCells, mapCells
	if t.fine, err = q.After.tradeCurve(ctx, q.Target, x, y); err != nil {
		return nil, err
	}
	over := SweepQuestion{Case: q.Case, Ranges: []Range{x, y}, Picture: true, Write: NoRows}
	over.Sizes = []quantity.Bytes{max(q.Target.Quantity.Size, 1)}
	over.Quantities = []Quantity{q.Target.Quantity}
	t.over, err = over.Ask(ctx)
	return t, err
}

// tradeCurve returns the curve over two parameters at which the target is just met: for
// each value of x the first value of y, beginning with its From, at which the target
// begins or ceases to be met; NaN if it never does. Values that no machine can have
// neither meet nor miss it. The range of y is searched in 200 steps at least, also if
// few points are drawn, and the step is bisected. The error is that of the context.
func (d Design) tradeCurve(ctx context.Context, t Target, x, y Range) (
	curve points, err error) {
	prog, _ := d.Compile(x.Param, y.Param)
	fine := y
	fine.Steps = max(y.Steps, 201)
	for i := range x.Steps {
		vx, found := x.At(i), math.NaN()
		met := func(vy float64) (met, possible bool) {
			possible = prog.Set(vx, vy)
			return possible && t.met(t.Quantity.In(prog.Costs())), possible
		}
		last, first, begun := 0.0, false, false
		for k := range fine.Steps {
			if ctx.Err() != nil {
				return curve, ctx.Err()
			}
			v := fine.At(k)
			now, possible := met(v)
			if begun && possible && now != first {
				found = bisect(last, v, y.Param.Counted(), func(v float64) bool {
					now, _ := met(v)
					return now != first
				})
				break
			}
			last, first, begun = v, now, possible
		}
		curve.X, curve.Y = append(curve.X, vx), append(curve.Y, found)
	}
	return curve, nil
}
