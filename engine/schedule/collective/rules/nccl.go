package rules

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// SimpleFrom is the total size in bytes at and above which NCCL itself mostly chooses the
// protocol simple. A line names a protocol, and for smaller messages ll or ll128 are faster,
// so a line would cost more than its algorithm gains.
const SimpleFrom = 1 << 20

// names holds NCCL's names of collectives.
var names = map[string]string{
	"bcast": "broadcast", "reduce": "reduce", "allgather": "allgather",
	"reduce-scatter": "reducescatter", "allreduce": "allreduce",
}

// nccl writes the CSV file of NCCL's example tuner plugin, which reads it from
// NCCL_TUNER_CONFIG_FILE. A line applies to one number of ranks, or to all; sizes are totals
// of at least [SimpleFrom], both ends included. NCCL chooses the channels and the number of
// nodes. −1 stands for any number, or for NCCL's choice:
//
//	# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks,pipe_ops,registered
//	allreduce,1048576,2097151,tree,simple,-1,-1,-1,-1,-1
//	allgather,1048576,18446744073709551615,ring,simple,-1,-1,8,-1,-1
func nccl(w io.Writer, rules []Rule) error {
	has := func(e collective.Entry) bool { return e.NCCL != "" && names[e.Collective] != "" }
	all, err := checked(rules, "NCCL", has)
	if err != nil {
		return err
	}
	for i, c := range all {
		if c.Segment != 0 {
			return fmt.Errorf("rule %d: NCCL chooses segments itself; omit them", i+1)
		}
	}
	sections, err := byCollective(all, true)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks," +
		"pipe_ops,registered\n")
	lines := 0
	for _, s := range sections {
		for _, g := range s.groups {
			first, last := g.ranks.From, g.ranks.To
			any := first <= 2 && last == End // one rank has nothing to choose
			hasRule := slices.ContainsFunc(g.choose, func(c *Rule) bool { return c != nil })
			switch {
			case any:
				last = first
			// Behind the last rule NCCL chooses, which a missing line says.
			case last == End && !hasRule:
				continue
			case last-first >= maxRankCounts:
				return fmt.Errorf("%s: NCCL's file has a line for each number of ranks, "+
					"and %d to %s are too many; give at most %d, or 1 to the end",
					s.name, first, upTo(last), maxRankCounts)
			}
			for p := first; p <= last; p++ {
				// The plugin compares for equality: it has no ranges of ranks.
				ranks := fmt.Sprint(p)
				if any {
					ranks = "-1"
				}
				for i, bytes := range g.bytes {
					c := g.choose[i]
					if c == nil || bytes.To < SimpleFrom {
						continue
					}
					lines++
					from := max(bytes.From, SimpleFrom)
					fmt.Fprintf(&b, "%s,%d,%d,%s,simple,-1,-1,%s,-1,-1\n",
						names[s.name], from, bytes.To, c.Of.NCCL, ranks)
				}
			}
		}
	}
	// An empty file would look like success.
	if lines == 0 && len(all) > 0 {
		return fmt.Errorf("NCCL: all rules are for less than %d bytes, but a line would force the "+
			"protocol simple, and NCCL chooses better among ll, ll128 and simple; "+
			"give larger sizes", SimpleFrom)
	}
	_, err = io.WriteString(w, b.String())
	return err
}
