package papers

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/halfpeak/halfpeak/reports/table"
)

// Microseconds are written us in the data, as users type them. Only a whole word is
// meant, not the end of bus.
var microUnit = regexp.MustCompile(`\bus\b`)

// Rows returns a row for each number: for programs with all of its fields, for people
// with those that fit on a line. Class and role share a column for people, since a
// class is a finer word for the role measured.
func (r Reproduction) Rows() table.Rows {
	var notes table.Footnotes
	percent := table.PercentText("%+.1f %%")
	rows := table.TableOf(r,
		table.Col("source", "", func(r result) any { return r.Paper }),
		table.Col("place", "place", func(r result) any { return r.Place }),
		table.Col("quantity", "quantity", func(r result) any { return r.Quantity }),
		table.Col("role", "", func(r result) any { return string(r.Role) }),
		table.Col("class", "",
			func(r result) any { return table.OrNil(string(r.Class)) }),
		table.Col("", "is",
			func(r result) any { return cmp.Or(string(r.Class), string(r.Role)) }).Ranked(2),
		table.Col("", "printed", func(r result) any {
			// A few numbers are printed in words, such as "about half".
			if math.IsNaN(r.Value) {
				return "(words)"
			}
			printed := microUnit.ReplaceAllString(r.Printed+" "+r.Unit, "µs")
			return strings.TrimPrefix(strings.TrimSpace(r.Relation+" "+printed), "= ")
		}),
		table.Col("printed", "", func(r result) any { return r.Value }),
		table.Col("computed", "ours", func(r result) any { return r.Computed }),
		table.Col("unit", "", func(r result) any { return r.Unit }),
		table.Col("error_percent", "error",
			func(r result) any { return 100 * r.Error }).Texted(percent),
		table.Col("note", "", func(r result) any { return table.OrNil(r.Note) }),
		table.Col("layer", "", func(r result) any { return r.Layer }),
		table.Col("relation", "", func(r result) any { return r.Relation }),
		table.Col("low", "", func(r result) any { return r.Within.Low }),
		table.Col("high", "", func(r result) any { return r.Within.High }),
		table.Col("met", "met", func(r result) any {
			return table.OrAbsent(r.Met, covered(r))
		}).Ranked(1),
		table.Col("", "note", func(r result) any { return notes.Mark(remark(r)) }),
		table.Col("id", "", func(r result) any { return r.ID }),
		table.Col("formula", "", func(r result) any { return r.Formula }),
	)
	verdict, headline := r.headline()
	rows.Notes = append(notes.Lines(), headline...)
	rows.Verdict = verdict
	return rows
}

// Summary returns the short tables: a line for each paper with its accuracy, and the
// worst predictions with their reasons. The second table is as prominent as the first
// on purpose. Its columns have no keys: programs read [Reproduction.Rows].
func (r Reproduction) Summary() []table.Rows {
	type line struct {
		paper string
		of    Reproduction
		Accuracy
	}
	var lines []line
	add := func(name string, of Reproduction) {
		if len(of) > 0 {
			lines = append(lines, line{name, of, of.predicted()})
		}
	}
	from := func(source string) Reproduction {
		return r.filter(func(one result) bool { return one.Paper == source })
	}
	for _, paper := range sources() {
		if paper != own {
			add(paper, from(paper))
		}
	}
	// With one paper, a line for all would repeat it.
	if len(lines) > 1 {
		add("papers", r.papers())
	}
	add(own, from(own))
	percent := table.PercentText("%.1f %%")
	byPaper := table.TableOf(lines,
		table.Col("", "paper", func(l line) any { return l.paper }),
		table.Col("", "inputs", func(l line) any { return l.of.inputs() }).Ranked(3),
		table.Col("", "stated", func(l line) any {
			met, all := l.of.stated()
			return fmt.Sprintf("%d of %d", met, all)
		}),
		table.Col("", "predicted", func(l line) any { return l.Numbers }),
		table.Col("", "median error",
			func(l line) any { return 100 * l.median() }).Texted(percent),
		table.Col("", "worst", func(l line) any { return 100 * l.worst() }).Texted(percent),
		table.Col("", "unscored",
			func(l line) any { return l.of.measured() - l.Numbers }).Ranked(2),
	)
	byPaper.Verdict, byPaper.Notes = r.headline()
	// Eight lines leave both tables on one screen.
	misses := r.papers().misses(8)
	if len(misses) == 0 {
		return []table.Rows{byPaper}
	}
	worst := table.TableOf(misses,
		table.Col("", "farthest off", func(r result) any {
			// Some quantities begin with their system; a second name would be too
			// much.
			if platform, _, _ := strings.Cut(r.Layer, "/"); !strings.Contains(r.Quantity, ": ") {
				return platform + ": " + r.Quantity
			}
			return r.Quantity
		}),
		table.Col("", "printed", func(r result) any {
			return microUnit.ReplaceAllString(strings.TrimSpace(r.Printed+" "+r.Unit), "µs")
		}),
		table.Col("", "ours", func(r result) any { return r.Computed }),
		table.Col("", "error", func(r result) any { return 100 * r.Error }).
			Texted(table.PercentText("%+.0f %%")),
	)
	var notes table.Footnotes
	worst.Columns = append(worst.Columns, table.Column{Head: "why"})
	for i, m := range misses {
		worst.Data[i] = append(worst.Data[i], notes.Mark(m.Note))
	}
	worst.Notes = notes.Lines()
	worst.RowRank = func(i int) int { return i } // the worst stays
	return []table.Rows{byPaper, worst}
}

// headline explains the table of the papers: what counts as a prediction, how good
// the predictions are, and what was not counted.
func (r Reproduction) headline() (verdict table.Sentence, notes []table.Note) {
	var lines []string
	all := r
	r = r.papers()
	if a := r.predicted(); len(a.Errors) > 0 {
		lines = append(lines,
			fmt.Sprintf("%d numbers predicted from parameters measured elsewhere: off by %.1f %% "+
				"in the median, %.0f %% at worst; %d by at most 10 %%",
				len(a.Errors), 100*a.median(), 100*a.worst(), a.within(0.1)))
		if a.Bounds > 0 {
			lines = append(lines,
				fmt.Sprintf("Of the printed bounds (\"over 250\"), %d of %d predicted ones are "+
					"kept; one that is crossed counts as an error.", a.BoundsKept, a.Bounds))
		}
	}
	if counts := r.unscoredCounts(); counts != "" {
		lines = append(lines,
			"Unscored measured numbers are not predictions and are only counted: "+counts+".")
	}
	met, stated := r.stated()
	lines = append(lines,
		fmt.Sprintf("Inputs are model parameters, so they are not counted as predictions. The "+
			"papers state %d computed numbers, of which %d are reproduced; the rest have notes "+
			"with the reasons.", stated, met))
	if n := r.uncovered(); n > 0 {
		lines = append(lines,
			fmt.Sprintf("No model computes %d more numbers of the papers, such as sizes, "+
				"equipment and prices; each has its reason in the list of all rows.", n))
	}
	if n := len(all) - len(r); n > 0 {
		lines = append(lines, fmt.Sprintf("%s has %d times of whole messages that this project "+
			"measured, predicted from stages of the same launches (docs/pipelines.md). They do "+
			"not count for the papers.", own, n))
	}
	for _, text := range lines[1:] {
		notes = append(notes, table.Note{Text: text})
	}
	return table.Say("%s", lines[0]), notes
}

// Blocks returns the section of a report about one platform. Rows are sorted by role
// and then by class, so that the predictions stand together.
func (r Reproduction) Blocks() []table.Block {
	if len(r) == 0 {
		return nil
	}
	var notes table.Footnotes
	rows := table.TableOf(r.byClass(),
		table.Col("role", "role", func(r result) any { return string(r.Role) }),
		table.Col("class", "class", func(r result) any {
			return table.OrNil(string(r.Class))
		}),
		table.Col("quantity", "quantity", func(r result) any { return r.Quantity }),
		table.Col("layer", "layer", func(r result) any {
			_, layer, _ := strings.Cut(r.Layer, "/")
			return layer
		}),
		table.Col("printed", "printed", func(r result) any {
			return strings.TrimPrefix(r.Relation+" "+r.Printed, "= ")
		}),
		table.Col("computed", "model", func(r result) any { return r.Computed }),
		table.Col("unit", "unit", func(r result) any { return r.Unit }).
			Texted(func(v any) string { return microUnit.ReplaceAllString(v.(string), "µs") }),
		table.Col("error_percent", "error", func(r result) any { return 100 * r.Error }).
			Texted(table.PercentText("%+.1f %%")),
		table.Col("met", "met", func(r result) any { return r.Met }),
		table.Col("place", "place",
			func(r result) any { return r.Paper + ", " + r.Place }),
		table.Col("", "note", func(r result) any { return notes.Mark(remark(r)) }),
		table.Col("note", "", func(r result) any { return r.Note }),
	)
	rows.Notes = notes.Lines()
	text := "A predicted number was measured, and the model computes it from parameters that " +
		"were measured elsewhere: it tests the model. Other measured numbers prove less: a " +
		"constant of the formula comes from the same curve (fitted), from the same table " +
		"(same-table), the number is printed again (repeated), or another system's " +
		"stands for it (copied). A stated number was computed in the paper and " +
		"must come out again. Met means inside the error bar of what is printed."
	if s := r.predicted().Sentence(); s != "" {
		text += " " + s
	}
	return []table.Block{table.Paragraph(text), table.Table{Rows: rows}}
}
