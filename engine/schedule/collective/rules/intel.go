package rules

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// intel writes the variables I_MPI_ADJUST_… of Intel MPI, a line for each collective, for a
// shell to source: identifier:from-to@ranks-ranks, both ends included, up to 2147483647.
//
//	export I_MPI_ADJUST_BCAST="1:0-2047@4-8;3:2048-2147483647@4-8"
//
// Algorithms have the numbers of Intel's Developer Reference, "I_MPI_ADJUST Family". A size is the
// argument of the call, so blocks need no line for each number of ranks.
func intel(w io.Writer, rules []Rule) error {
	all, err := checked(rules, "Intel MPI", func(e collective.Entry) bool { return e.Intel > 0 })
	if err != nil {
		return err
	}
	for i, c := range all {
		switch {
		case c.Segment != 0 || c.Fanout != 0:
			return fmt.Errorf("rule %d: I_MPI_ADJUST_ variables cannot contain a segment "+
				"or a fan-out; omit them", i+1)
		case c.Ranks.From > math.MaxInt32 || c.Bytes.From > math.MaxInt32:
			return fmt.Errorf("rule %d: Intel MPI reads numbers up to %d", i+1, math.MaxInt32)
		}
	}
	sections, err := byCollective(all, false)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, s := range sections {
		var terms []string
		for _, g := range s.groups {
			for i, bytes := range g.bytes {
				c := g.choose[i]
				if c == nil {
					continue // Intel MPI chooses
				}
				// A range without an end has the largest number that Intel MPI reads.
				size, ranks := min(bytes.To, math.MaxInt32), min(g.ranks.To, math.MaxInt32)
				terms = append(terms, fmt.Sprintf("%d:%d-%d@%d-%d",
					c.Of.Intel, bytes.From, size, g.ranks.From, ranks))
			}
		}
		name := strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
		fmt.Fprintf(&b, "export I_MPI_ADJUST_%s=%q\n", name, strings.Join(terms, ";"))
	}
	_, err = io.WriteString(w, b.String())
	return err
}
