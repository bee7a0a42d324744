//go:build !js

package whatif

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// Solutions are the changes of parameters that reach a target, the smallest change first.
type Solutions struct {
	Target Target
	Found  []Solution
	Idle   int // parameters that change nothing, which are not among them
}

// Reach finds out what each of the parameters can do for the target; without any it tries all
// that the layer uses and that nothing else decides.
func Reach(d Design, t Target, by ...Range) (*Solutions, error) {
	all := len(by) == 0
	if all {
		for _, p := range d.Uses() {
			// A threshold would be moved to where its branches were never measured.
			if !d.Platform.Computed(p.Path) && p.Value.Num > 0 && !p.Bound {
				by = append(by, Range{Param: p})
			}
		}
	}
	s := &Solutions{Target: t}
	for _, r := range by {
		found, err := d.Solve(t, r.Param, r.From, r.To)
		if err != nil {
			return nil, err
		}
		if all && !found.Reached && found.At == found.Now {
			s.Idle++
			continue
		}
		s.Found = append(s.Found, found)
	}
	slices.SortStableFunc(s.Found, func(a, b Solution) int {
		return cmp.Compare(effort(a), effort(b))
	})
	return s, nil
}

// effort returns the factor of change of a parameter; parameters without effect come last.
func effort(s Solution) float64 {
	if !s.Reached {
		return math.Inf(1)
	}
	if s.Param.Value.Num == 0 {
		return 0
	}
	return math.Abs(math.Log(s.Value / s.Param.Value.Num))
}

// Rows returns the table of the solutions.
func (s *Solutions) Rows(units quantity.UnitChoice) reports.Rows {
	type found = Solution
	q := s.Target.Quantity
	result := func(v float64) string { return units.Print(q.value(v)) }
	scale := func(f found) float64 { return f.Param.Value.Dim.Column().Scale }
	rows := reports.TableOf(s.Found,
		reports.Col("target", "", func(found) any { return s.Target.String() }),
		reports.Col("", "parameter", func(f found) any { return f.Param.Short() }),
		reports.Col("parameter", "", func(f found) any { return f.Param.Path }),
		reports.Col("", "current", func(f found) any { return f.Param.Shown() }).Ranked(2),
		reports.Col("", "needed", func(f found) any { return neededText(f) }),
		reports.Col("now", "", func(f found) any { return f.Param.Value.Num * scale(f) }),
		reports.Col("needed", "", func(f found) any {
			return reports.OrAbsent(f.Value*scale(f), f.Reached)
		}),
		reports.Col("unit", "", func(f found) any { return f.Param.Value.Dim.Column().Unit }),
		reports.Col("", q.String(), func(f found) any {
			switch {
			case f.Met:
				return result(f.Now)
			case !f.Reached:
				return atBest(f, result)
			}
			return result(f.Now) + " → " + result(f.At)
		}).Ranked(1),
		reports.Col("quantity_now", "", func(f found) any { return f.Now }),
		reports.Col("quantity_then", "", func(f found) any { return f.At }),
		reports.Col("quantity_unit", "", func(found) any { return q.dim().Column().Unit }),
		reports.Col("reached", "", func(f found) any { return f.Reached }),
		reports.Col("met", "", func(f found) any { return f.Met }),
		reports.Col("from", "", func(f found) any { return f.From * scale(f) }),
		reports.Col("to", "", func(f found) any { return f.To * scale(f) }),
		reports.Col("", "new bottleneck", func(f found) any { return limitsText(f, q) }).Ranked(3),
		reports.Col("limited_by", "", func(f found) any { return f.Limits[0].Owner }),
		reports.Col("limited_by_percent", "", func(f found) any {
			return 100 * partOf(f.Limits, q, 0)
		}),
	)
	rows.Notes = append(rows.Notes, "Target: "+s.Target.String()+".")
	if len(s.Found) == 1 && !s.Found[0].Reached {
		f := s.Found[0]
		rows.Notes = append(rows.Notes,
			fmt.Sprintf("No value of %s reaches the target; the remaining time is %s.",
				f.Param.Short(), limitsText(f, q)))
	}
	if s.Idle > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("Parameters without effect: %d.", s.Idle))
	}
	return rows
}

// neededText returns the value that reaches the target, with its relative change.
func neededText(s Solution) string {
	switch {
	case s.Met:
		return "met" + rangeText(s)
	case !s.Reached:
		return "none"
	case s.Param.Value.Num > 0:
		return s.text(s.Value) + ", " + reports.PercentChange(s.Value/s.Param.Value.Num-1)
	}
	return s.text(s.Value)
}

// atBest describes the closest value to a target that a parameter does not reach.
func atBest(s Solution, result func(float64) string) string {
	at := ", at " + s.text(s.Value)
	switch now := s.Param.Value.Num; {
	case s.At == s.Now:
		return result(s.Now) + " at any value"
	case s.Value == 0:
		at = ", at 0"
	case s.Value > 1e5*now && now > 0:
		at = ", however large"
	case s.Value < 1e-5*now:
		at = ", however small"
	}
	return result(s.Now) + " → " + result(s.At) + " at best" + at
}

// rangeText gives the range of values that keep a target met.
func rangeText(s Solution) string {
	switch from, to := !math.IsInf(s.From, 0), !math.IsInf(s.To, 0); {
	case from && to:
		return ", down to " + s.text(s.From) + " and up to " + s.text(s.To)
	case from:
		return ", down to " + s.text(s.From)
	case to:
		return ", up to " + s.text(s.To)
	}
	return " at any value"
}

// partOf returns the share of owner i in the quantity.
func partOf(owners []Share, q Quantity, i int) float64 {
	var sum quantity.Micros
	for _, o := range owners {
		sum += q.part(o)
	}
	return float64(q.part(owners[i]) / sum)
}

// limitsText names the owners of a tenth or more: "L 62 %, o_s 34 %".
func limitsText(s Solution, q Quantity) string {
	var words []string
	for i, o := range s.Limits {
		if of := partOf(s.Limits, q, i); of >= 0.1 || i == 0 {
			words = append(words, o.Owner+" "+reports.PercentShare(100*of))
		}
	}
	return strings.Join(words, ", ")
}

// A TargetCurve is where two parameters together just meet a target.
type TargetCurve struct {
	Design Design
	Target Target
	X, Y   Range
}

// NewTargetCurve returns the curve over two different parameters. A range without a width is
// taken from a quarter of the parameter to four times it.
func NewTargetCurve(d Design, t Target, x, y Range) *TargetCurve {
	for _, r := range []*Range{&x, &y} {
		if r.From == r.To {
			r.From, r.To = r.Param.Value.Num/4, r.Param.Value.Num*4
		}
	}
	return &TargetCurve{d, t, x, y}
}

// Rows returns the points of the curve.
func (c *TargetCurve) Rows() reports.Rows {
	rows := reports.Rows{
		Columns: []reports.Column{{Key: c.X.Key(), Head: c.X.title()},
			{Key: c.Y.Key(), Head: c.Y.title()}},
		Notes: []string{"On the curve, " + c.Target.String() + " just holds."},
	}
	xs, ys := c.Design.curve(c.Target, c.X, c.Y)
	for i := range xs {
		rows.Data = append(rows.Data, []any{c.X.shown(xs[i]), c.Y.shown(ys[i])})
	}
	if !slices.ContainsFunc(ys, func(y float64) bool { return !math.IsNaN(y) }) {
		rows.Notes = append(rows.Notes, "No point of the curve is in these ranges.")
	}
	return rows
}

// Picture returns a heat map of the quantity with the curve over it.
func (c *TargetCurve) Picture(ctx context.Context) (reports.Picture, error) {
	x, y := c.X, c.Y
	x.Steps, y.Steps = mapCells, mapCells
	xs, ys := c.Design.curve(c.Target, x, y)
	s := &Sweep{Design: c.Design, Ranges: []Range{x, y},
		Sizes:      []quantity.Bytes{max(c.Target.Quantity.Size, 1)},
		Quantities: []Quantity{c.Target.Quantity}}
	drawn := s.drawMap(0, mapCells)
	if err := s.Run(ctx, nil, nil); err != nil {
		return nil, err
	}
	line := reports.Series{Name: c.Target.String(), Kind: reports.Line}
	for i := range xs {
		line.X, line.Y = append(line.X, x.shown(xs[i])), append(line.Y, y.shown(ys[i]))
	}
	h := drawn()
	h.Lines = []reports.Series{line}
	return h, nil
}
