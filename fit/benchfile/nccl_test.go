package benchfile

import (
	"bytes"
	"math/rand/v2"
	"regexp"
	"testing"
)

// Lines are taken apart as expressions would, which are slower.
func TestNCCLLines(t *testing.T) {
	name := regexp.MustCompile(`^# (?:Collective test starting: |NCCL Tests: )?(\w+_perf)\b`)
	rank := regexp.MustCompile(`^# +Rank +(\d+) (?:.* on +(\S+))?`)
	parts := []string{"# ", "#", " ", "  ", "Rank", " Rank ", "0", "17 ", "Group  0 ", "on", " on ", " on  host-1 ", "device", "\t", "é", "\xff",
		"Collective test starting: ", "NCCL Tests: ", "sendrecv", "_perf", "_", ":", "all_reduce_perf", "x"}
	r := rand.New(rand.NewPCG(1, 2))
	names, hosts := 0, 0
	for range 200_000 {
		line := []byte("# ")
		switch r.IntN(3) {
		case 0:
			line = []byte("#  Rank  3 ")
		case 1:
			line = []byte("#")
		}
		for range r.IntN(7) {
			line = append(line, parts[r.IntN(len(parts))]...)
		}
		var want []byte
		if m := name.FindSubmatch(line); m != nil {
			want = m[1]
			names++
		}
		if got := ncclName(line); !bytes.Equal(got, want) {
			t.Fatalf("%q: the name is %q, want %q", line, got, want)
		}
		gotRank, gotHost, ok := ncclRank(line)
		m := rank.FindSubmatch(line)
		if ok != (m != nil) {
			t.Fatalf("%q is a rank: %t", line, ok)
		}
		if ok && (!bytes.Equal(gotRank, m[1]) || !bytes.Equal(gotHost, m[2])) {
			t.Fatalf("%q: %q on %q, want %q", line, gotRank, gotHost, m[1:])
		}
		if ok && len(m[2]) > 0 {
			hosts++
		}
	}
	if names < 1000 || hosts < 1000 {
		t.Errorf("%d names and %d hosts are too few to tell", names, hosts)
	}
}
