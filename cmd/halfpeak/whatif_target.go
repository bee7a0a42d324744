package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

// runTarget finds what reaches a target: one parameter, the curve of two, or each of all.
func (o *whatifOptions) runTarget(cmd *cobra.Command, d whatif.Design) error {
	t, err := d.ParseTarget(o.target)
	if err != nil {
		return fmt.Errorf("--target %w", err)
	}
	var ranges []whatif.Range
	for _, by := range o.by {
		r, err := o.byRange(d, by)
		if err != nil {
			return fmt.Errorf("--by %w", err)
		}
		ranges = append(ranges, r)
	}
	switch {
	case len(ranges) == 2:
		return o.runCurve(cmd, d, t, ranges[0], ranges[1])
	case len(ranges) > 2:
		return usagef("--by takes one parameter for a value, two for a curve; it was given %d", len(ranges))
	case o.plot != "":
		return usagef("--plot draws the curve of two --by; a target has one value of one")
	}
	if len(ranges) == 0 {
		uses, err := d.Platform.Uses(d.Layer.Name)
		if err != nil {
			return err
		}
		for _, p := range uses {
			// A threshold would be moved to where its branches were never measured.
			if !d.Platform.Computed(p.Path) && p.Value.Num > 0 && !p.Bound {
				ranges = append(ranges, whatif.Range{Param: p})
			}
		}
	}
	var solutions []whatif.Solution
	idle := 0
	for _, r := range ranges {
		s, err := d.Solve(t, r.Param, r.From, r.To)
		if err != nil {
			return err
		}
		if len(o.by) == 0 && !s.Reached && s.At == s.Now {
			idle++
			continue
		}
		solutions = append(solutions, s)
	}
	slices.SortStableFunc(solutions, func(a, b whatif.Solution) int { return compareFloats(effort(a), effort(b)) })
	rows := targetRows(t, solutions)
	if idle > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("Others, which change nothing: %d.", idle))
	}
	return o.write(cmd, rows, nil)
}

// byRange reads NAME, or a range as --vary takes it; without one From and To are equal.
func (o *whatifOptions) byRange(d whatif.Design, text string) (whatif.Range, error) {
	if strings.Contains(text, "=") {
		return d.ParseRange(text)
	}
	p, err := d.Platform.Find(d.Layer.Name, text)
	return whatif.Range{Param: p, Steps: whatif.DefaultSteps}, err
}

// effort is by which factor a parameter has to change; what does not help comes last.
func effort(s whatif.Solution) float64 {
	if !s.Reached {
		return math.Inf(1)
	}
	if s.Param.Value.Num == 0 {
		return 0
	}
	return math.Abs(math.Log(s.Value / s.Param.Value.Num))
}

func compareFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func targetRows(t whatif.Target, solutions []whatif.Solution) reports.Rows {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "target"}, {Head: "parameter"}, {Key: "parameter"}, {Head: "as it is"}, {Head: "needed"}, {Key: "now"}, {Key: "needed"}, {Key: "unit"},
		{Head: t.Quantity.String()}, {Key: "quantity_now"}, {Key: "quantity_then"}, {Key: "quantity_unit"},
		{Key: "reached"}, {Key: "met"}, {Key: "from"}, {Key: "to"}, {Head: "what limits then"}, {Key: "limited_by"}, {Key: "limited_by_percent"},
	}}
	for _, s := range solutions {
		scale, unit := whatif.Unit(s.Param.Value.Dim)
		_, quantityUnit := whatif.Unit(t.Quantity.Dim())
		value := func(v float64) string { return whatif.Format(quantity.Value{Num: v, Dim: s.Param.Value.Dim}) }
		result := func(v float64) string { return whatif.Format(quantity.Value{Num: v, Dim: t.Quantity.Dim()}) }
		needed, number := value(s.Value), any(s.Value*scale)
		if s.Param.Value.Num > 0 && s.Reached {
			needed += ", " + percent(s.Value/s.Param.Value.Num-1)
		}
		then := result(s.Now) + " → " + result(s.At)
		switch {
		case s.Met:
			needed, then = "met"+holds(s, value), result(s.Now)
		case !s.Reached:
			needed, number = "none", nil
			then = atBest(s, value, result)
		}
		rows.Data = append(rows.Data, []any{t.String(), s.Param.Short(), s.Param.Path, asItIs(s.Param), needed, s.Param.Value.Num * scale, number, unit,
			then, s.Now, s.At, quantityUnit, s.Reached, s.Met, s.From * scale, s.To * scale,
			limitsText(s, t.Quantity), s.Limits[0].Owner, 100 * part(s.Limits, t.Quantity, 0)})
	}
	rows.Notes = append(rows.Notes, "Wanted: "+t.String()+".")
	if len(solutions) == 1 && !solutions[0].Reached {
		s := solutions[0]
		rows.Notes = append(rows.Notes, fmt.Sprintf("No value of %s reaches it; the rest is %s.", s.Param.Short(), limitsText(s, t.Quantity)))
	}
	return rows
}

// atBest says how close a parameter comes to the target that it does not reach.
func atBest(s whatif.Solution, value, result func(float64) string) string {
	at := ", at " + value(s.Value)
	switch now := s.Param.Value.Num; {
	case s.At == s.Now:
		return result(s.Now) + ", whatever it is"
	case s.Value == 0:
		at = ", at 0"
	case s.Value > 1e5*now && now > 0:
		at = ", however large"
	case s.Value < 1e-5*now:
		at = ", however small"
	}
	return result(s.Now) + " → " + result(s.At) + " at best" + at
}

// asItIs prints the parameter's value; packets may be a word.
func asItIs(p platforms.Param) string {
	if p.Word != "" {
		return p.Word
	}
	return whatif.Format(p.Value)
}

// holds says for which values a target that is met stays so.
func holds(s whatif.Solution, value func(float64) string) string {
	switch from, to := !math.IsInf(s.From, 0), !math.IsInf(s.To, 0); {
	case from && to:
		return ", down to " + value(s.From) + " and up to " + value(s.To)
	case from:
		return ", down to " + value(s.From)
	case to:
		return ", up to " + value(s.To)
	}
	return ", whatever it is"
}

// part is the share of owner i in what the quantity is made of.
func part(owners []whatif.Share, q whatif.Quantity, i int) float64 {
	var sum, own float64
	for k, o := range owners {
		v := float64(o.OneWay)
		if q.Name == "gap" || q.Name == "throughput" {
			v = float64(o.Gap)
		}
		if sum += v; k == i {
			own = v
		}
	}
	return own / sum
}

// limitsText names the owners of a tenth or more: "L 62 %, o_s 34 %".
func limitsText(s whatif.Solution, q whatif.Quantity) string {
	var words []string
	for i, o := range s.Limits {
		if of := part(s.Limits, q, i); of >= 0.1 || i == 0 {
			words = append(words, fmt.Sprintf("%s %.0f %%", o.Owner, 100*of))
		}
	}
	return strings.Join(words, ", ")
}

// runCurve prints and draws where two parameters together just meet the target.
func (o *whatifOptions) runCurve(cmd *cobra.Command, d whatif.Design, t whatif.Target, x, y whatif.Range) error {
	for _, r := range []*whatif.Range{&x, &y} {
		if r.From == r.To { // without a range: a quarter to four times what it is
			r.From, r.To = r.Param.Value.Num/4, r.Param.Value.Num*4
		}
	}
	if x.Param.Path == y.Param.Path {
		return usagef("--by %s twice; a curve is over two parameters", x.Param.Path)
	}
	xs, ys, err := d.Curve(t, x, y)
	if err != nil {
		return err
	}
	rows := reports.Rows{Columns: []reports.Column{
		{Key: x.Key(), Head: x.Title()}, {Key: y.Key(), Head: y.Title()},
	}, Notes: []string{"Where " + t.String() + " begins to hold, or ends."}}
	found := false
	for i := range xs {
		rows.Data = append(rows.Data, []any{x.Shown(xs[i]), y.Shown(ys[i])})
		found = found || !math.IsNaN(ys[i])
	}
	if !found {
		rows.Notes = append(rows.Notes, "There is no such place in these ranges.")
	}
	var picture reports.Picture
	if o.plot != "" {
		if picture, err = curvePicture(d, t, x, y); err != nil {
			return err
		}
	}
	return o.write(cmd, rows, picture)
}

// curvePicture is a heat map of the quantity with the curve over it.
func curvePicture(d whatif.Design, t whatif.Target, x, y whatif.Range) (reports.Picture, error) {
	x.Steps, y.Steps = mapCells, mapCells
	xs, ys, err := d.Curve(t, x, y)
	if err != nil {
		return nil, err
	}
	o := whatifOptions{plot: "map", of: []string{t.Quantity.Name}}
	s := &whatif.Sweep{Design: d, Ranges: []whatif.Range{x, y}, Sizes: []quantity.Bytes{max(t.Quantity.Size, 1)}, Names: o.of}
	p, err := o.newSweepPicture(s)
	if err != nil {
		return nil, err
	}
	if err := s.Run(context.Background(), 0, nil, p.add); err != nil {
		return nil, err
	}
	h := p.figure().(reports.HeatMap)
	line := reports.Series{Name: t.String(), Kind: reports.Line}
	for i := range xs {
		line.X, line.Y = append(line.X, x.Shown(xs[i])), append(line.Y, y.Shown(ys[i]))
	}
	h.Lines = []reports.Series{line}
	return h, nil
}
