package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the results, with the known bounds beneath it. The
// difference is of the engine to the model, and never of the model to a measurement,
// which has a column of its own.
func (v *Validation) Rows() table.Rows {
	// NaN is a time that does not exist.
	two := func(x any) string {
		if f := x.(float64); !math.IsNaN(f) {
			return fmt.Sprintf("%.2f", f)
		}
		return ""
	}
	untested := slices.ContainsFunc(v.Results, func(r validated) bool {
		return r.class() != nil && !r.tests()
	})
	var bounds table.Footnotes
	rows := table.TableOf(v.Results,
		table.Col("platform", "platform", func(r validated) any { return r.Platform }).Ranked(4),
		table.Col("layer", "layer", func(r validated) any { return r.Layer }).Ranked(3),
		table.Col("program", "program", func(r validated) any { return r.Program }),
		table.Col("size_bytes", "size", func(r validated) any { return r.Size }),
		table.Col("quantity", "quantity", func(r validated) any { return r.Quantity }),
		table.Col("model", "model", func(r validated) any { return r.Model }).Texted(two),
		table.Col("engine", "engine",
			func(r validated) any { return r.Engine }).Texted(two).Ranked(1),
		table.Col("", "is",
			func(r validated) any { return table.OrNil(r.timeRelation()) }).Ranked(2),
		table.Col("measured", "measured",
			func(r validated) any { return r.Measured.Value }).Texted(two).Ranked(2),
		table.Col("unit", "unit", func(r validated) any { return r.Unit }),
		// A number that the model was made from does not test it.
		table.Col("", table.HeadIf(untested, "class"),
			func(r validated) any { return r.class() }).Ranked(2),
		table.Col("error_percent", "engine to model",
			func(r validated) any { return 100 * r.Difference() }).
			Texted(func(x any) string { return fmt.Sprintf("%+.3g %%", x) }),
		table.Col("measured_low", "", func(r validated) any { return r.Measured.Low }),
		table.Col("measured_high", "", func(r validated) any { return r.Measured.High }),
		table.Col("measured_relation", "",
			func(r validated) any { return table.OrNil(r.timeRelation()) }),
		table.Col("measured_class", "", func(r validated) any { return r.class() }),
		table.Col("measured_note", "",
			func(r validated) any { return table.OrNil(r.reason()) }),
		table.Col("paper_bound", "paper's bound",
			func(r validated) any { return r.PaperBound }).Texted(two).Ranked(5),
		table.Col("", "note", func(r validated) any {
			return strings.TrimSpace(bounds.Mark(sentence(r.Bound)) + " " + bounds.Mark(r.reason()))
		}),
		table.Col("note", "", func(r validated) any { return r.Bound }),
	)
	rows.Notes = append(bounds.Lines(), v.Notes...)
	rows.RowRank = v.rowRank()
	if len(v.Results) > 0 {
		off := slices.MaxFunc(v.Results, func(a, b validated) int {
			return cmp.Compare(math.Abs(a.Difference()), math.Abs(b.Difference()))
		})
		at := ""
		if off.Difference() != 0 {
			at = fmt.Sprintf(", the most in %s of %s", off.Quantity, quantity.Bytes(off.Size))
		}
		rows.Verdict = table.Say("engine and model differ by at most %s in %s%s; this tests the "+
			"formulas; halfpeak reproduce tests them with measurements",
			table.PercentError(100*math.Abs(off.Difference())),
			quantity.Plural(len(v.Results), "number"), at)
	}
	return rows
}

// rowRank ranks the rows for a small screen: the largest difference of each layer stays the
// longest, then that of each program, then that of each quantity.
func (v *Validation) rowRank() func(i int) int {
	const ranks = 3
	group := func(r validated, rank int) [4]string {
		return [4]string(append([]string{r.Platform, r.Layer, r.Program, r.Quantity}[:2+rank],
			make([]string, ranks-1-rank)...))
	}
	worst := map[[4]string]int{}
	for i, r := range v.Results {
		for rank := range ranks {
			g := group(r, rank)
			j, has := worst[g]
			if !has || math.Abs(r.Difference()) > math.Abs(v.Results[j].Difference()) {
				worst[g] = i
			}
		}
	}
	return func(i int) int {
		for rank := range ranks {
			if worst[group(v.Results[i], rank)] == i {
				return rank
			}
		}
		return ranks
	}
}

// sentence ends a reason with a full stop, as the papers' notes have one.
func sentence(reason string) string {
	if reason == "" {
		return ""
	}
	return reason + "."
}
