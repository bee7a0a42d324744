package rules_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
)

func all(from uint64) rules.Range { return rules.Range{From: from, To: rules.End} }

// entry returns an algorithm of the registry.
func entry(of, name string) collective.Entry {
	e, err := collective.Find(of, name)
	if err != nil {
		panic(err)
	}
	return e
}

// table has rules that leave gaps, overlap, and are of blocks.
var table = []rules.Rule{
	{Of: entry("bcast", "binomial"), Ranks: rules.Range{From: 4, To: 8}, Bytes: rules.Range{From: 0, To: 2047}},
	{Of: entry("bcast", "pipeline"), Ranks: rules.Range{From: 4, To: 8}, Bytes: all(2048), Segment: 1024},
	{Of: entry("bcast", "chain"), Ranks: all(4), Bytes: all(65536), Segment: 8192},
	{Of: entry("allgather", "bruck"), Ranks: rules.Range{From: 5, To: 6}, Bytes: rules.Range{From: 0, To: 99}},
	{Of: entry("allgather", "ring"), Ranks: rules.Range{From: 5, To: 6}, Bytes: all(100)},
	{Of: entry("barrier", "tree"), Ranks: all(1)},
}

// Written by hand from the descriptions of the formats: numbers of coll/tuned, first size 0, a
// line from its number on; blocks times ranks for the allgather; the fan-out of chains is said.
const classic = `3 # collectives
7 # bcast
3 # numbers of ranks
1 # ranks and more
1 # sizes: bytes and more, algorithm, fan-out, segment
0 0 0 0
4 # ranks and more
3 # sizes: bytes and more, algorithm, fan-out, segment
0 6 0 0 # binomial
2048 3 0 1024 # pipeline
65536 3 0 1024 # pipeline
9 # ranks and more
2 # sizes: bytes and more, algorithm, fan-out, segment
0 0 0 0
65536 2 4 8192 # chain
0 # allgather
4 # numbers of ranks
1 # ranks and more
1 # sizes: bytes and more, algorithm, fan-out, segment
0 0 0 0
5 # ranks and more
2 # sizes: bytes and more, algorithm, fan-out, segment
0 2 0 0 # bruck
500 4 0 0 # ring
6 # ranks and more
2 # sizes: bytes and more, algorithm, fan-out, segment
0 2 0 0 # bruck
600 4 0 0 # ring
7 # ranks and more
1 # sizes: bytes and more, algorithm, fan-out, segment
0 0 0 0
6 # barrier
1 # numbers of ranks
1 # ranks and more
1 # sizes: bytes and more, algorithm, fan-out, segment
0 6 0 0 # tree
`

func TestOpenMPI(t *testing.T) {
	var b strings.Builder
	if err := rules.OpenMPI.Write(&b, table); err != nil {
		t.Fatal(err)
	}
	if b.String() != classic {
		t.Errorf("got\n%s\nwant\n%s", b.String(), classic)
	}
}

const sixth = `{"rule_file_version": 3, "module": "tuned", "collectives": {
"allgather": [
 {"comm_size_min": 5, "comm_size_max": 5, "rules": [
  {"msg_size_min": 0, "msg_size_max": 499, "alg": 2}, {"msg_size_min": 500, "alg": 4}]},
 {"comm_size_min": 6, "comm_size_max": 6, "rules": [
  {"msg_size_min": 0, "msg_size_max": 599, "alg": 2}, {"msg_size_min": 600, "alg": 4}]}],
"barrier": [{"comm_size_min": 1, "rules": [{"msg_size_min": 0, "alg": 6}]}],
"bcast": [
 {"comm_size_min": 4, "comm_size_max": 8, "rules": [
  {"msg_size_min": 0, "msg_size_max": 2047, "alg": 6},
  {"msg_size_min": 2048, "msg_size_max": 65535, "alg": 3, "seg_size": 1024},
  {"msg_size_min": 65536, "alg": 3, "seg_size": 1024}]},
 {"comm_size_min": 9, "rules": [{"msg_size_min": 65536, "alg": 2, "faninout": 4, "seg_size": 8192}]}]}}`

func TestOpenMPIJSON(t *testing.T) {
	var got, want bytes.Buffer
	form, err := rules.FindForm("openmpi-json")
	if err == nil {
		err = form.Write(&got, table)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Indent(&want, []byte(sixth), "", "  "); err != nil {
		t.Fatal(err)
	}
	if g, w := got.String(), want.String()+"\n"; g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

func TestNCCL(t *testing.T) {
	var b strings.Builder
	err := rules.NCCL.Write(&b, []rules.Rule{
		{Of: entry("allreduce", "double-tree"), Ranks: all(1), Bytes: rules.Range{From: 0, To: 1<<21 - 1}},
		{Of: entry("allreduce", "ring"), Ranks: all(1), Bytes: all(1 << 21)},
		{Of: entry("allgather", "ring"), Ranks: rules.Range{From: 8, To: 9}, Bytes: all(1024)},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks,pipe_ops,registered
allreduce,1048576,2097151,tree,simple,-1,-1,-1,-1,-1
allreduce,2097152,18446744073709551615,ring,simple,-1,-1,-1,-1,-1
allgather,1048576,18446744073709551615,ring,simple,-1,-1,8,-1,-1
allgather,1048576,18446744073709551615,ring,simple,-1,-1,9,-1,-1
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

func TestIntel(t *testing.T) {
	var b strings.Builder
	err := rules.Intel.Write(&b, []rules.Rule{
		{Of: entry("bcast", "binomial"), Ranks: rules.Range{From: 2, To: 8}, Bytes: rules.Range{From: 0, To: 2047}},
		{Of: entry("bcast", "scatter-ring"), Ranks: all(2), Bytes: all(0)},
		{Of: entry("reduce_scatter", "pairwise"), Ranks: rules.Range{From: 2, To: 8}, Bytes: all(0)},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `export I_MPI_ADJUST_BCAST="1:0-2047@2-8;3:2048-2147483647@2-8;3:0-2147483647@9-2147483647"
export I_MPI_ADJUST_REDUCE_SCATTER="2:0-2147483647@2-8"
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// chosen reads a classic file as Open MPI 4.1 does, and says what it chooses: the last
// number of ranks and the last size that are not above, or the first.
func chosen(t *testing.T, file string, id, ranks int, bytes uint64) (algorithm, fanout, segment int) {
	t.Helper()
	var numbers []uint64
	for line := range strings.Lines(file) {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.Fields(line) {
			var n uint64
			if _, err := fmt.Sscan(word, &n); err != nil {
				t.Fatal(err)
			}
			numbers = append(numbers, n)
		}
	}
	take := func() uint64 { n := numbers[0]; numbers = numbers[1:]; return n }
	for range take() {
		here := int(take()) == id
		for i := range take() {
			holds := here && (take() <= uint64(ranks) || i == 0)
			if !here {
				take()
			}
			for j := range take() {
				from, a, f, s := take(), take(), take(), take()
				if holds && (from <= bytes || j == 0) {
					algorithm, fanout, segment = int(a), int(f), int(s)
				}
			}
		}
	}
	if len(numbers) != 0 {
		t.Errorf("%d numbers are left", len(numbers))
	}
	return
}

// What Open MPI chooses by our file is what the first rule that matches says.
func TestOpenMPIChooses(t *testing.T) {
	var b strings.Builder
	if err := rules.OpenMPI.Write(&b, table); err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{"bcast": 7, "allgather": 0, "barrier": 6}
	for name, id := range ids {
		for ranks := 1; ranks <= 12; ranks++ {
			for _, block := range []uint64{0, 1, 99, 100, 101, 2047, 2048, 2049, 65535, 65536, 1 << 20} {
				want := 0
				for _, r := range table {
					if r.Of.Collective != name || uint64(ranks) < r.Ranks.From || uint64(ranks) > r.Ranks.To ||
						name != "barrier" && (block < r.Bytes.From || block > r.Bytes.To) {
						continue
					}
					e, err := collective.Find(r.Of.Collective, r.Of.Name)
					if err != nil {
						t.Fatal(err)
					}
					want = e.OpenMPI
					break
				}
				total := block
				if name == "allgather" {
					total *= uint64(ranks)
				}
				if got, _, _ := chosen(t, b.String(), id, ranks, total); got != want {
					t.Errorf("%s of %d bytes on %d ranks: algorithm %d, want %d", name, block, ranks, got, want)
				}
			}
		}
	}
}

func TestErrors(t *testing.T) {
	openmpi := func(r rules.Rule) error { return rules.OpenMPI.Write(&strings.Builder{}, []rules.Rule{r}) }
	nccl := func(r rules.Rule) error { return rules.NCCL.Write(&strings.Builder{}, []rules.Rule{r}) }
	intel := func(r rules.Rule) error { return rules.Intel.Write(&strings.Builder{}, []rules.Rule{r}) }
	some := rules.Range{From: 2, To: 8}
	for _, c := range []struct {
		write func(rules.Rule) error
		rule  rules.Rule
		want  string
	}{
		{openmpi, rules.Rule{Of: entry("bcast", "linear"), Bytes: all(0)}, "at least 1 (got 0 to 0)"},
		{openmpi, rules.Rule{Of: entry("bcast", "linear"), Ranks: some, Bytes: rules.Range{From: 8}}, "ascending range (got 8 to 0)"},
		{openmpi, rules.Rule{Of: entry("bcast", "linear"), Ranks: some, Bytes: all(0), Segment: 8}, "takes no segments"},
		{openmpi, rules.Rule{Of: entry("bcast", "linear"), Ranks: some, Bytes: all(0), Fanout: 8}, "takes no fan-out"},
		{openmpi, rules.Rule{Of: entry("bcast", "k-nomial"), Ranks: some, Bytes: all(0), Fanout: 8}, "coll_tuned_bcast_algorithm_knomial_radix to 8"},
		{openmpi, rules.Rule{Of: entry("alltoall", "linear-sync"), Ranks: some, Bytes: all(0), Fanout: 8}, "coll_tuned_alltoall_algorithm_max_requests to 8"},
		{openmpi, rules.Rule{Of: entry("allreduce", "double-tree"), Ranks: some, Bytes: all(0)}, "Open MPI has no allreduce algorithm double-tree; it has linear,"},
		{openmpi, rules.Rule{Of: entry("allgather", "two-processes"), Ranks: some, Bytes: all(0)}, "it runs on 2 ranks only"},
		{openmpi, rules.Rule{Of: entry("allgather", "ring"), Ranks: all(2), Bytes: all(8)}, "give ranges of at most 65536"},
		{openmpi, rules.Rule{Of: entry("allgather", "ring"), Ranks: some, Bytes: all(1 << 63)}, "bytes at most 9223372036854775807 in a file of Open MPI"},
		{nccl, rules.Rule{Of: entry("allreduce", "recursive-doubling"), Ranks: some, Bytes: all(0)}, "it has ring, double-tree"},
		{nccl, rules.Rule{Of: entry("bcast", "pipeline"), Ranks: some, Bytes: all(0), Segment: 1}, "NCCL chooses segments itself"},
		{nccl, rules.Rule{Of: entry("bcast", "pipeline"), Ranks: all(5), Bytes: all(0)}, "a line for each number of ranks"},
		{intel, rules.Rule{Of: entry("scan", "linear"), Ranks: some, Bytes: all(0)}, "Intel MPI has no scan algorithm linear; it has none"},
		{intel, rules.Rule{Of: entry("bcast", "binomial"), Ranks: some, Bytes: all(0), Segment: 1}, "cannot contain a segment"},
	} {
		err := c.write(c.rule)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v:\n%v\nis not an error with %q", c.rule, err, c.want)
		}
	}
}

func Example() {
	err := rules.OpenMPI.Write(os.Stdout, []rules.Rule{
		{Of: entry("allreduce", "recursive-doubling"), Ranks: rules.Range{From: 1, To: 64}, Bytes: rules.Range{From: 0, To: 8191}},
		{Of: entry("allreduce", "ring"), Ranks: rules.Range{From: 1, To: 64}, Bytes: rules.Range{From: 8192, To: rules.End}},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 # collectives
	// 2 # allreduce
	// 2 # numbers of ranks
	// 1 # ranks and more
	// 2 # sizes: bytes and more, algorithm, fan-out, segment
	// 0 3 0 0 # recursive-doubling
	// 8192 4 0 0 # ring
	// 65 # ranks and more
	// 1 # sizes: bytes and more, algorithm, fan-out, segment
	// 0 0 0 0
}
