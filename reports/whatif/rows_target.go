//go:build !js

package whatif

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the solutions. "new bottleneck" says what the time
// consists of at the solution: a further improvement has to begin there.
func (s *Solutions) Rows() table.Rows {
	type found = Solution
	q := s.Target.Quantity
	result := func(v float64) string { return s.Units.Print(q.Value(v)) }
	scale := func(f found) float64 { return f.Param.Value.Dim.Column().Scale }
	all := s.Found
	if all == nil && s.Met { // nothing was searched
		all = []found{{Now: s.Now.Value, At: s.Now.Value, Reached: true, Met: true,
			From: math.Inf(-1), To: math.Inf(1)}}
	}
	named := func(f found, v any) any { return table.OrAbsent(v, f.Param.Path != "") }
	rows := table.TableOf(all,
		table.Col("target", "", func(found) any { return s.Target.String() }),
		table.Col("", "parameter", func(f found) any {
			return named(f, f.Param.Short())
		}),
		table.Col("parameter", "", func(f found) any { return named(f, f.Param.Path) }),
		table.Col("", "current", func(f found) any {
			return named(f, f.Param.Shown())
		}).Ranked(2),
		table.Col("", "needed", func(f found) any { return neededText(f) }),
		table.Col("now", "", func(f found) any { return named(f, f.Param.Value.Num*scale(f)) }),
		table.Col("needed", "", func(f found) any {
			return named(f, table.OrAbsent(f.Value*scale(f), f.Reached))
		}),
		table.Col("unit", "", func(f found) any {
			return named(f, f.Param.Value.Dim.Column().Unit)
		}),
		table.Col("", q.String(), func(f found) any {
			switch {
			case f.Met:
				return result(f.Now)
			case !f.Reached:
				return atBest(f, result)
			}
			return result(f.Now) + " → " + result(f.At)
		}).Ranked(1),
		table.Col("quantity_now", "", func(f found) any { return f.Now }),
		table.Col("quantity_then", "", func(f found) any { return f.At }),
		table.Col("quantity_unit", "", func(found) any { return q.Kind.Dim.Column().Unit }),
		table.Col("reached", "", func(f found) any { return f.Reached }),
		table.Col("met", "", func(f found) any { return f.Met }),
		table.Col("from", "", func(f found) any { return f.From * scale(f) }),
		table.Col("to", "", func(f found) any { return f.To * scale(f) }),
		table.Col("", "new bottleneck", func(f found) any {
			return named(f, limitsText(f, q))
		}).Ranked(3),
		table.Col("limited_by", "", func(f found) any {
			if f.Limits == nil {
				return nil
			}
			return f.Limits[0].Owner
		}),
		table.Col("limited_by_percent", "", func(f found) any {
			if f.Limits == nil {
				return nil
			}
			return 100 * partOf(f.Limits, q, 0)
		}),
	)
	target := s.Target.shown(s.Units)
	rows.Add(remark.Target(target))
	rows.Verdict = solutionVerdict(s, target)
	if s.Met {
		rows.Verdict = table.Say("%s is already met: %v", target, q.Value(s.Now.Value))
		if !s.Sure {
			rows.Verdict = table.Say("%s is met by %v, but not by all of %v to %v, which holds "+
				"the next measurement in 95 %% of cases", target, q.Value(s.Now.Value),
				q.Value(s.Now.Low), q.Value(s.Now.High))
		}
		if s.Found == nil {
			rows.Add(remark.SolveByName())
		}
	}
	if s.Idle > 0 {
		rows.Add(remark.WithoutEffect(s.Idle))
	}
	if s.noInterval != "" {
		rows.Verdict = table.Say("%v; %s", rows.Verdict, s.noInterval)
	}
	rows.Add(s.notes...)
	return rows
}

// Figure returns nil: values of several parameters are no picture.
func (s *Solutions) Figure() (table.Picture, error) { return nil, nil }

// shown returns the target for people: a finish says of what, with the algorithm.
func (t Target) shown(units quantity.UnitChoice) string {
	name := t.Quantity.String()
	if t.Quantity.simulated() {
		name = named(title(t.Quantity))
	}
	return fmt.Sprintf("%s %s %s", name, t.relation(), units.Print(t.Quantity.Value(t.Value)))
}

// solutionVerdict returns the parameter that needs the smallest change.
func solutionVerdict(s *Solutions, target string) table.Sentence {
	reach := slices.DeleteFunc(slices.Clone(s.Found), func(f Solution) bool { return !f.Reached })
	switch {
	case len(reach) > 0: // the smallest change is the first
		line := table.Say("%s needs %s at %s", target, reach[0].Param.Short(),
			neededText(reach[0]))
		switch {
		case len(reach) == 1 && len(s.Found) > 1:
			return table.Say("%v; no other parameter alone reaches it", line)
		case len(reach) > table.MaxClosed:
			return table.Say("%v, the smallest change of %d that do", line, len(reach))
		}
		for _, f := range reach[1:] {
			line = table.Say("%v, or %s at %s", line, f.Param.Short(), neededText(f))
		}
		return line
	case len(s.Found) == 1:
		return table.Say("no value of %s reaches the target; the remaining time is %s",
			s.Found[0].Param.Short(), limitsText(s.Found[0], s.Target.Quantity))
	}
	return table.Say("no parameter alone reaches %s", target)
}

// limitsText names the owners of a tenth or more, and the largest in any case: "L 62
// %, o_s 34 %".
func limitsText(s Solution, q Quantity) string {
	var words []string
	for i, o := range s.Limits {
		if of := partOf(s.Limits, q, i); of >= 0.1 || i == 0 {
			words = append(words, o.Owner+" "+table.PercentShare(100*of))
		}
	}
	return strings.Join(words, ", ")
}
