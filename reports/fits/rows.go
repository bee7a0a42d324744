package fits

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the results, with its notes. The order of the cases is
// that of precedence: changes also hold the curves they were made of, and summaries
// are set only if there are no curves. What is missing comes before doubts about what is there.
func Rows(f *Fitted, units quantity.UnitChoice) table.Rows {
	var rows table.Rows
	switch {
	case f.Calibrated != nil:
		rows = calibrationRows(f.Calibrated)
	case f.Pipelines != nil:
		rows = pipelineRows(f.Pipelines)
	case f.Changes != nil:
		rows = changeRows(f)
	case f.Collectives != nil:
		rows = collectiveRows(f)
	case f.Summaries != nil:
		rows = summaryRows(f.Summaries)
	case f.Parameters != nil:
		rows = parameterRows(f.Parameters)
	default:
		rows = curveRows(f, units)
	}
	rows.Doubts = slices.Concat(f.LeftOut, rows.Doubts, f.Notes)
	rows.Next = f.Best
	return rows
}

// A segment is a row: one line of a curve.
type segment struct {
	Curve
	*fit.Segment
	table  string
	number int
}

// curveRows tabulates the lines of all curves. On a narrow terminal the description
// goes first (format, model, number of the segment), then errors, then r∞ and n½. The
// sizes, β and τ stay.
func curveRows(f *Fitted, units quantity.UnitChoice) table.Rows {
	var all []segment
	names := tableNames(f.Curves)
	for k, c := range f.Curves {
		// Stages are known by the name that the file gives them, not by their table.
		name := names[k]
		if f.Model == "pipeline" {
			name = c.Name
		}
		for i := range c.Segments {
			all = append(all, segment{c, &c.Segments[i], name, i + 1})
		}
	}
	// r∞ = 1/τ has no upper end if the interval of τ contains 0.
	known := func(s segment) bool { return s.Tau.Low > 0 }
	// If all rows are of one table, a narrow terminal can do without its name.
	tableRank := 0
	if len(f.Curves) <= 1 && f.Model != "pipeline" {
		tableRank = 8
	}
	col := table.Col[segment]
	percent := func(key, head string, rank int, of func(segment) float64) table.Field[segment] {
		cell := func(s segment) any { return 100 * of(s) }
		return col(key, head, cell).Texted(table.PercentError).Ranked(rank)
	}
	beta := table.SpreadOf("beta", "β (95 %)", quantity.DimTime,
		func(s segment) quantity.Interval { return s.Beta })
	tau := table.SpreadOf("tau", "τ (95 %)", quantity.DimInverse,
		func(s segment) quantity.Interval { return s.Tau })
	rows := table.TableOf(all,
		col("", "table", func(s segment) any { return s.table }).Ranked(tableRank),
		col("file", "", func(s segment) any { return s.File.Name }),
		col("format", "format",
			func(s segment) any { return s.Curve.Source.Table.Format }).Ranked(9),
		col("model", "model", func(s segment) any { return s.Model }).Ranked(7),
		col("segment", "segment", func(s segment) any { return s.number }).Ranked(6),
		col("from_bytes", "from", func(s segment) any { return s.From }),
		col("to_bytes", "to", func(s segment) any { return s.To }),
		col("points", "points", func(s segment) any { return s.Segment.Points }).Ranked(5),
		beta.Text, beta.Value, beta.Low, beta.High, tau.Text, tau.Value, tau.Low, tau.High,
		percent("median_error_percent", "median error", 3,
			func(s segment) float64 { return s.Segment.Median }),
		percent("p95_error_percent", "95th perc.", 4,
			func(s segment) float64 { return s.Segment.P95 }),
		col("worst_error_percent", "", func(s segment) any { return 100 * s.Segment.Worst }),
		col("r2", "", func(s segment) any { return s.Segment.R2 }),
		col("r_inf_mb_s", "r∞",
			func(s segment) any { return table.OrAbsent(s.RInf(), known(s)) }).Ranked(2),
		col("n_half_bytes", "n½",
			func(s segment) any { return table.OrAbsent(s.NHalf(), known(s) && s.hasHalf()) }).
			Ranked(1).Texted(table.About),
		col("title", "", func(s segment) any { return s.Curve.Source.Table.Name() }),
		col("kind", "", func(s segment) any { return s.Kind.String() }),
		col("method", "", func(s segment) any { return s.Method }),
	)
	for _, c := range f.Curves {
		rows.Notes = append(rows.Notes, curveNotes(c, units)...)
	}
	rows.Doubts = warnings(f.Curves)
	rows.Verdict = curveVerdict(f.Curves, names)
	return rows
}

// warnings returns the warnings of the curves; one of many curves stands once.
func warnings(curves []Curve) (all []string) {
	of := map[string]int{}
	for _, c := range curves {
		for _, w := range c.Warnings {
			of[w]++
		}
	}
	for _, c := range curves {
		for _, w := range c.Warnings {
			if of[w] <= manyCurves {
				all = append(all, c.About("%s", w))
				continue
			}
			text := fmt.Sprintf("%d tables: %s", of[w], w)
			if !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

// manyCurves is the number of curves up to which the closing line has each.
const manyCurves = 3

// curveVerdict closes a fit: the lines of each curve, or of many curves the ranges of β and τ.
func curveVerdict(curves []Curve, names []string) table.Sentence {
	if len(curves) > manyCurves {
		var beta, tau []float64
		for _, c := range curves {
			for _, s := range c.Segments {
				beta, tau = append(beta, s.Beta.Value), append(tau, s.Tau.Value)
			}
		}
		beta, tau = stats.Ascending(beta), stats.Ascending(tau)
		return table.Say("%d tables: β %v to %v, τ %v to %v", len(curves),
			quantity.Micros(beta[0]), quantity.Micros(beta[len(beta)-1]),
			quantity.MicrosPerByte(tau[0]), quantity.MicrosPerByte(tau[len(tau)-1]))
	}
	var all []table.Sentence
	for i, c := range curves {
		if len(c.Segments) == 0 {
			continue
		}
		line := lineVerdict(c)
		if len(curves) > 1 {
			line = table.Say("%s: %v", names[i], line)
		}
		all = append(all, line)
	}
	return table.Listed("; ", all, func(line table.Sentence) table.Sentence { return line })
}

// lineVerdict returns the time of small messages, the lines with the sizes where they change, r∞
// and n½.
func lineVerdict(c Curve) table.Sentence {
	of := ""
	if op := c.Source.Table.Collective; op.Name != "" {
		of = op.Name + ", "
		if op.Ranks > 0 {
			of = fmt.Sprintf("%s on %d ranks, ", op.Name, op.Ranks)
		}
	}
	last := segment{Curve: c, Segment: &c.Segments[len(c.Segments)-1]}
	const small = 64
	first := c.Segments[0]
	text := table.Say("%s", of)
	if first.From <= small && first.Beta.Value > 0 {
		text = table.Say("%ssmall messages %v", of, table.Shown(quantity.DimTime, first.Beta))
	} else {
		line := first.Line()
		text = table.Say("%s%v: %v", of, first.From, line.Beta+line.Tau.Times(first.From))
	}
	if n := len(c.Segments); n > manyCurves {
		ends := table.Listed(", ", c.Segments[:n-1], func(s fit.Segment) table.Sentence {
			return table.Say("%v", s.To)
		})
		text = table.Say("%v; %d lines, which change above %v", text, n, ends)
	} else {
		lines := table.Listed(", ", c.Segments, func(s fit.Segment) table.Sentence {
			line := s.Line()
			return table.Say("up to %v %v + n × %v", s.To, line.Beta, line.Tau)
		})
		text = table.Say("%v; %v", text, lines)
	}
	if !(last.Tau.Low > 0) {
		return text
	}
	// n½ of the last line, or else of the whole curve, as compare has it.
	half, exists := last.NHalf(), last.hasHalf()
	if layer, err := c.Layer(); !exists && err == nil {
		half, exists = layer.Peak().Half, layer.Peak().Exists
	}
	text = table.Say("%v; r∞ %v", text, last.RInf())
	if exists {
		text = table.Say("%v, n½ %v", text, table.About(half))
	}
	return text
}

// hasHalf reports whether the line of the segment holds at its n½: it is the only one, or n½ is
// among its sizes.
func (s segment) hasHalf() bool {
	return len(s.Curve.Segments) == 1 || s.From <= s.NHalf() && s.NHalf() <= s.To
}

// curveNotes returns what the rows of segments cannot hold: the errors over all
// sizes, the breaks with their uncertainty, and the models that auto compared.
func curveNotes(c Curve, units quantity.UnitChoice) []string {
	var notes []string
	say := func(format string, args ...any) {
		notes = append(notes, c.About(format, args...))
	}
	percent := func(part float64) string { return table.PercentError(100 * part) }
	// With one segment, its row already has these errors.
	if len(c.Segments) > 1 && c.Model != "table" {
		say("over all sizes: median error %s, 95th percentile %s, worst %s at %s; "+
			"a boundary size belongs to the lower segment",
			percent(c.Median), percent(c.P95), percent(c.Worst), c.WorstAt)
	}
	for i, b := range c.Breaks {
		within := fmt.Sprintf("%s to %s",
			quantity.Bytes(b.Within.Low), quantity.Bytes(b.Within.High))
		// The search moves a break from one measured size to the next. An interval of
		// a single size does not mean that the break is known to the byte.
		if b.Within.Low == b.Within.High {
			within = "no other size fits"
		}
		jump := table.Interval{Dim: quantity.DimTime, Interval: b.Jump}.In(units)
		say("segment %d ends at %s (95 %%: %s), with a jump of %s", i+1, b.At, within, jump)
	}
	// The errors of the models that were not chosen show how clear the choice was.
	if len(c.Tried) > 1 {
		words := make([]string, len(c.Tried))
		for i, t := range c.Tried {
			words[i] = strings.TrimSuffix(t.Model+" "+t.Method, " ") + " " + percent(t.Error)
			if t.Chosen {
				words[i] += " (chosen)"
			}
		}
		say("mean error in predicting held-out sizes: %s", strings.Join(words, ", "))
	}
	return notes
}

// parameterRows has the unit in a column, because the rows of LogGP have two: times,
// and times per byte. Numbers for programs are in that unit.
func parameterRows(all []Parameter) table.Rows {
	scaled := func(v float64, p Parameter) any { return v * p.Dim.Column().Scale }
	unit := func(p Parameter) any { return p.Dim.Column().Input() }
	ranged := slices.ContainsFunc(all, func(p Parameter) bool { return p.To > 0 })
	col := table.Col[Parameter]
	rows := table.TableOf(all,
		col("file", "table", func(p Parameter) any { return p.Table }).Ranked(2),
		col("model", "model", func(p Parameter) any { return p.Model }).Ranked(1),
		col("from_bytes", "from", func(p Parameter) any { return p.From }).If(ranged),
		col("to_bytes", "to", func(p Parameter) any { return p.To }).If(ranged),
		col("parameter", "parameter", func(p Parameter) any { return p.Name }),
		col("", "value (95 %)", func(p Parameter) any {
			switch {
			case p.unknown() && math.IsInf(p.High, 1):
				return "unknown"
			case p.unknown():
				return fmt.Sprintf("at most %v", table.Shown(p.Dim, quantity.Alone(p.High)))
			}
			return table.Interval{Dim: p.Dim, Interval: p.Interval}
		}),
		col("value", "", func(p Parameter) any {
			return table.OrAbsent(scaled(p.Value, p), !p.unknown())
		}),
		col("low", "", func(p Parameter) any { return scaled(p.Low, p) }),
		col("high", "", func(p Parameter) any { return scaled(p.High, p) }),
		col("unit", "", unit),
	)
	known := slices.DeleteFunc(slices.Clone(all), Parameter.unknown)
	ranges := table.Groups(known, func(p Parameter) string { return fmt.Sprint(p.Table, p.From) })
	rows.Verdict = table.Listed("; ", ranges, func(of []Parameter) table.Sentence {
		text := table.Listed(", ", of, func(p Parameter) table.Sentence {
			return table.Say("%s %v", p.Name, table.Shown(p.Dim, quantity.Alone(p.Value)))
		})
		if ranged {
			return table.Say("%v to %v: %v", of[0].From, of[0].To, text)
		}
		return text
	})
	return rows
}

// summaryRows shows tables of one size as they were measured.
func summaryRows(all []Summary) table.Rows {
	col := table.Col[Summary]
	rows := table.TableOf(all,
		col("file", "file", func(s Summary) any { return s.File.Name }).Ranked(2),
		col("title", "table", func(s Summary) any { return s.Table.Name() }).Ranked(1),
		col("kind", "kind", func(s Summary) any { return s.Table.Kind.String() }),
		col("size_bytes", "size", func(s Summary) any { return s.Size }),
		col("count", "n", func(s Summary) any { return s.Count }),
		col("min_us", "min", func(s Summary) any { return s.Min }),
		col("median_us", "median",
			func(s Summary) any { return table.OrAbsent(s.Typical(), s.Typical() > 0) }),
		col("mean_us", "mean", func(s Summary) any { return s.Mean }),
		col("max_us", "largest", func(s Summary) any { return s.Max }),
	)
	rows.Notes = []string{"These tables have one size each. " +
		"A line needs at least 2 sizes, and 10 over a factor of 100 to be trusted."}
	return rows
}
