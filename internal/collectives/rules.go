package collectives

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// Rules returns the best choices of times in the order of ranks and sizes. A choice holds from its
// number of ranks, and from its size, to just below the next. The last ranks and sizes hold for
// themselves alone, so that the library's own choice stays beyond them. Neighbours with the same
// choice are one rule. Where the best is not known, there is none.
func Rules(times []Timing) []rules.Rule {
	slower := func(c Timing) bool { return c.Compared && !c.Best && !c.Undecided }
	best := slices.DeleteFunc(slices.Clone(times), slower)
	ranks := steps(best, func(c Timing) uint64 { return uint64(c.Ranks) })
	var all []rules.Rule
	last := 0 // where those of the ranks before begin
	for len(best) > 0 {
		var here []Timing
		here, best = cut(best, func(a, b Timing) bool { return a.Ranks == b.Ranks })
		sizes := steps(here, func(c Timing) uint64 { return c.Call.Bytes })
		var now []rules.Rule
		for _, c := range here {
			if c.Undecided {
				continue
			}
			r := rules.Rule{Of: c.Entry,
				Ranks: ranks(c), Bytes: sizes(c), Segment: c.Call.Segment}
			if c.Params&collective.Fanout != 0 {
				r.Fanout = c.Call.Fanout
			}
			// The library runs the algorithm for this number of ranks alone.
			if c.Entry.Ranks != 0 {
				r.Ranks.To = r.Ranks.From
			}
			if n := len(now); n > 0 && continues(now[n-1], r) {
				now[n-1].Bytes.To = r.Bytes.To
			} else {
				now = append(now, r)
			}
		}
		if slices.EqualFunc(all[last:], now, func(a, b rules.Rule) bool {
			return a.Ranks.To+1 == b.Ranks.From && a.Bytes == b.Bytes && sameChoice(a, b)
		}) {
			for i := range now {
				all[last+i].Ranks.To = now[i].Ranks.To
			}
			continue
		}
		last = len(all)
		all = append(all, now...)
	}
	return all
}

// continues reports whether b is a's choice for the sizes just above those of a, so
// that one rule has both.
func continues(a, b rules.Rule) bool {
	return a.Bytes.To+1 == b.Bytes.From && sameChoice(a, b)
}

func sameChoice(a, b rules.Rule) bool {
	return a.Of.Name == b.Of.Name && a.Segment == b.Segment && a.Fanout == b.Fanout
}

// steps returns the range of each value: up to just below the next; the last holds
// for itself alone.
func steps(all []Timing, of func(Timing) uint64) func(Timing) rules.Range {
	values := stats.Ascending(list.Map(all, of))
	return func(c Timing) rules.Range {
		r := rules.Range{From: of(c), To: of(c)}
		if i, _ := slices.BinarySearch(values, r.From); i+1 < len(values) {
			r.To = values[i+1] - 1
		}
		return r
	}
}
