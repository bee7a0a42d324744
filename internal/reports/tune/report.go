package tune

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// Rows returns the table of the decisions. The losses are expectations of the model, calibrated by
// held-out calls; docs/tune.md has how far they are from real ones.
func (m *Map) Rows(all []Decision) reports.Rows {
	text := reports.PercentText("%.1f %%")
	col := reports.Col[Decision]
	tried := slices.ContainsFunc(all, func(d Decision) bool { return d.Duel.Rounds > 0 })
	// Without any measurement, times are those of a nominal network.
	begun := slices.ContainsFunc(all, func(d Decision) bool { return d.Measured > 0 })
	rows := reports.TableOf(all,
		col("collective", reports.HeadIf(len(m.Collectives) > 1, "collective"),
			func(d Decision) any { return d.Collective }),
		col("ranks", "ranks", func(d Decision) any { return d.Ranks }),
		col("size_bytes", "size", func(d Decision) any { return d.Size }),
		col("algorithm", "algorithm", func(d Decision) any { return d.Name }),
		col("segment_bytes", reports.HeadIf(len(m.Segments) > 0, "segment"),
			func(d Decision) any { return reports.OrAbsent(d.Segment, d.Segment > 0) }),
		col("time_us", "time", func(d Decision) any { return reports.OrAbsent(d.Time, begun) }),
		col("default_us", "default", func(d Decision) any {
			return reports.OrAbsent(d.Default, begun)
		}).Ranked(2),
		col("loss_percent", "loss",
			func(d Decision) any { return reports.Finite(percent * d.Loss) }).Texted(text),
		col("", "measured",
			func(d Decision) any {
				return fmt.Sprintf("%d of %d", d.Measured, d.Of)
			}).Ranked(1),
		col("measured", "", func(d Decision) any { return d.Measured }),
		col("excluded", "", func(d Decision) any { return d.Excluded }),
		col("candidates", "", func(d Decision) any { return d.Of }),
		col("choice_measured", "", func(d Decision) any { return d.Seen }),
		col("gain_percent", reports.HeadIf(tried, "gain"), func(d Decision) any {
			return reports.OrAbsent(reports.Finite(d.Duel.percent()), d.Duel.Rounds > 0)
		}).Texted(text),
		col("rounds", "", func(d Decision) any { return d.Duel.Rounds }),
		col("rule", "", func(d Decision) any {
			return d.Name != LibraryChoice && d.Duel.wins()
		}),
	)
	none, points, untried := 0, 0, 0
	for _, d := range all {
		points += d.Measured
		if d.Measured == 0 {
			none++
		}
		if d.Name != LibraryChoice && !d.Duel.over() {
			untried++
		}
	}
	if untried > 0 {
		rows.Doubts = append(rows.Doubts, fmt.Sprintf("Choices without a duel against the "+
			"library's, which are no rules yet: %d.", untried))
	}
	rows.Notes = append(rows.Notes, fmt.Sprintf("Expected loss against the fastest, as the mean "+
		"over all calls (%d): %s, from %d of %d points. Calls without a measurement: %d.",
		len(all), text(percent*meanLoss(all)), points, len(m.candidates), none))
	changed := 0
	for _, d := range all {
		if d.Name != LibraryChoice {
			changed++
		}
	}
	if points > 0 {
		rows.Verdict = reports.Say(
			"another algorithm than the library's for %d of %s; expected loss %s", changed,
			lex.Plural(len(all), "call"), text(percent*meanLoss(all)))
	} else {
		rows.Verdict = reports.Say("nothing is measured yet, so these algorithms are guesses")
	}
	if m.Unknown > 0 {
		rows.Doubts = append(rows.Doubts, fmt.Sprintf("%d measurements are of other ranks, sizes "+
			"or algorithms, and were not used: ask for those that were measured.", m.Unknown))
	}
	return rows
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
