package openmpi

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"os"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
)

// entry returns an algorithm of the registry.
func entry(of, name string) collective.Entry {
	e, err := collective.Find(of, name)
	if err != nil {
		panic(err)
	}
	return e
}

// table is what rules.sh asks of Open MPI: choices that it does not make by itself, and that
// differ in what they send.
var table = []rules.Rule{
	{Of: entry("bcast", "pipeline"), Ranks: rules.Range{From: 5, To: 6}, Bytes: rules.Range{From: 0, To: rules.End}},
	{Of: entry("bcast", "linear"), Ranks: rules.Range{From: 7, To: 8}, Bytes: rules.Range{From: 0, To: 1023}},
	{Of: entry("bcast", "chain"), Ranks: rules.Range{From: 7, To: 8}, Bytes: rules.Range{From: 1024, To: 8191}, Segment: 512},
	{Of: entry("bcast", "chain"), Ranks: rules.Range{From: 7, To: 8}, Bytes: rules.Range{From: 8192, To: 65535}, Fanout: 2, Segment: 4096},
	{Of: entry("bcast", "scatter-ring"), Ranks: rules.Range{From: 7, To: 8}, Bytes: rules.Range{From: 65536, To: rules.End}},
	{Of: entry("reduce", "in-order-binary"), Ranks: rules.Range{From: 1, To: rules.End}, Bytes: rules.Range{From: 0, To: 4095}},
	{Of: entry("reduce", "rabenseifner"), Ranks: rules.Range{From: 1, To: rules.End}, Bytes: rules.Range{From: 4096, To: rules.End}},
	{Of: entry("allreduce", "ring"), Ranks: rules.Range{From: 1, To: rules.End}, Bytes: rules.Range{From: 0, To: 4095}},
	{Of: entry("allreduce", "recursive-doubling"), Ranks: rules.Range{From: 1, To: rules.End}, Bytes: rules.Range{From: 4096, To: rules.End}},
	{Of: entry("reduce-scatter", "butterfly"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Of: entry("reduce-scatter", "ring"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Of: entry("allgather", "ring"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Of: entry("allgather", "bruck"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Of: entry("alltoall", "pairwise"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Of: entry("alltoall", "bruck"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Of: entry("gather", "linear"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Of: entry("gather", "binomial"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Of: entry("scatter", "linear"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 0, To: 999}},
	{Of: entry("scatter", "binomial"), Ranks: rules.Range{From: 5, To: 8}, Bytes: rules.Range{From: 1000, To: rules.End}},
	{Of: entry("barrier", "double-ring"), Ranks: rules.Range{From: 2, To: rules.End}},
}

// TestRules writes the rules file for rules.sh, and then holds the counted calls against it: of
// each it logs which rule names its algorithm, and of which algorithms the counted messages are.
func TestRules(t *testing.T) {
	if *asked != "" {
		var b bytes.Buffer
		if err := errors.Join(rules.OpenMPI.Write(&b, table), os.WriteFile(*asked, b.Bytes(), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if *with == "" {
		return
	}
	f, err := os.Open(*with)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := counts(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		rule := ruleOf(c)
		if rule == nil {
			t.Logf("%s: no rule; counted: %s", c, sameAs(c))
			continue
		}
		e, err := collective.Find(rule.Of.Collective, rule.Of.Name)
		if err != nil {
			t.Fatal(err)
		}
		call := c.call()
		call.Segment, call.Fanout = rule.Segment, rule.Fanout
		ours, err := sent(e, c.ranks, call)
		if err != nil {
			t.Fatal(err)
		}
		of := fmt.Sprintf("%s, fan-out %d, segments of %d", e.Name, rule.Fanout, rule.Segment)
		if t.Logf("%s: the file says %s; counted: %s", c, of, sameAs(c)); !maps.Equal(ours, c.sent) {
			t.Errorf("%s: not followed", c)
		}
	}
}

// ruleOf is the first rule for a call.
func ruleOf(c count) *rules.Rule {
	for i, r := range table {
		in := func(x rules.Range, n uint64) bool { return x.From <= n && n <= x.To }
		if r.Of.Collective == c.collective && in(r.Ranks, uint64(c.ranks)) && (c.collective == "barrier" || in(r.Bytes, c.bytes)) {
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
