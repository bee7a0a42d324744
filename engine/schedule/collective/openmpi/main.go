// Openmpi compares our schedules with what Open MPI sends. It is run by the scripts beside it:
//
//	count.sh 3 5 6 >counts.csv       what Open MPI sends with each algorithm forced
//	openmpi compare <counts.csv      whether our schedules of the same numbers send the same
//	rules.sh                         that Open MPI does what a rules file of ours says
package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"os"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
)

func main() {
	var err error
	switch out := bufio.NewWriter(os.Stdout); strings.Join(os.Args[1:], " ") {
	case "compare":
		err = compare(os.Stdin, out)
		err = first(err, out.Flush())
	case "rules":
		err = first(rules.OpenMPI(out, table), out.Flush())
	case "used":
		err = used(os.Stdin, out)
		err = first(err, out.Flush())
	default:
		fmt.Fprintln(os.Stderr, "usage: openmpi compare|used <COUNTS, or openmpi rules")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "openmpi: %v\n", err)
		os.Exit(1)
	}
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// compare says of each algorithm in how many calls our schedule sends what was counted.
func compare(r io.Reader, w io.Writer) error {
	all, err := counts(r)
	if err != nil {
		return err
	}
	alike := 0
	for _, c := range all {
		if d := c.differs(); d != "" {
			fmt.Fprintln(w, d)
		} else {
			alike++
		}
	}
	fmt.Fprintf(w, "%d of %d calls alike\n", alike, len(all))
	if alike != len(all) {
		return fmt.Errorf("%d calls differ", len(all)-alike)
	}
	return nil
}

// table is what rules.sh asks of Open MPI: choices that it does not make by itself, and that
// differ in what they send.
var table = []rules.Rule{
	{Collective: "bcast", Algorithm: "pipeline", Ranks: rules.Range{From: 5, To: 6}, Bytes: rules.Range{From: 0, To: rules.End}},
	{Collective: "bcast", Algorithm: "linear", Ranks: rules.Range{From: 7, To: 8}, Bytes: rules.Range{From: 0, To: 1023}},
	{Collective: "bcast", Algorithm: "chain", Ranks: rules.Range{From: 7, To: 8}, Bytes: rules.Range{From: 1024, To: 8191}, Segment: 512},
	{Collective: "bcast", Algorithm: "chain", Ranks: rules.Range{From: 7, To: 8}, Bytes: rules.Range{From: 8192, To: 65535}, Fanout: 2, Segment: 4096},
	{Collective: "bcast", Algorithm: "scatter-ring", Ranks: rules.Range{From: 7, To: 8}, Bytes: rules.Range{From: 65536, To: rules.End}},
	{Collective: "reduce", Algorithm: "in-order-binary", Ranks: rules.Range{From: 1, To: rules.End}, Bytes: rules.Range{From: 0, To: 4095}},
	{Collective: "reduce", Algorithm: "rabenseifner", Ranks: rules.Range{From: 1, To: rules.End}, Bytes: rules.Range{From: 4096, To: rules.End}},
	{Collective: "allreduce", Algorithm: "ring", Ranks: rules.Range{From: 1, To: rules.End}, Bytes: rules.Range{From: 0, To: 4095}},
	{Collective: "allreduce", Algorithm: "recursive-doubling", Ranks: rules.Range{From: 1, To: rules.End}, Bytes: rules.Range{From: 4096, To: rules.End}},
	{Collective: "reduce-scatter", Algorithm: "butterfly", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Collective: "reduce-scatter", Algorithm: "ring", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Collective: "allgather", Algorithm: "ring", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Collective: "allgather", Algorithm: "bruck", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Collective: "alltoall", Algorithm: "pairwise", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Collective: "alltoall", Algorithm: "bruck", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Collective: "gather", Algorithm: "linear", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Collective: "gather", Algorithm: "binomial", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Collective: "scatter", Algorithm: "linear", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Collective: "scatter", Algorithm: "binomial", Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Collective: "barrier", Algorithm: "double-ring", Ranks: rules.Range{From: 2, To: rules.End}},
}

// used says of each counted call which rule of table names its algorithm, and of which
// algorithms the counted messages are. It is an error if a rule was not followed.
func used(r io.Reader, w io.Writer) error {
	all, err := counts(r)
	if err != nil {
		return err
	}
	followed := 0
	for _, c := range all {
		rule := ruleOf(c)
		if rule == nil {
			fmt.Fprintf(w, "%s: no rule; counted: %s\n", c, sameAs(c))
			followed++
			continue
		}
		e, err := collective.Find(rule.Collective, rule.Algorithm)
		if err != nil {
			return err
		}
		call := c.call()
		call.Segment, call.Fanout = rule.Segment, rule.Fanout
		ours, err := sent(e, c.ranks, call)
		if err != nil {
			return err
		}
		verdict := "NOT FOLLOWED"
		if maps.Equal(ours, c.sent) {
			verdict = "followed"
			followed++
		}
		of := e.Name
		if rule.Fanout > 0 {
			of += fmt.Sprintf(", fan-out %d", rule.Fanout)
		}
		if rule.Segment > 0 {
			of += fmt.Sprintf(", segments of %d", rule.Segment)
		}
		fmt.Fprintf(w, "%s: the file says %s; counted: %s: %s\n", c, of, sameAs(c), verdict)
	}
	fmt.Fprintf(w, "%d of %d calls as the file says\n", followed, len(all))
	if followed != len(all) {
		return fmt.Errorf("%d calls are not", len(all)-followed)
	}
	return nil
}

// ruleOf is the first rule for a call.
func ruleOf(c count) *rules.Rule {
	for i, r := range table {
		in := func(x rules.Range, n uint64) bool { return x.From <= n && n <= x.To }
		if r.Collective == c.collective && in(r.Ranks, uint64(c.ranks)) && (c.collective == "barrier" || in(r.Bytes, c.bytes)) {
			return &table[i]
		}
	}
	return nil
}

// sameAs are the algorithms that send what was counted, with whatever segment and fan-out.
func sameAs(c count) string {
	var names []string
	for _, e := range collective.Of(c.collective) {
		for _, fanout := range []int{0, 2} {
			for segment := uint64(0); segment <= c.bytes; segment = max(256, 2*segment) {
				call := c.call()
				call.Segment, call.Fanout = segment, fanout
				if segment > 0 && e.Params&collective.Segment == 0 || fanout > 0 && e.Params&collective.Fanout == 0 || e.OpenMPI == 0 {
					continue
				}
				ours, err := sent(e, c.ranks, call)
				if err != nil || !maps.Equal(ours, c.sent) {
					continue
				}
				name := e.Name
				if fanout > 0 {
					name += fmt.Sprintf("(%d)", fanout)
				}
				if segment > 0 && bits.OnesCount64(segment) == 1 {
					name += fmt.Sprintf("/%d", segment)
				}
				names = append(names, name)
			}
		}
	}
	if names == nil {
		return "none of ours, " + c.sent.String()
	}
	return strings.Join(names, " or ")
}
