package fits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows tabulates the lines of all curves. On a narrow terminal the description
// goes first (format, model, number of the segment), then errors, then r∞ and n½. The
// sizes, β and τ stay.
func (l *Lines) Rows() table.Rows {
	return lineRows(l.Curves, tableNames(l.Curves), len(l.Curves) > 1, l.units)
}

// Rows tabulates the lines of the stages. They are known by the name that the file gives them, not
// by their table.
func (f *Pipeline) Rows() table.Rows {
	var names []string
	for _, c := range f.Curves {
		names = append(names, c.Name)
	}
	rows := lineRows(f.Curves, names, true, nil)
	rows.Add(f.Best...)
	return rows
}

// lineRows tabulates the segments of curves, whose tables have these names. If named is set, the
// names stand on any terminal.
func lineRows(curves []Curve, names []string, named bool, units quantity.UnitChoice) table.Rows {
	all := segmentsOf(curves, names)
	// r∞ = 1/τ has no upper end if the interval of τ contains 0.
	known := func(s segment) bool { return s.Tau.Low > 0 }
	// If all rows are of one table, a narrow terminal can do without its name.
	tableRank := 0
	if !named {
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
	for _, c := range curves {
		rows.Add(curveNotes(c, units)...)
	}
	rows.Add(warnings(curves)...)
	rows.Verdict = curveVerdict(curves, names)
	return rows
}

// warnings returns the warnings of the curves; one of many curves stands once.
func warnings(curves []Curve) (all []remark.Note) {
	of := map[string]int{}
	for _, c := range curves {
		for _, w := range c.Warnings {
			of[w]++
		}
	}
	for _, c := range curves {
		for _, w := range c.Warnings {
			if of[w] <= manyCurves {
				all = append(all, remark.Warned(w).About(c.About()))
				continue
			}
			all = remark.Add(all, remark.InTables(of[w], w))
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
		return table.Say("%d tables: β %v to %v, τ %v to %v", len(curves),
			quantity.Micros(slices.Min(beta)), quantity.Micros(slices.Max(beta)),
			quantity.MicrosPerByte(slices.Min(tau)), quantity.MicrosPerByte(slices.Max(tau)))
	}
	var all []table.Sentence
	for i, c := range curves {
		if len(c.Segments) == 0 {
			continue
		}
		line := lineVerdict(c, segmentsOf(curves[i:i+1], names[i:i+1]))
		if len(curves) > 1 {
			line = table.Say("%s: %v", names[i], line)
		}
		all = append(all, line)
	}
	return table.Listed("; ", all, func(line table.Sentence) table.Sentence { return line })
}

// lineVerdict returns the time of small messages, the lines with the sizes where they change, r∞
// and n½.
func lineVerdict(c Curve, all []segment) table.Sentence {
	of := ""
	if op := c.Source.Table.Collective; op.Name != "" {
		of = op.Name + ", "
		if op.Ranks > 0 {
			of = fmt.Sprintf("%s on %d ranks, ", op.Name, op.Ranks)
		}
	}
	const small = 64
	first, last := all[0], all[len(all)-1]
	var text table.Sentence
	if first.From <= small && first.Beta.Value > 0 {
		text = table.Say("%ssmall messages %v", of, table.Shown(quantity.DimTime, first.Beta))
	} else {
		line := first.Line()
		text = table.Say("%s%v: %v", of, first.From, line.Beta+line.Tau.Times(first.From))
	}
	if n := len(all); n > manyCurves {
		ends := table.Listed(", ", all[:n-1], func(s segment) table.Sentence {
			return table.Say("%v", s.To)
		})
		text = table.Say("%v; %d lines, which change above %v", text, n, ends)
	} else {
		lines := table.Listed(", ", all, func(s segment) table.Sentence {
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

// curveNotes returns what the rows of segments cannot hold: the errors over all
// sizes, the breaks with their uncertainty, and the models that auto compared.
func curveNotes(c Curve, units quantity.UnitChoice) (notes []remark.Note) {
	say := func(n remark.Note) { notes = append(notes, n.About(c.About())) }
	percent := func(part float64) string { return table.PercentError(100 * part) }
	// With one segment, its row already has these errors.
	if len(c.Segments) > 1 && c.Model != "table" {
		say(remark.ErrorsOfCurve(percent(c.Median), percent(c.P95), percent(c.Worst), c.WorstAt))
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
		say(remark.Break(i+1, b.At, within, jump))
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
		say(remark.HeldOut(strings.Join(words, ", ")))
	}
	return notes
}
