// Package rules writes the files by which libraries choose algorithms of collectives: a table of
// rules in the form of Open MPI (two of them), of NCCL's tuner plugin, or of Intel MPI.
//
// Sizes in a [Rule] are those of collective.Call: the message, or the block of one rank. Open
// MPI and NCCL look at the total of all ranks for collectives of blocks, so a rule for
// several numbers of ranks becomes several lines there, one for each. Where rules overlap, the
// first in the table holds; where there is none, the library's own choice stays.
//
// A rule that a library cannot follow is an error, and not a file that says something else.
package rules

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// End is the upper end of a range without one.
const End = math.MaxUint64

// A Range is the numbers From … To, both included.
type Range struct{ From, To uint64 }

// A Rule names the algorithm of a collective for some numbers of ranks and some sizes.
type Rule struct {
	Collective, Algorithm string // as in collective.Algorithms
	Ranks                 Range  // from 1
	Bytes                 Range  // of Call.Bytes; not looked at for a barrier
	Segment               uint64 // bytes; 0: whole messages
	Fanout                int    // 0: the algorithm's default
}

// most is how many numbers of ranks one rule may be written out for.
const most = 1 << 16

// A choice is a rule with its algorithm.
type choice struct {
	Rule
	of collective.Entry
}

// found looks the rules' algorithms up and checks their ranges.
func found(rules []Rule) ([]choice, error) {
	var all []choice
	for i, r := range rules {
		e, err := collective.Find(r.Collective, r.Algorithm)
		if err != nil {
			return nil, fmt.Errorf("rule %d: %w", i+1, err)
		}
		fail := func(format string, args ...any) error {
			return fmt.Errorf("rule %d (%s %s): "+format, append([]any{i + 1, e.Collective, e.Name}, args...)...)
		}
		switch {
		case r.Ranks.From < 1 || r.Ranks.From > r.Ranks.To:
			return nil, fail("ranks go from %d to %d, but have to go up, from 1 on", r.Ranks.From, r.Ranks.To)
		case r.Bytes.From > r.Bytes.To:
			return nil, fail("bytes go from %d down to %d", r.Bytes.From, r.Bytes.To)
		case r.Segment > 0 && e.Params&collective.Segment == 0:
			return nil, fail("it takes no segments")
		case r.Segment > math.MaxInt32:
			return nil, fail("a segment has at most %d bytes, not %d", math.MaxInt32, r.Segment)
		case r.Fanout != 0 && e.Params&collective.Fanout == 0:
			return nil, fail("it takes no fan-out")
		case r.Fanout < 0 || r.Fanout > math.MaxInt32:
			return nil, fail("the fan-out is %d, but has to be 0 to %d", r.Fanout, math.MaxInt32)
		case e.Ranks != 0 && r.Ranks != Range{uint64(e.Ranks), uint64(e.Ranks)}:
			return nil, fail("it is for %d ranks alone; give these as the range", e.Ranks)
		}
		if e.Collective == "barrier" {
			r.Bytes = Range{0, End}
		}
		all = append(all, choice{r, e})
	}
	return all, nil
}

// A group is the choices for some numbers of ranks: one for each range of sizes, ascending
// and without gaps; nil where there is no rule.
type group struct {
	ranks  Range
	bytes  []Range
	choose []*choice
}

// groups takes the choices of one collective apart, so that ranges do not overlap. If totals is
// set, sizes are multiplied by the number of ranks, and groups are of one number of ranks
// where sizes matter.
func groups(all []choice, totals bool) ([]group, error) {
	var out []group
	for _, ranks := range cuts(all, 1, func(c choice) Range { return c.Ranks }) {
		here := slices.DeleteFunc(slices.Clone(all), func(c choice) bool {
			return c.Ranks.From > ranks.From || c.Ranks.To < ranks.To
		})
		g := group{ranks: ranks, bytes: cuts(here, 0, func(c choice) Range { return c.Bytes })}
		for _, bytes := range g.bytes {
			at := slices.IndexFunc(here, func(c choice) bool { return c.Bytes.From <= bytes.From && c.Bytes.To >= bytes.To })
			if at < 0 {
				g.choose = append(g.choose, nil)
			} else {
				g.choose = append(g.choose, &here[at])
			}
		}
		if !totals || len(g.bytes) == 1 {
			out = append(out, g)
			continue
		}
		name := all[0].of.Collective
		if ranks.To-ranks.From >= most {
			return nil, fmt.Errorf("%s: the library counts the blocks of all ranks, so rules for %d to %s ranks would be written out for each; give ranges of at most %d",
				name, ranks.From, upTo(ranks.To), most)
		}
		for p := ranks.From; p <= ranks.To; p++ {
			one := group{ranks: Range{p, p}, choose: g.choose}
			for _, b := range g.bytes {
				// The sizes are p times those of a block: what is between belongs to the lower.
				total := Range{times(b.From, p), times(b.To, p)}
				if b.To < End {
					total.To = times(b.To+1, p) - 1
				}
				if total.From == End {
					return nil, fmt.Errorf("%s: %d blocks of %d bytes are too many", name, p, b.From)
				}
				one.bytes = append(one.bytes, total)
			}
			out = append(out, one)
		}
	}
	return out, nil
}

func times(a, p uint64) uint64 {
	if a > End/p {
		return End
	}
	return a * p
}

// cuts are the ranges from first to End at whose borders a rule begins or ends.
func cuts(all []choice, first uint64, of func(choice) Range) []Range {
	begins := []uint64{first}
	for _, c := range all {
		begins = append(begins, of(c).From)
		if to := of(c).To; to < End {
			begins = append(begins, to+1)
		}
	}
	slices.Sort(begins)
	begins = slices.Compact(begins)
	var out []Range
	for i, from := range begins {
		to := uint64(End)
		if i+1 < len(begins) {
			to = begins[i+1] - 1
		}
		out = append(out, Range{from, to})
	}
	return out
}

func upTo(n uint64) string {
	if n == End {
		return "any number of"
	}
	return fmt.Sprint(n)
}

// byCollective are the choices of each collective, in the order of first appearance.
func byCollective(all []choice) [][]choice {
	var out [][]choice
	at := map[string]int{}
	for _, c := range all {
		i, ok := at[c.of.Collective]
		if !ok {
			i = len(out)
			at[c.of.Collective] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], c)
	}
	return out
}
