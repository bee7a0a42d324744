package simulate_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
)

// The table of the package comment, row by row: each example's times are there, and are so.
// Those of LogGOPSim were printed by the program; the others follow from the rules by hand.
func TestDifferences(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	two := func(rank0, rank1 string) string {
		return "num_ranks 2\nrank 0 {\n" + rank0 + "\n}\nrank 1 {\n" + rank1 + "\n}\n"
	}
	many, receivers := "", ""
	for i := range 17 {
		many += fmt.Sprintf("send 8b to %d\n", i+1)
		receivers += fmt.Sprintf("rank %d {\nrecv 8b from 0\n}\n", i+1)
	}
	for _, c := range []struct{ goal, parameters, example, peer, model string }{
		{"num_ranks 1\nrank 0 {\na: calc 100\nb: calc 50 cpu 1\nb requires a\n}\n", "", "calc 100 cpu 0, then calc 50 cpu 1", "100", "150"},
		{two("send 100b to 1 tag 0\nsend 100b to 1 tag 1\nsend 100b to 1 tag 2", "recv 100b from 0 tag 0\nrecv 100b from 0 tag 1\nrecv 100b from 0 tag 2"), "",
			"3 sends of 100 B to one rank", "4688 10282", "5282 9282"},
		{two("send 100b to 1", "recv 100b from 0"), "O=9ns/B", "100 B, O = 9", "2391 6391", "2985 7876"},
		{two("send 100b to 1", "a: calc 50000\nb: recv 100b from 0\nb requires a"), "", "100 B; rank 1: calc 50000, then recv", "1500 52094", "2094 51500"},
		{two("send 10000b to 1 cpu 0 nic 0\nsend 10000b to 1 tag 1 cpu 1 nic 1", "recv 10000b from 0\nrecv 10000b from 0 tag 1 nic 1"), "",
			"2 sends of 10000 B from CPUs 0 and 1; recvs on 0", "1500 65494", "61494 66994"},
		{two("send 70000b to 1", "a: calc 1000000\nb: recv 70000b from 0\nb requires a"), "", "70000 B; rank 1: calc 1000000, then recv", "1000000 1421494", "1428494 1432494"},
		{two("send 0b to 1", "recv 0b from 0"), "", "0 B", "1500 5494", "1500 5500"},
		{two("send 70000b to 1", "recv 70000b from 0"), "S=100000B", "70000 B, S = 100000", "1500 425494", "421494 425494"},
		{two("send 100b to 1", "recv 99b from 0"), "", "100 B into a receive of 99 B", "1500 6094", "–"},
		{"num_ranks 18\nrank 0 {\n" + many + "}\n" + receivers, "", "17 sends of 8 B to 17 ranks", "25500 19042", "25542 5542"},
	} {
		m, err := simulate.ParseLogGOPS(c.parameters, simulate.Defaults)
		if err != nil {
			t.Fatal(err)
		}
		p := prepare(t, parse(t, c.goal))
		for rules, want := range map[simulate.Rules]string{simulate.LogGOPSim: c.peer, simulate.Default: c.model} {
			r, err := p.Run(context.Background(), simulate.Setup{Rules: rules, LogGOPS: m})
			if err != nil && want == "–" {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := times(r); got != want && !strings.HasPrefix(got, want+" ") {
				t.Errorf("%s, %v: %s, want %s", c.example, rules, got, want)
			}
		}
		var found bool
		for line := range strings.SplitSeq(string(doc), "\n") {
			fields := strings.Join(strings.Fields(strings.TrimPrefix(line, "//")), " ")
			found = found || fields == c.example+" "+c.peer+" "+c.model
		}
		if !found {
			t.Errorf("the package comment has no row %q with %s and %s", c.example, c.peer, c.model)
		}
	}
}
