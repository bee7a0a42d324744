package collective

import (
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/reports/table"
)

// crossoverRows tabulates the crossovers of times on a platform.
func crossoverRows(found []Crossover, on string) table.Rows {
	type change = Crossover
	col := table.Col[change]
	nextSlower := func(c change) any {
		return table.OrAbsent(c.Best.NextSlower, c.Best.Next != nil)
	}
	rows := table.TableOf(found,
		col("collective", "", func(c change) any { return c.Best.Collective }),
		col("over", "over", func(c change) any { return c.Over }),
		col("ranks", "ranks", func(c change) any { return c.Best.Ranks }),
		col("size_bytes", "size", func(c change) any { return c.Best.Size() }),
		col("before", "previous best", func(c change) any { return c.Before.Name }),
		col("before_segment_bytes", "segment",
			func(c change) any { return segment(c.Before) }).Ranked(1),
		col("best", "new best", func(c change) any { return c.Best.Name }),
		col("segment_bytes", "segment", func(c change) any { return segment(c.Best) }).Ranked(1),
		col("time_us", "time", func(c change) any { return c.Best.Time }),
		col("next_slower_percent", "runner-up slower by", nextSlower).Texted(percentText).Ranked(2),
	)
	rows.Add(remark.Described(on))
	switch len(found) {
	case 0:
		rows.Verdict = table.Say(
			"The same algorithm is the best for all of these sizes and ranks.")
	case 1:
		rows.Verdict = table.Say("the best algorithm changes at 1 place")
	default:
		rows.Verdict = table.Say("the best algorithm changes at %d places", len(found))
	}
	return rows
}
