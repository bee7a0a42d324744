package predict

import (
	"fmt"

	"github.com/halfpeak/halfpeak/ask/messages"
	"github.com/halfpeak/halfpeak/internal/reports"
)

// SwitchRows returns the tables of [Switches] for people.
func SwitchRows(c []messages.Cut) reports.Rows {
	rows := reports.TableOf(c,
		reports.Col("", "platform", func(c messages.Cut) any { return c.Platform }).Ranked(3),
		reports.Col("", "layer", func(c messages.Cut) any { return c.Layer }).Ranked(1),
		reports.Col("", "table", func(c messages.Cut) any { return c.Method }),
		reports.Col("", "messages", func(c messages.Cut) any { return "up to " + c.Size.String() }),
		reports.Col("", "packet", func(c messages.Cut) any {
			return fmt.Sprintf("%.0f B", float64(c.Plan.Largest()))
		}),
		reports.Col("", "one way", func(c messages.Cut) any { return c.OneWay }),
	)
	// The table of single sizes has the best packets too.
	rows.RowRank = func(int) int { return 2 }
	rows.Notes = []string{"For a library that switches between a few packets: paper-table has " +
		"the packets of equation 10, judged by CLIP's bound, equation 8 (sec. 4.2.2.2); " +
		"equal-table has the best equal packets, judged by the exact time. The thresholds make " +
		"the sum of the times of all message sizes least, each relative to the fastest packet's."}
	return rows
}
