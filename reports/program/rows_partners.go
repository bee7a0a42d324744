package program

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// PartnerRows has the partners of each rank of a schedule, in the order of its operations, for
// people: the text of a schedule has a line for each operation.
func PartnerRows(s *schedule.Schedule) table.Rows {
	type row struct {
		rank      int
		from, to  []string
		computing quantity.Micros
	}
	var all []row
	sends := 0
	for rank := range s.Ranks() {
		r := row{rank: rank}
		lo, hi := s.Rank(rank)
		for _, op := range s.Ops()[lo:hi] {
			switch peer := fmt.Sprint(op.Peer); op.Kind {
			case schedule.Send:
				r.to = append(r.to, peer)
				sends++
			case schedule.Recv:
				if op.Peer == schedule.Any {
					peer = "any"
				}
				r.from = append(r.from, peer)
			case schedule.Calc:
				r.computing += quantity.Micros(op.Size) / 1e3
			}
		}
		all = append(all, r)
	}
	computes := false
	for _, r := range all {
		computes = computes || r.computing > 0
	}
	rows := table.TableOf(all,
		table.Col("", "rank", func(r row) any { return r.rank }),
		table.Col("", "receives from", func(r row) any { return listed(r.from) }),
		table.Col("", "sends to", func(r row) any { return listed(r.to) }),
		table.Col("", table.HeadIf(computes, "computes"), func(r row) any {
			return r.computing
		}))
	rows.Verdict = table.Say("%s, %s; -o FILE.goal or a pipe has the schedule itself",
		lex.Plural(s.Ranks(), "rank"), lex.Plural(sends, "message"))
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
