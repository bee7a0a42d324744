package program

import (
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Partners are those of each rank of a schedule.
type Partners struct {
	ranks    []partnersOf
	messages int
}

// partnersOf are the partners of a rank, in the order of its operations.
type partnersOf struct {
	rank      int
	from, to  []string
	computing quantity.Micros
}

// PartnersOf returns the partners of the ranks of a schedule.
func PartnersOf(s *schedule.Schedule) (p Partners) {
	for rank := range s.Ranks() {
		r := partnersOf{rank: rank}
		lo, hi := s.Rank(rank)
		for _, op := range s.Ops()[lo:hi] {
			switch peer := fmt.Sprint(op.Peer); op.Kind {
			case schedule.Send:
				r.to = append(r.to, peer)
				p.messages++
			case schedule.Recv:
				if op.Peer == schedule.Any {
					peer = "any"
				}
				r.from = append(r.from, peer)
			case schedule.Calc:
				r.computing += quantity.Micros(op.Size) / 1e3
			}
		}
		p.ranks = append(p.ranks, r)
	}
	return p
}
