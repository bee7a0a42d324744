package program

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows has the partners of each rank, for people: the text of a schedule has a line for each
// operation.
func (p Partners) Rows() table.Rows {
	computes := false
	for _, r := range p.ranks {
		computes = computes || r.computing > 0
	}
	rows := table.TableOf(p.ranks,
		table.Col("", "rank", func(r partnersOf) any { return r.rank }),
		table.Col("", "receives from", func(r partnersOf) any { return listed(r.from) }),
		table.Col("", "sends to", func(r partnersOf) any { return listed(r.to) }),
		table.Col("", table.HeadIf(computes, "computes"), func(r partnersOf) any {
			return r.computing
		}))
	rows.Verdict = table.Say("%s, %s; -o FILE.goal or a pipe has the schedule itself",
		quantity.Plural(len(p.ranks), "rank"), quantity.Plural(p.messages, "message"))
	return rows
}

// listed returns the first partners, of those that follow each other alike one with their number.
func listed(partners []string) any {
	const most = 6
	var text []string
	for i := 0; i < len(partners); {
		end := i + 1
		for end < len(partners) && partners[end] == partners[i] {
			end++
		}
		switch {
		case len(text) == most:
			return fmt.Sprintf("%s … (%d)", strings.Join(text, ", "), len(partners))
		case end > i+1:
			text = append(text, fmt.Sprintf("%s (%d ×)", partners[i], end-i))
		default:
			text = append(text, partners[i])
		}
		i = end
	}
	return table.OrAbsent(strings.Join(text, ", "), len(text) > 0)
}
