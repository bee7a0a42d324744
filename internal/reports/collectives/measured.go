package collectives

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/ask/collectives"
	"github.com/halfpeak/halfpeak/internal/reports"
)

// A model with a median error above maxMiss does not describe the times. Drops above maxUnsteady
// are more than a change of the protocol causes, so the times were disturbed.
const (
	maxMiss     = 0.3
	maxUnsteady = 0.3
)

// MeasuredRows tabulates the cells, with the errors by algorithm in notes.
func MeasuredRows(a *collectives.Comparison) reports.Rows {
	type cell = collectives.ComparedCell
	col := reports.Col[cell]
	named := slices.ContainsFunc(a.Cells, func(c cell) bool { return c.Data.Name != "" })
	inSample := slices.ContainsFunc(a.Cells, func(c cell) bool { return c.InSample })
	known := slices.ContainsFunc(a.Cells, func(c cell) bool { return c.Interval != "" })
	signed := reports.PercentText("%+.1f %%")
	rows := reports.TableOf(a.Cells,
		col("collective", "", func(c cell) any { return c.Data.Of.Collective }),
		col("series", reports.HeadIf(named, "series"),
			func(c cell) any { return c.Data.Name }).Ranked(4),
		col("algorithm", "measured",
			func(c cell) any { return reports.OrNil(cmp.Or(c.Data.Of.Name, c.Data.Foreign)) }),
		col("modelled_algorithm", "model", func(c cell) any { return c.Modelled }).Ranked(3),
		col("statistic", "statistic", func(c cell) any { return string(c.Data.Statistic) }),
		col("ranks", "ranks", func(c cell) any { return c.Ranks }),
		col("size_bytes", "size", func(c cell) any { return c.Size }),
		col("measured_us", "measured", func(c cell) any { return c.Time }),
		col("measured_deviation_percent", "", func(c cell) any { return 100 * c.Deviation }),
		col("model_us", "model", func(c cell) any { return c.Model }),
		col("error_percent", "error",
			func(c cell) any { return 100 * c.Relative() }).Texted(signed),
		col("interval", reports.HeadIf(known, "interval"),
			func(c cell) any { return reports.OrNil(c.Interval) }),
		col("in_sample", reports.HeadIf(inSample, "in sample"),
			func(c cell) any { return c.InSample }),
	)
	for _, e := range a.Errors {
		if text := note(e); e.Median > maxMiss || e.Unsteady > maxUnsteady {
			rows.Doubts = append(rows.Doubts, text)
		} else {
			rows.Notes = append(rows.Notes, text)
		}
	}
	if len(a.Errors) == 1 {
		e := a.Errors[0]
		rows.Verdict = reports.Say("%s: the model is off by %s in the median of %d times", e.Label,
			reports.PercentError(100*e.Median), e.Cells)
	} else if len(a.Errors) > 1 {
		byMedian := func(a, b collectives.ComparedErrors) int {
			return cmp.Compare(a.Median, b.Median)
		}
		best, worst := slices.MinFunc(a.Errors, byMedian), slices.MaxFunc(a.Errors, byMedian)
		rows.Verdict = reports.Say("the model is off by %s (%s) to %s (%s) in the median",
			reports.PercentError(100*best.Median), best.Label,
			reports.PercentError(100*worst.Median), worst.Label)
	}
	if a.Without > 0 {
		rows.Doubts = append(rows.Doubts, fmt.Sprintf("%d measurements left out: the schedule "+
			"is too large to simulate, or is that of one rank, which has no average.", a.Without))
	}
	rows.Doubts = append(rows.Doubts, a.Notes...)
	rows.Notes = append(rows.Notes, a.On,
		"If the measured algorithm is not known here, the model is its own best.")
	return rows
}

// note describes the errors in words.
func note(m collectives.ComparedErrors) string {
	percent := func(part float64) string { return reports.PercentError(100 * part) }
	note := fmt.Sprintf("%s: median error %s (%s), worst %s on %d ranks at %s, of %d times",
		m.Label, percent(m.Median), reports.PercentText("%+.1f %%")(100*m.Signed),
		percent(m.Worst), m.WorstAt.Ranks, m.WorstAt.Size, m.Cells)
	if m.Known > 0 {
		note += fmt.Sprintf("; inside of their 95 %% interval: %d of %d", m.Inside, m.Known)
	}
	switch m.InSample {
	case 0:
	case m.Cells:
		note += "; in sample: the model was fitted to these times, so that their errors do not " +
			"show how well it predicts"
	default:
		note += fmt.Sprintf("; the model was fitted to %d of them (in sample), whose errors do "+
			"not show how well it predicts", m.InSample)
	}
	if m.Unsteady > maxUnsteady {
		note += "; the times are unsteady: a larger message takes up to " +
			percent(m.Unsteady) + " less"
	}
	if m.Median > maxMiss {
		note += "; the model does not describe these times: do not rely on it for this machine"
	}
	return note
}
