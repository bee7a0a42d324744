package tune

import (
	"fmt"
	"io"

	"github.com/halfpeak/halfpeak/reports"
)

// Rows returns the table of the decisions.
func (m *Map) Rows(all []Decision) reports.Rows {
	percent := reports.PercentText("%.1f %%")
	rows := reports.TableOf(all,
		reports.Col("collective", reports.HeadIf(len(m.Collectives) > 1, "collective"), func(d Decision) any { return d.Collective }),
		reports.Col("ranks", "ranks", func(d Decision) any { return d.Ranks }),
		reports.Col("size_bytes", "size", func(d Decision) any { return d.Size }),
		reports.Col("algorithm", "algorithm", func(d Decision) any { return d.Name }),
		reports.Col("segment_bytes", reports.HeadIf(len(m.Segments) > 0, "segment"), func(d Decision) any { return reports.OrAbsent(d.Segment, d.Segment > 0) }),
		reports.Col("time_us", "time", func(d Decision) any { return d.Time }),
		reports.Col("default_us", "default", func(d Decision) any { return d.Default }),
		reports.Col("loss_percent", "loss", func(d Decision) any { return reports.Finite(100 * d.Loss) }).Texted(percent),
		reports.Col("", "measured", func(d Decision) any { return fmt.Sprintf("%d of %d", d.Measured, d.Of) }),
		reports.Col("measured", "", func(d Decision) any { return d.Measured }),
		reports.Col("excluded", "", func(d Decision) any { return d.Excluded }),
		reports.Col("candidates", "", func(d Decision) any { return d.Of }),
		reports.Col("choice_measured", "", func(d Decision) any { return d.Seen }),
	)
	none, points := 0, 0
	for _, d := range all {
		points += d.Measured
		if d.Measured == 0 {
			none++
		}
	}
	rows.Notes = append(rows.Notes, fmt.Sprintf("Expected loss against the fastest, as the mean over all calls (%[2]d): %[1]s, from %[3]d of %[4]d points. Calls without a measurement: %[5]d.",
		percent(100*MeanLoss(all)), len(all), points, len(m.candidates), none))
	if m.Unknown > 0 {
		rows.Notes = append(rows.Notes, fmt.Sprintf("%d measurements are of other ranks, sizes or algorithms, and were not used.", m.Unknown))
	}
	return rows
}

// MeanLoss returns the mean of the decisions' expected losses.
func MeanLoss(all []Decision) (loss float64) {
	for _, d := range all {
		loss += d.Loss / float64(len(all))
	}
	return loss
}

// WriteRules writes the decisions as the library's rules file. Its comments have the path, how a
// program reads the file, and the expected loss of each decision.
func (m *Map) WriteRules(w io.Writer, path string, decisions []Decision) error {
	if _, err := fmt.Fprintf(w, "# Written by halfpeak tune.\n# %s\n", m.Use(path)); err != nil {
		return err
	}
	for _, d := range decisions {
		if _, err := fmt.Fprintf(w, "# %s, %d ranks, %s: %s, expected loss %.1f %%, %d of %d measured\n",
			d.Collective, d.Ranks, d.Size, d.Name, 100*d.Loss, d.Measured, d.Of); err != nil {
			return err
		}
	}
	return m.library.write(w, decisions)
}

// RulesFile returns the name of the library's rules file.
func (m *Map) RulesFile() string { return m.library.rules }

// Use returns how a program reads the rules file.
func (m *Map) Use(path string) string { return fmt.Sprintf("Use: "+m.library.use, path) }
