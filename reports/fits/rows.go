package fits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// Rows returns the table of the results, with its notes.
func (f *Fitted) Rows(units quantity.UnitChoice) reports.Rows {
	var rows reports.Rows
	switch {
	case f.calibrated != nil:
		rows = f.calibrated.rows()
	case f.Changes != nil:
		rows = changeRows(f.Changes)
	case f.Collectives != nil:
		rows = f.collectiveRows()
	case f.Summaries != nil:
		rows = summaryRows(f.Summaries)
	case f.Parameters != nil:
		rows = parameterRows(f.Parameters)
	default:
		rows = f.curveRows(units)
	}
	rows.Notes = slices.Concat(f.Notes, rows.Notes, f.best)
	return rows
}

type segment struct {
	Curve
	*fit.Segment
	table  string
	number int
}

func (f *Fitted) curveRows(units quantity.UnitChoice) reports.Rows {
	var all []segment
	for _, c := range f.Curves {
		name := tableName(c.fitSource, f.Curves)
		if f.model == "pipeline" {
			name = c.Name
		}
		for i := range c.Segments {
			all = append(all, segment{c, &c.Segments[i], name, i + 1})
		}
	}
	known := func(s segment) bool { return s.Tau.Low > 0 } // else r∞ has no bound within the interval
	tableRank := 0
	if len(f.Curves) <= 1 && f.model != "pipeline" {
		tableRank = 8
	}
	percent := func(key, head string, rank int, of func(segment) float64) reports.Field[segment] {
		return reports.Col(key, head, func(s segment) any { return 100 * of(s) }).Texted(reports.PercentError).Ranked(rank)
	}
	rows := reports.TableOf(all,
		reports.Col("", "table", func(s segment) any { return s.table }).Ranked(tableRank),
		reports.Col("file", "", func(s segment) any { return s.file.Name }),
		reports.Col("format", "format", func(s segment) any { return s.Curve.fitSource.table.Format }).Ranked(9),
		reports.Col("model", "model", func(s segment) any { return s.Model }).Ranked(7),
		reports.Col("segment", "segment", func(s segment) any { return s.number }).Ranked(6),
		reports.Col("from_bytes", "from", func(s segment) any { return s.From }),
		reports.Col("to_bytes", "to", func(s segment) any { return s.To }),
		reports.Col("points", "points", func(s segment) any { return s.Segment.Points }).Ranked(5),
		reports.Col("", "β (95 %)", func(s segment) any { return estimated(quantity.DimTime, s.Beta) }),
		reports.Col("beta_us", "", func(s segment) any { return s.Beta.Value }),
		reports.Col("beta_low_us", "", func(s segment) any { return s.Beta.Low }),
		reports.Col("beta_high_us", "", func(s segment) any { return s.Beta.High }),
		reports.Col("", "τ (95 %)", func(s segment) any { return estimated(quantity.DimInverse, s.Tau) }),
		reports.Col("tau_us_per_kib", "", func(s segment) any { return quantity.PerKiB(s.Tau.Value) }),
		reports.Col("tau_low_us_per_kib", "", func(s segment) any { return quantity.PerKiB(s.Tau.Low) }),
		reports.Col("tau_high_us_per_kib", "", func(s segment) any { return quantity.PerKiB(s.Tau.High) }),
		percent("median_error_percent", "median error", 3, func(s segment) float64 { return s.Segment.Median }),
		percent("p95_error_percent", "95th perc.", 4, func(s segment) float64 { return s.Segment.P95 }),
		reports.Col("worst_error_percent", "", func(s segment) any { return 100 * s.Segment.Worst }),
		reports.Col("r2", "", func(s segment) any { return s.Segment.R2 }),
		reports.Col("r_inf_mb_s", "r∞", func(s segment) any { return reports.OrAbsent(s.RInf(), known(s)) }).Ranked(2),
		reports.Col("n_half_bytes", "n½", func(s segment) any { return reports.OrAbsent(s.NHalf(), known(s)) }).Ranked(1),
		reports.Col("title", "", func(s segment) any { return s.Curve.fitSource.table.Name() }),
		reports.Col("kind", "", func(s segment) any { return s.Kind.String() }),
		reports.Col("method", "", func(s segment) any { return s.Method }),
	)
	for _, c := range f.Curves {
		rows.Notes = append(rows.Notes, curveNotes(c, units)...)
	}
	return rows
}

func curveNotes(c Curve, units quantity.UnitChoice) []string {
	var notes []string
	say := func(format string, args ...any) {
		notes = append(notes, c.about(format, args...))
	}
	percent := func(part float64) string { return reports.PercentError(100 * part) }
	if len(c.Segments) > 1 && c.Model != "table" {
		say("over all sizes: median error %s, 95th percentile %s, worst %s at %s; a boundary size belongs to the lower segment",
			percent(c.Median), percent(c.P95), percent(c.Worst), c.WorstAt)
	}
	for i, b := range c.Breaks {
		within := fmt.Sprintf("%s to %s", b.Low, b.High)
		if b.Low == b.High {
			within = "no other size fits"
		}
		say("segment %d ends at %s (95 %%: %s), with a jump of %s", i+1, b.At, within, estimated(quantity.DimTime, b.Jump).In(units))
	}
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
	for _, w := range c.Warnings {
		say("%s", w)
	}
	return notes
}

func changeRows(changes []Change) reports.Rows {
	rows := reports.TableOf(changes,
		reports.Col("file", "before", func(c Change) any { return c.Before }).Ranked(2),
		reports.Col("other", "after", func(c Change) any { return c.After }).Ranked(2),
		reports.Col("from_bytes", "from", func(c Change) any { return c.From }),
		reports.Col("to_bytes", "to", func(c Change) any { return c.To }),
		reports.Col("", "β, change (95 %)", func(c Change) any { return estimated(quantity.DimTime, c.Beta) }),
		reports.Col("beta_change_us", "", func(c Change) any { return c.Beta.Value }),
		reports.Col("beta_change_low_us", "", func(c Change) any { return c.Beta.Low }),
		reports.Col("beta_change_high_us", "", func(c Change) any { return c.Beta.High }),
		reports.Col("beta_real", "real", func(c Change) any { return c.BetaReal }),
		reports.Col("", "τ, change (95 %)", func(c Change) any { return estimated(quantity.DimInverse, c.Tau) }),
		reports.Col("tau_change_us_per_kib", "", func(c Change) any { return quantity.PerKiB(c.Tau.Value) }),
		reports.Col("tau_change_low_us_per_kib", "", func(c Change) any { return quantity.PerKiB(c.Tau.Low) }),
		reports.Col("tau_change_high_us_per_kib", "", func(c Change) any { return quantity.PerKiB(c.Tau.High) }),
		reports.Col("tau_real", "real", func(c Change) any { return c.TauReal }),
		reports.Col("time_ratio", "time", func(c Change) any { return c.Time }).Ranked(1),
		reports.Col("time_real", "real", func(c Change) any { return c.TimeReal }).Ranked(1),
	)
	rows.Notes = []string{"A change is real if its 95 % interval excludes 0; by chance, so do 1 in 20 intervals without a change. The ratio of times is at the middle of the range."}
	return rows
}

func parameterRows(all []Parameter) reports.Rows {
	scaled := func(v float64, p Parameter) any { return v * p.Dim.Column().Scale }
	unit := func(p Parameter) any { return p.Dim.Column().Input() }
	return reports.TableOf(all,
		reports.Col("file", "table", func(p Parameter) any { return p.Table }).Ranked(2),
		reports.Col("model", "model", func(p Parameter) any { return p.Model }).Ranked(1),
		reports.Col("parameter", "parameter", func(p Parameter) any { return p.Name }),
		reports.Col("", "value (95 %)", func(p Parameter) any { return p.Interval }),
		reports.Col("value", "", func(p Parameter) any { return scaled(p.Value, p) }),
		reports.Col("low", "", func(p Parameter) any { return scaled(p.Low, p) }),
		reports.Col("high", "", func(p Parameter) any { return scaled(p.High, p) }),
		reports.Col("unit", "", unit),
	)
}

func summaryRows(all []Summary) reports.Rows {
	rows := reports.TableOf(all,
		reports.Col("file", "file", func(s Summary) any { return s.file.Name }).Ranked(2),
		reports.Col("title", "table", func(s Summary) any { return s.table.Name() }).Ranked(1),
		reports.Col("kind", "kind", func(s Summary) any { return s.table.Kind.String() }),
		reports.Col("size_bytes", "size", func(s Summary) any { return s.Size }),
		reports.Col("count", "n", func(s Summary) any { return s.Count }),
		reports.Col("min_us", "min", func(s Summary) any { return s.Min }),
		reports.Col("median_us", "median", func(s Summary) any { return reports.OrAbsent(s.median(), s.median() > 0) }),
		reports.Col("mean_us", "mean", func(s Summary) any { return s.Mean }),
		reports.Col("max_us", "largest", func(s Summary) any { return s.Max }),
	)
	rows.Notes = []string{"These tables have one size each. A line needs at least 2 sizes, and 10 over a factor of 100 to be trusted."}
	return rows
}
