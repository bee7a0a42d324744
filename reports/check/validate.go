// Package check compares the models with two judges: the message engine ([Validate]), and this
// machine ([ValidateLive]), whose transports it measures with the benchmark programs of the engine
// ([Bench]).
//
// A judge never shares a formula with the accused. The engine runs a layer from its
// resources and the places of its stages; the formula computes the same time from
// parameters. Mutants of the formulas test that the judge notices (mutation_test.go).
// A difference is reported as it is: it may have a note with a
// known bound of the formula, but the bound has a direction, and a difference to the
// other side stays unexplained.
//
// Read validate.go, validate_programs.go and
// validate_run.go for the engine, live.go and live_machine.go for this machine. Files
// of live transports are built on Linux alone.
package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Validate runs the programs on simulated nodes whose parts cost the times in the
// platforms' files, and compares the results with the formulas. An error names the
// layer and the program.
//
// The order of results is layer, program, size, so that output is the same in each
// run. The first error of a layer ends everything: an engine that cannot run a
// program is a bug of ours or an impossible platform, and not a difference to report.
func Validate(o ValidateOptions, designs ...platforms.Design) (*Validation, error) {
	// Eight nodes: enough for receivers to be contended, and still fast.
	if o.Nodes == 0 {
		o.Nodes = 8
	}
	for _, n := range o.Sizes {
		if n > MaxValidated {
			err := fmt.Errorf("%v is too large: programs move at most %v at once", n, MaxValidated)
			return nil, usage.Fields(err, "size")
		}
	}
	v := &Validation{}
	for _, d := range designs {
		r, err := newRun(v, o, d)
		if err != nil {
			return nil, err
		}
		if err := d.Layer.GapError(); err != nil {
			v.Notes = append(v.Notes, err.Error()+". Engine and formulas let each message block "+
				"its sender until it has arrived.")
		}
		for _, p := range programs.List(programs.Simulated) {
			if o.Programs != nil && !slices.Contains(o.Programs, p.Name) {
				continue
			}
			for _, n := range r.sizesOf(p.Sizes) {
				if comparisons[p.Measures](r, p, n); r.err != nil {
					return nil, fmt.Errorf("%s: %s: %w", d.Layer.Ref(), p.Name, r.err)
				}
			}
		}
		// With injected faults, a reader must know how many there were: the runs then
		// differ from the formulas.
		if r.lost != (virtual.FaultStats{}) {
			v.Notes = append(v.Notes,
				fmt.Sprintf("%s: %v; %d sent again.", d.Layer.Ref(), r.lost, r.resent))
		}
	}
	return v, nil
}

// sizesOf returns the sizes that a program runs with, ascending. Programs of a fixed
// message have one size. Those that move much data run only the largest size asked
// for, up to 64 KiB, since their test is intact data and not a time. Programs that
// have a measured time also run at the measured sizes, if asked.
func (r *layerRun) sizesOf(which programs.Sizes) []quantity.Bytes {
	sizes := slices.Clone(r.o.Sizes)
	switch which {
	case programs.Own:
		return []quantity.Bytes{1}
	case programs.Largest:
		sizes = slices.DeleteFunc(sizes, func(n quantity.Bytes) bool { return n > 64*quantity.KiB })
		return []quantity.Bytes{slices.Max(append(sizes, 1))}
	case programs.AskedOrKept:
		for _, p := range r.points {
			if r.o.Measured {
				sizes = append(sizes, p.Size)
			}
		}
	}
	return stats.Ascending(sizes)
}

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
		return r.class() != nil && r.class() != string(papers.Predicted)
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
	rows.Notes, rows.Doubts = bounds.Lines(""), v.Notes
	rows.RowRank = v.rowRank()
	if len(v.Results) > 0 {
		off := slices.MaxFunc(v.Results, func(a, b validated) int {
			return cmp.Compare(math.Abs(a.Difference()), math.Abs(b.Difference()))
		})
		rows.Verdict = table.Say("engine and model differ by at most %s in %s",
			table.PercentError(100*math.Abs(off.Difference())),
			lex.Plural(len(v.Results), "number"))
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

// timeRelation returns how the paper's time stands to the measured one, "<" for "less than 10 µs";
// "" if the paper gives the time itself or none.
func (r validated) timeRelation() string {
	if r.Printed == nil || !r.Printed.Bound() {
		return ""
	}
	return r.Printed.TimeRelation
}

// class returns the class of the paper's number, or its role if it was not measured; nil without
// one.
func (r validated) class() any {
	if r.Printed == nil {
		return nil
	}
	return cmp.Or(string(r.Printed.Class), string(r.Printed.Role))
}

// reason returns the note of a paper's number that the engine does not meet, as Reproduction does
// for the model: it says whose number it is. "" if the number is met or has no note.
func (r validated) reason() string {
	if r.Printed == nil {
		return ""
	}
	var met bool
	switch r.timeRelation() {
	case "<", "<=":
		met = r.Engine <= r.Measured.High
	case ">", ">=":
		met = r.Engine >= r.Measured.Low
	default:
		met = math.Abs(r.Engine/r.Measured.Value-1) <= papers.WorthANote
	}
	if met {
		return ""
	}
	return r.Printed.Note
}

// sentence ends a reason with a full stop, as the papers' notes have one.
func sentence(reason string) string {
	if reason == "" {
		return ""
	}
	return reason + "."
}

// Figure draws the bandwidth of the one-way times of the program latency: model,
// engine, CLIP's bound, and measurements of the papers. The engine's points should
// lie on the line of the model.
func (v *Validation) Figure() table.Figure {
	f := table.Figure{
		Title: "bandwidth: model and engine",
		X:     table.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     table.Axis{Label: "bandwidth", Dim: quantity.DimRate, Log: true},
	}
	add := func(name string, kind table.SeriesKind, x, y, low, high float64) {
		i := slices.IndexFunc(f.Series, func(s table.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(f.Series)
			f.Series = append(f.Series, table.Series{Name: name, Kind: kind})
		}
		s := &f.Series[i]
		s.X, s.Y = append(s.X, x), append(s.Y, y)
		s.Low, s.High = append(s.Low, low), append(s.High, high)
	}
	for _, r := range v.Results {
		// Other programs measure intervals or round trips, which have no place on this axis.
		if r.Program != "latency" || r.Quantity != "one way" {
			continue
		}
		n, ref, none := float64(r.Size), r.Platform+"/"+r.Layer, math.NaN()
		add(ref+": model", table.Line, n, n/r.Model, none, none)
		add(ref+": engine", table.Points, n, n/r.Engine, none, none)
		if !math.IsNaN(r.PaperBound) {
			add(ref+": the paper's bound", table.Line, n, n/r.PaperBound, none, none)
		}
		// A bound is no point of a curve. The longest time is the lower end of the
		// bandwidth.
		if m := r.Measured; !math.IsNaN(m.Value) && r.timeRelation() == "" {
			add(ref+": measured", table.Points, n, n/m.Value, n/m.High, n/max(0, m.Low))
		}
	}
	return f
}
