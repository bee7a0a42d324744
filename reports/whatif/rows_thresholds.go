package whatif

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows lists the landmarks of a design.
func (m *Landmarks) Rows() table.Rows {
	type mark = Landmark
	d := m.After
	name := func(l mark) string {
		switch l.Part {
		case 0:
			return l.Threshold.Below + " | " + l.Threshold.Above
		case 0.5:
			return "n½: half of r∞"
		}
		return fmt.Sprintf("%.0f %% of r∞", 100*l.Part)
	}
	var notes []remark.Note
	var shown []mark
	var said []string
	for _, l := range m.All {
		t := l.Threshold
		switch {
		case l.Size > 0:
		case l.Part > 0:
			notes = append(notes, remark.NoneOfPart(name(l), m.peak))
			continue
		case len(t.Gains) == 0: // gains are the answer, below
			notes = append(notes,
				remark.NeverFaster(name(l), t.Above, t.Below, t.InUse, t.Better))
		}
		shown = append(shown, l)
	}
	meaning := func(l mark) any {
		switch {
		case mayNeverCross(l):
			return "95 % of those that cross"
		case l.Sampled:
			return "95 % interval"
		case l.Part == 0 && l.Size > 0:
			return "where the two are within 5 %"
		}
		return nil
	}
	within := func(l mark) string { // the interval, for the closing line
		if !l.Sampled {
			return ""
		}
		return fmt.Sprintf(", %s to %s", table.About(quantity.Bytes(l.Within.Low)),
			table.About(quantity.Bytes(l.Within.High)))
	}
	size := func(n quantity.Bytes) any { return table.OrAbsent(n, n > 0) }
	end := func(l mark, n float64) any {
		return table.OrAbsent(quantity.Bytes(n), meaning(l) != nil)
	}
	rows := table.TableOf(shown,
		table.Col("platform", "", func(mark) any { return d.Platform.Name }),
		table.Col("layer", "", func(mark) any { return d.Layer.Name }),
		table.Col("landmark", "landmark", func(l mark) any { return name(l) }),
		table.Col("size_bytes", "size", func(l mark) any { return size(l.Size) }).
			Texted(table.About),
		table.Col("low_bytes", "from", func(l mark) any { return end(l, l.Within.Low) }).
			Texted(table.About),
		table.Col("high_bytes", "to", func(l mark) any { return end(l, l.Within.High) }).
			Texted(table.About),
		table.Col("in_use_bytes", "in use", func(l mark) any { return size(l.Threshold.InUse) }),
		table.Col("meaning", "range", meaning).Ranked(1),
	)
	for _, l := range shown {
		if by := extrapolation(d, l); by != "" {
			rows.Add(remark.Warned(by).About(name(l)))
		}
		if mayNeverCross(l) {
			rows.Add(remark.MayNotCross(name(l), table.PercentShare(100*l.Never)))
		}
	}
	for i, l := range shown {
		t := l.Threshold
		switch {
		case len(t.Gains) > 0 && (l.Size == 0 || mayNeverCross(l)):
			said = append(said, name(l)+": "+lower(t))
		case l.Size == 0:
		case l.Part > 0:
			text := fmt.Sprintf("%.0f %% of it at %s", 100*l.Part, table.About(l.Size))
			if i == 0 {
				text = fmt.Sprintf("n½, half of r∞, at %s", table.About(l.Size))
			}
			said = append(said, text+within(l))
		case l.Part == 0 && mayNeverCross(l):
			said = append(said, fmt.Sprintf("%s: in use above %s, and no other size is certainly "+
				"better", name(l), l.Threshold.InUse))
		case l.Part == 0:
			said = append(said, fmt.Sprintf("%s: in use above %s, best above %s%s",
				name(l), l.Threshold.InUse, table.About(l.Size), within(l)))
		}
	}
	if m.noInterval != "" {
		said = append(said, m.noInterval)
	}
	if said != nil {
		rows.Verdict = table.Say("%s", strings.Join(said, "; "))
	}
	rows.Add(notes...)
	return rows
}

// lower advises a lower threshold, with what each size gains.
func lower(t Threshold) string {
	var gains []string
	for _, g := range t.Gains {
		gains = append(gains, fmt.Sprintf("%s %s → %s", g.Size, g.Below, g.Above))
	}
	return fmt.Sprintf("lower the threshold of %s: by its line, %s is faster from %s: %s", t.InUse,
		t.Above, t.Gains[0].Size, strings.Join(gains, ", "))
}

// mayNeverCross reports whether the two sides of a threshold stay apart in so many samples that an
// end of a 95 % interval is among these.
func mayNeverCross(l Landmark) bool { return l.Never >= 0.025 }

// extrapolation says which branch of a fitted switch is extrapolated to the threshold that is
// suggested: each was measured on its own side of the one in use. It is empty if none is.
func extrapolation(d Design, l Landmark) string {
	t := l.Threshold
	if d.Layer.Measured == nil || l.Part != 0 || l.Size == 0 || l.Size == t.InUse {
		return ""
	}
	branch, side, by := t.Below, "up to", l.Size/t.InUse
	if by < 1 {
		branch, side, by = t.Above, "above", 1/by
	}
	return fmt.Sprintf("%s was measured %s %s, and is extrapolated %.3g × to %s", branch, side,
		t.InUse, float64(by), table.About(l.Size))
}
