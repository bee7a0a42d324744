package collective

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A model with a median error above maxMiss does not describe the times. Drops above maxUnsteady
// are more than a change of the protocol causes, so the times were disturbed.
const (
	maxMiss     = 0.3
	maxUnsteady = 0.3
)

// rows tabulates the cells, those outside of their intervals first, with the errors by
// algorithm in notes.
func (a *Comparison) rows() table.Rows {
	type cell = ComparedCell
	col := table.Col[cell]
	cells := slices.Clone(a.Cells)
	isOutside := func(c cell) int {
		if c.Interval == Outside {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(cells, func(a, b cell) int { return isOutside(a) - isOutside(b) })
	series, statistics := map[string]bool{}, map[string]bool{}
	for _, c := range cells {
		series[c.Data.Name], statistics[string(c.Data.Statistic)] = true, true
	}
	named := len(series) > 1 || !series[""]
	seriesRank := 4
	if len(series) > 1 { // it tells rows apart
		seriesRank = 1
	}
	inSample := slices.ContainsFunc(cells, func(c cell) bool { return c.InSample })
	known := slices.ContainsFunc(cells, func(c cell) bool { return c.Interval != "" })
	signed := table.PercentText("%+.1f %%")
	rows := table.TableOf(cells,
		col("collective", "", func(c cell) any { return c.Data.Of.Collective }),
		col("series", table.HeadIf(named, "series"),
			func(c cell) any { return c.Data.Name }).Ranked(seriesRank),
		col("algorithm", "measured",
			func(c cell) any { return table.OrNil(cmp.Or(c.Data.Of.Name, c.Data.Foreign)) }),
		col("modelled_algorithm", "model", func(c cell) any { return c.Modelled }).Ranked(3),
		col("statistic", table.HeadIf(len(statistics) > 1, "statistic"),
			func(c cell) any { return string(c.Data.Statistic) }),
		col("ranks", "ranks", func(c cell) any { return c.Ranks }),
		col("size_bytes", "size", func(c cell) any { return c.Size }),
		col("measured_us", "measured", func(c cell) any { return c.Time }),
		col("measured_deviation_percent", "", func(c cell) any { return 100 * c.Deviation }),
		col("model_us", "model", func(c cell) any { return c.Model }),
		col("error_percent", "error",
			func(c cell) any { return 100 * c.Relative() }).Texted(signed),
		col("interval", table.HeadIf(known, "interval"),
			func(c cell) any { return table.OrNil(c.Interval) }),
		col("in_sample", table.HeadIf(inSample, "in sample"),
			func(c cell) any { return c.InSample }).Ranked(3),
	)
	for _, e := range a.Errors {
		if text := note(e); e.Median > maxMiss || e.Unsteady > maxUnsteady {
			rows.Add(remark.Warned(text))
		} else {
			rows.Add(remark.Errors(text))
		}
	}
	if a.Misses.Cells > 0 {
		rows.Verdict = missVerdict(a.Misses)
		rows.RowRank = func(i int) int { return isOutside(cells[i]) }
	} else {
		rows.Verdict = medianVerdict(a.Errors)
	}
	if a.Without > 0 {
		rows.Add(remark.TooLargeToCompare(a.Without))
	}
	rows.Add(a.Notes...)
	rows.Add(remark.Described(a.On), remark.OwnBest())
	return rows
}

// missVerdict counts the measured times outside of their intervals, and says where they are.
func missVerdict(m Misses) table.Sentence {
	where := ""
	if len(m.Ranks) > 0 {
		on := strings.Trim(fmt.Sprint(m.Ranks), "[]")
		where = ", all on " + strings.ReplaceAll(on, " ", ", ") + " ranks"
	}
	change := "longer"
	if m.Ratio < 1 {
		change = "shorter"
	}
	rest := ""
	if m.Known == m.Cells+m.Fitted && m.Fitted > 0 {
		rest = fmt.Sprintf("; the model was fitted to the other %d", m.Fitted)
	}
	return table.Say("%d of %d outside of their intervals%s: measured %s %s than the model, in "+
		"the median%s", m.Cells, m.Known, where, table.PercentError(100*math.Abs(m.Ratio-1)),
		change, rest)
}

// medianVerdict returns the median errors of the best and of the worst data.
func medianVerdict(all []ComparedErrors) table.Sentence {
	byMedian := func(a, b ComparedErrors) int { return cmp.Compare(a.Median, b.Median) }
	switch len(all) {
	case 0:
		return table.Sentence{}
	case 1:
		return table.Say("%s: the model is off by %s in the median of %d times", all[0].Label,
			table.PercentError(100*all[0].Median), all[0].Cells)
	}
	best, worst := slices.MinFunc(all, byMedian), slices.MaxFunc(all, byMedian)
	return table.Say("the model is off by %s (%s) to %s (%s) in the median",
		table.PercentError(100*best.Median), best.Label,
		table.PercentError(100*worst.Median), worst.Label)
}

// note describes the errors in words.
func note(m ComparedErrors) string {
	percent := func(part float64) string { return table.PercentError(100 * part) }
	note := fmt.Sprintf("%s: median error %s (%s), worst %s on %d ranks at %s, of %d times",
		m.Label, percent(m.Median), table.PercentText("%+.1f %%")(100*m.Signed),
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
