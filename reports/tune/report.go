package tune

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/tune/tuner"
)

// Rows returns the table of the decisions: what the library's choice loses against the fastest
// measured algorithm, and what to take. Expected losses are of the model, calibrated by held-out
// calls; docs/tune.md has how far they are from real ones.
func (m *Map) Rows(all []Decision) table.Rows {
	text := table.PercentText("%.1f %%")
	col := table.Col[Decision]
	tried := slices.ContainsFunc(all, func(d Decision) bool { return d.Duel.Rounds > 0 })
	// Without any measurement, times are those of a nominal network.
	begun := slices.ContainsFunc(all, func(d Decision) bool { return d.Measured > 0 })
	known := len(m.seen) > 0
	timed := func(key string, rank int, of func(Decision) Time) table.Spread[Decision] {
		c := table.SpreadOf(key, table.HeadIf(known, "time"), quantity.DimTime,
			func(d Decision) quantity.Interval { return of(d).Interval })
		c.Text = c.Text.Ranked(rank)
		return c
	}
	own := timed("default", 0, func(d Decision) Time { return d.Own })
	best := timed("best_measured", 0, func(d Decision) Time {
		if d.Best.Name == "" {
			return Time{Interval: quantity.Alone(math.NaN())}
		}
		return d.BestTime
	})
	choice := timed("time", 2, func(d Decision) Time { return d.Time })
	ownLoss := func(d Decision) any {
		loss, known := d.OwnLoss()
		return table.OrAbsent(percent*loss, known)
	}
	rows := table.TableOf(all,
		col("collective", table.HeadIf(len(m.Collectives) > 1, "collective"),
			func(d Decision) any { return d.Collective }),
		col("ranks", "ranks", func(d Decision) any { return d.Ranks }),
		col("size_bytes", "size", func(d Decision) any { return d.Size }),
		col("", table.HeadIf(known, "library's"),
			func(d Decision) any { return marked(d.OwnName, d.Own) }),
		own.Text,
		col("", table.HeadIf(begun, "fastest"),
			func(d Decision) any { return table.OrNil(d.Best.Name) }),
		best.Text.If(begun),
		col("", table.HeadIf(begun, "loss"), ownLoss).Texted(text),
		col("algorithm", "", func(d Decision) any { return d.Name }),
		col("", "choice", func(d Decision) any { return d.Name }).Ranked(1),
		choice.Text,
		col("segment_bytes", table.HeadIf(len(m.Segments) > 0, "segment"),
			func(d Decision) any { return table.OrAbsent(d.Segment, d.Segment > 0) }),
		choice.Value, own.Value,
		col("loss_percent", "expected loss",
			func(d Decision) any { return table.Finite(percent * d.Loss) }).
			Texted(text).Ranked(2),
		col("", "measured",
			func(d Decision) any {
				return fmt.Sprintf("%d of %d", d.Measured, d.Of)
			}).Ranked(2),
		col("measured", "", func(d Decision) any { return d.Measured }),
		col("excluded", "", func(d Decision) any { return d.Excluded }),
		col("candidates", "", func(d Decision) any { return d.Of }),
		col("choice_measured", "", func(d Decision) any { return d.Time.Measured }),
		col("gain_percent", table.HeadIf(tried, "gain"), func(d Decision) any {
			return table.OrAbsent(table.Finite(d.Duel.percent()), d.Duel.Rounds > 0)
		}).Texted(text),
		col("rounds", "", func(d Decision) any { return d.Duel.Rounds }),
		col("rule", "", func(d Decision) any {
			return d.Name != LibraryChoice && d.Duel.wins()
		}),
		choice.Low, choice.High, own.Low, own.High,
		col("default_algorithm", "", func(d Decision) any { return d.OwnName }),
		col("default_measured", "", func(d Decision) any { return d.Own.Measured }),
		col("best_measured", "", func(d Decision) any { return table.OrNil(d.Best.Name) }),
		best.Value,
		col("default_loss_percent", "", ownLoss),
	)
	m.remark(&rows, all)
	return rows
}

// marked returns the name of an algorithm, and says so if its time is estimated.
func marked(name string, t Time) string {
	if t.Measured || !t.Known() {
		return name
	}
	return name + ", estimated"
}

// remark sets the remarks and the verdict of the table.
func (m *Map) remark(rows *table.Rows, all []Decision) {
	text := table.PercentText("%.1f %%")
	none, points, untried, unseen, changed := 0, 0, 0, 0, 0
	for _, d := range all {
		points += d.Measured
		if d.Measured == 0 {
			none++
		}
		if d.Name == LibraryChoice || d.Name == d.OwnName {
			continue
		}
		if changed++; !d.Duel.over() {
			untried++
			if !d.Time.Measured {
				unseen++
			}
		}
	}
	rows.Add(m.notMeasured()...)
	mean, worst, lost := ownLosses(all)
	documented := slices.ContainsFunc(all, func(d Decision) bool {
		return d.OwnName != LibraryChoice
	})
	if documented && points > 0 {
		rows.Add(remark.DocumentedChoice(m.Library))
	}
	if untried > 0 && len(m.seen) > 0 {
		rows.Add(remark.Untried(untried, unseen))
	}
	rows.Add(remark.ExpectedLoss(len(all), text(percent*meanLoss(all)), points,
		len(m.candidates), none))
	if len(m.seen) == 0 {
		rows.Verdict = table.Say("nothing is measured yet, so these algorithms are guesses")
		return
	}
	rows.Add(remark.Estimated(tuner.Default().Near))
	of := ""
	if m.statistic != "" {
		of = " (" + m.statistics() + ")"
	}
	verdict := fmt.Sprintf("another algorithm than the library's for %d of %s; expected loss %s",
		changed, quantity.Plural(len(all), "call"), text(percent*meanLoss(all)))
	if lost == 0 {
		if points > 0 {
			verdict = "what the library's choice loses is unknown until it is measured beside " +
				"another algorithm" + of + "; tune takes " + verdict
		}
		rows.Verdict = table.Say("%s", verdict)
		return
	}
	most, _ := worst.OwnLoss()
	rows.Verdict = table.Say("the library's choice loses %s against the fastest measured%s: "+
		"mean of %s; most %s, on %d ranks at %v; tune takes %s", text(percent*mean), of,
		quantity.Plural(lost, "call"), text(percent*most), worst.Ranks, worst.Size, verdict)
}

// statistics says of what the measured times are.
func (m *Map) statistics() string {
	if m.statistic == fitted.Slowest {
		return "times of the slowest rank"
	}
	return "averages over ranks"
}

// notMeasured says which numbers of ranks and sizes of the question were not measured, and which
// are the nearest that were.
func (m *Map) notMeasured() (notes []remark.Note) {
	ranks, sizes := map[int]bool{}, map[quantity.Bytes]bool{}
	choices := slices.Concat(m.Choices, m.elsewhere)
	measured := map[string]bool{}
	for _, c := range m.Choices {
		measured[c.Collective] = false
	}
	for _, s := range m.seen {
		c := choices[s.Candidate]
		if _, asked := measured[c.Collective]; asked {
			measured[c.Collective], ranks[c.Ranks], sizes[c.Size] = true, true, true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(measured)) {
		if !measured[name] && len(m.seen) > 0 {
			notes = append(notes, remark.Guesses(name))
		}
	}
	if len(ranks) == 0 {
		return notes
	}
	if text := beside(m.Ranks, ranks); text != "" {
		notes = append(notes, remark.NotMeasured("Ranks", text))
	}
	if text := beside(m.Sizes, sizes); text != "" {
		notes = append(notes, remark.NotMeasured("Sizes", text))
	}
	return notes
}

// beside lists the values that are asked and not measured, each with its measured neighbours.
func beside[T int | quantity.Bytes](asked []T, measured map[T]bool) string {
	known := slices.Sorted(maps.Keys(measured))
	var parts []string
	for _, v := range asked {
		at, has := slices.BinarySearch(known, v)
		if has {
			continue
		}
		near := list.Map(known[max(0, at-1):min(len(known), at+1)],
			func(v T) string { return fmt.Sprint(v) })
		parts = append(parts, fmt.Sprintf("%v (nearest measured: %s)", v,
			strings.Join(near, " and ")))
	}
	return strings.Join(parts, ", ")
}

// meanLoss returns the mean of the decisions' expected losses.
func meanLoss(all []Decision) (loss float64) {
	for _, d := range all {
		loss += d.Loss / float64(len(all))
	}
	return loss
}

// writeRules writes the decisions as the library's rules file. Its comments have the path, how a
// program reads the file, and the gain of each choice in its duel, or why there is no rule.
func (m *Map) writeRules(w io.Writer, path string, decisions []Decision) error {
	if _, err := fmt.Fprintf(w, "# Written by halfpeak tune.\n# %s\n", m.use(path)); err != nil {
		return err
	}
	for _, d := range decisions {
		const line = "# %s, %d ranks, %s: %s%s, expected loss %.1f %%, %d of %d measured\n"
		_, err := fmt.Fprintf(w, line,
			d.Collective, d.Ranks, d.Size, d.Name, d.verdict(), percent*d.Loss, d.Measured, d.Of)
		if err != nil {
			return err
		}
	}
	return m.library.write(w, kept(decisions))
}

// verdict returns what the duel says of a choice that is not the library's own.
func (d Decision) verdict() string {
	switch {
	case d.Name == LibraryChoice:
		return ""
	case d.Duel.wins():
		return fmt.Sprintf(", the library's choice takes %.1f %% longer "+
			"(at least %.1f %%, %d rounds)",
			d.Duel.percent(), percent*math.Expm1(d.Duel.Low), d.Duel.Rounds)
	}
	return ", not tried against the library's choice and so no rule"
}

// use returns how a program reads the rules file.
func (m *Map) use(path string) string {
	return fmt.Sprintf("Use: "+m.library.use, usage.ShellLine(path))
}
