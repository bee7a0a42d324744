// Package rules writes files that make libraries choose algorithms of collectives: a table of rules
// in one of Open MPI's two formats, for NCCL's tuner plugin, or for Intel MPI.
//
// Sizes in a [Rule] are those of collective.Call: the message, or the block of one rank. For
// collectives of blocks, Open MPI and NCCL use the total of all ranks, so a rule for several
// numbers of ranks becomes several lines, one for each. Where rules overlap, the first in the table
// applies; without a rule, the library chooses.
//
// A rule that a library cannot represent is an error: a file that leaves it out would run another
// algorithm than the table says, and nobody would notice.
//
// rules.go cuts the table into ranges that do not overlap, since the formats differ in which of two
// overlapping lines wins; openmpi.go, nccl.go and intel.go each write one library's files, and have
// an example of them.
package rules

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// End is the upper end of an unbounded range.
const End = math.MaxUint64

// A Range is the range of numbers From … To, both included.
type Range struct{ From, To uint64 }

// A Rule gives the algorithm of a collective for a range of rank counts and a range of sizes.
type Rule struct {
	Of      collective.Entry
	Ranks   Range  // from 1
	Bytes   Range  // of Call.Bytes; ignored for a barrier
	Segment uint64 // bytes; 0: whole messages
	Fanout  int    // 0: the algorithm's default
}

// maxRankCounts is the maximum number of rank counts that one rule is written out for, each
// with lines of its own. 65,536 lines are 3 MB, which a library reads at each start of a
// program.
const maxRankCounts = 1 << 16

// checked returns the rules, whose algorithms the library must have, with their ranges checked.
func checked(rules []Rule, library string, has func(collective.Entry) bool) ([]Rule, error) {
	all := slices.Clone(rules)
	for i, r := range all {
		e := r.Of
		if !has(e) {
			var names []string
			for _, other := range collective.Algorithms {
				if other.Collective == e.Collective && has(other) {
					names = append(names, other.Name)
				}
			}
			known := cmp.Or(strings.Join(names, ", "), "none")
			return nil, fmt.Errorf("rule %d: %s has no %s algorithm %s; it has %s",
				i+1, library, e.Collective, e.Name, known)
		}
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("rule %d (%s %s): %w", i+1, e.Collective, e.Name, err)
		}
		// A barrier has no data, and its rule one line.
		if e.Collective == "barrier" {
			all[i].Bytes = Range{0, End}
		}
	}
	return all, nil
}

// check returns an error if the algorithm does not take what the rule gives it.
func (r Rule) check() error {
	switch e := r.Of; {
	case r.Ranks.From < 1 || r.Ranks.From > r.Ranks.To:
		return fmt.Errorf("ranks must be an ascending range from at least 1 (got %d to %d)",
			r.Ranks.From, r.Ranks.To)
	case r.Bytes.From > r.Bytes.To:
		return fmt.Errorf("bytes must be an ascending range (got %d to %d)",
			r.Bytes.From, r.Bytes.To)
	case r.Segment > 0 && e.Params&collective.Segment == 0:
		return errors.New("it takes no segments")
	// Open MPI reads segments and fan-outs as int.
	case r.Segment > math.MaxInt32:
		return fmt.Errorf("segments must be at most %d bytes (got %d)", math.MaxInt32, r.Segment)
	case r.Fanout != 0 && e.Params&collective.Fanout == 0:
		return errors.New("it takes no fan-out")
	case r.Fanout < 0 || r.Fanout > math.MaxInt32:
		return fmt.Errorf("the fan-out must be 0 to %d (got %d)", math.MaxInt32, r.Fanout)
	case e.Ranks != 0 && r.Ranks != Range{uint64(e.Ranks), uint64(e.Ranks)}:
		return fmt.Errorf("it runs on %d ranks only; give these as the range", e.Ranks)
	}
	return nil
}

// A group holds the rules for a range of rank counts: one for each range of sizes, ascending and
// without gaps; nil without a rule.
type group struct {
	ranks  Range
	bytes  []Range
	choose []*Rule
}

// groups divides the rules of one collective into ranges that do not overlap. If totals is set,
// sizes are multiplied by the number of ranks, and if sizes matter, each group is for one number of
// ranks.
func groups(all []Rule, totals bool) ([]group, error) {
	var out []group
	// First the ranks are cut, then the sizes of the rules that hold there.
	for _, ranks := range cuts(all, 1, func(c Rule) Range { return c.Ranks }) {
		here := slices.DeleteFunc(slices.Clone(all), func(c Rule) bool {
			return c.Ranks.From > ranks.From || c.Ranks.To < ranks.To
		})
		g := group{ranks: ranks, bytes: cuts(here, 0, func(c Rule) Range { return c.Bytes })}
		for _, bytes := range g.bytes {
			covers := func(c Rule) bool {
				return c.Bytes.From <= bytes.From && c.Bytes.To >= bytes.To
			}
			var first *Rule // the first rule of the table applies
			if at := slices.IndexFunc(here, covers); at >= 0 {
				first = &here[at]
			}
			g.choose = append(g.choose, first)
		}
		// One range of sizes is from 0 to the end, whatever they are multiplied by.
		if !totals || len(g.bytes) == 1 {
			out = append(out, g)
			continue
		}
		name := all[0].Of.Collective
		if ranks.To-ranks.From >= maxRankCounts {
			return nil, fmt.Errorf("%s: the library uses the total of all ranks, so rules for "+
				"%d to %s ranks would be written for each number; give ranges of at most %d",
				name, ranks.From, upTo(ranks.To), maxRankCounts)
		}
		for p := ranks.From; p <= ranks.To; p++ {
			one, err := g.withTotals(name, p)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
	}
	return out, nil
}

// withTotals returns the group for p ranks, with the sizes of p blocks. Sizes that are not a
// multiple of p belong to the lower range.
func (g group) withTotals(name string, p uint64) (group, error) {
	one := group{ranks: Range{p, p}, choose: g.choose}
	for _, b := range g.bytes {
		total := Range{times(b.From, p), times(b.To, p)}
		if b.To < End {
			// Up to one byte below p blocks of the next size.
			total.To = times(b.To+1, p) - 1
		}
		if total.From == End {
			return one, fmt.Errorf("%s: %d blocks of %d bytes are too many", name, p, b.From)
		}
		one.bytes = append(one.bytes, total)
	}
	return one, nil
}

// times returns a·p, or End if that is larger.
func times(a, p uint64) uint64 {
	if a > End/p {
		return End
	}
	return a * p
}

// cuts returns the ranges from first to End that the borders of rules form. No rule begins or ends
// inside of one, so each range has one choice.
func cuts(all []Rule, first uint64, of func(Rule) Range) []Range {
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

// A section holds the groups of a collective.
type section struct {
	name   string
	groups []group
}

// byCollective groups the rules by collective, in the order of first appearance. If totals is
// set, sizes of blocks become totals of all ranks.
func byCollective(all []Rule, totals bool) (out []section, err error) {
	for _, c := range all {
		name := c.Of.Collective
		if slices.ContainsFunc(out, func(s section) bool { return s.name == name }) {
			continue
		}
		foreign := func(c Rule) bool { return c.Of.Collective != name }
		mine := slices.DeleteFunc(slices.Clone(all), foreign)
		list, err := groups(mine, totals && c.Of.InBlocks())
		if err != nil {
			return nil, err
		}
		out = append(out, section{name, list})
	}
	return out, nil
}
