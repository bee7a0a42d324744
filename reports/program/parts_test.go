package program

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/platforms"
)

// A program that runs in parts has the rows of the whole one: on a machine without NICs that
// interleave messages to the last digit, its marks too.
func TestRowsInParts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "steps.star")
	text := `def main(mpi, steps = 12):
    mpi.mark("begin")
    for step in range(steps):
        mpi.mark("work")
        mpi.compute(300 + mpi.rank % 3, "us")
        q = [mpi.irecv(20000, (mpi.rank - 1) % mpi.size), mpi.isend(20000, (mpi.rank + 1) % mpi.size)]
        mpi.compute(20, "us")
        mpi.waitall(q)
        mpi.mark("sum")
        mpi.allreduce(4096)
    mpi.mark("end")
    mpi.compute(7, "us")
`
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	clip, err := platforms.Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	p, err := platforms.Parse("a.toml", []byte("[layer.a]\nmodel = \"linear\"\nbeta = \"3us\"\ntau = \"1us/KiB\"\nsource = \"x\"\n"+
		"[level.a]\narity = \"16\"\nlayer = \"a\"\neager_threshold = \"8KiB\"\nsource = \"x\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	asking, err := p.Design("")
	if err != nil {
		t.Fatal(err)
	}
	defer func(before int) { minParts = before }(minParts)
	for _, on := range [][]platforms.Design{nil, {clip}, {asking}} {
		q := Question{Files: []string{file}, Reading: Reading{Ranks: []int{8, 16}}, On: on, Table: Scales,
			Run: simulate.Setup{LogGOPS: simulate.Defaults}, Eager: simulate.NoLimit}
		minParts = math.MaxInt
		whole, err := q.scale(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		minParts = 0
		parts, err := q.scale(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		says := func(notes []string, text string) bool {
			return slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, text) })
		}
		// The computation at the end belongs to the twelfth.
		if !says(remark.Texts(parts.Notes), "of the program's 12 parts were simulated") {
			t.Errorf("no note of parts in %q", parts.Notes)
		}
		assumed := len(on) > 0 && on[0].Platform.Name == "a"
		for _, notes := range [][]string{remark.Texts(whole.Notes), remark.Texts(parts.Notes)} {
			if says(notes, "has no handshake") != assumed {
				t.Errorf("notes of presence in %q; want one: %v", notes, assumed)
			}
		}
		for i, want := range whole.Rows {
			got := parts.Rows[i]
			for _, share := range []*float64{&want.onPath.messages, &want.onPath.part, &got.onPath.messages, &got.onPath.part} {
				*share = round9(*share)
			}
			if want.onPath.line == "" {
				t.Errorf("%d ranks: no messages on the path", want.Ranks)
			}
			for _, m := range []*[]MarkTime{&want.Marks, &got.Marks} {
				for k := range *m { // sums of the same numbers in another order
					(*m)[k].Mean, (*m)[k].Max = round9((*m)[k].Mean), round9((*m)[k].Max)
				}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d ranks: in parts %+v, whole %+v", want.Ranks, got, want)
			}
		}
	}
}

func round9[T ~float64](x T) T { return T(math.Round(float64(x)*1e6) / 1e6) }

// Where NICs interleave messages and each rank computes for a time of its own, no two all-gathers
// begin alike. The times of those that were simulated come again, and all end when each would: the
// standard error of their mean is at most 0.25 %, and so is that of the parts that were left out;
// three of the two together are 1.06 %.
func TestScatteredParts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "gather.star")
	text := "def main(mpi):\n    for step in range(120):\n" +
		"        mpi.compute(100000 + 100 * mpi.rank, \"ns\")\n        mpi.allgather(1 << 16)\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rails := railsOf(t)
	defer func(few, parts int) { maxScattered, minParts = few, parts }(maxScattered, minParts)
	minParts = 0
	q := Question{Files: []string{file}, Reading: Reading{Ranks: []int{32}}, On: []platforms.Design{rails}, Table: Scales,
		Eager: simulate.NoLimit}
	var finish []float64
	for _, most := range []int{0, 1} { // 0: all
		maxScattered = most
		s, err := q.scale(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		finish = append(finish, float64(s.Rows[0].Finish))
		says := slices.ContainsFunc(remark.Texts(s.Notes), func(n string) bool { return strings.Contains(n, "by chance") })
		if says != (most == 1) {
			t.Errorf("with at most %d operations the notes are %q", most, s.Notes)
		}
	}
	if off := finish[1]/finish[0] - 1; math.Abs(off) > 0.0106 || off == 0 {
		t.Errorf("%v µs, %v with all parts: %.3f %%", finish[1], finish[0], 100*off)
	}
}

// railsOf is a machine of eight nodes of eight GPUs and four rails, with NCCL.
func railsOf(t *testing.T) platforms.Design {
	t.Helper()
	p, err := platforms.Parse("rails.toml", []byte(`library = "nccl"
level.node = { arity = "8", layer = "nvlink", ports = "4", packet = "4KiB", source = "x" }
level.cluster = { arity = "8", layer = "network", packet = "4KiB", source = "x" }
layer.nvlink = { model = "loggp", o = "0.5us", L = "2us", g = "0.5us", G = "1/(230GB/s)", source = "x" }
layer.network = { model = "loggp", o = "0.5us", L = "9us", g = "0.5us", G = "1/(25GB/s)", source = "x" }
`))
	if err != nil {
		t.Fatal(err)
	}
	rails, err := p.Design("")
	if err != nil {
		t.Fatal(err)
	}
	return rails
}

// NCCL takes the ranks of a communicator node by node, so a program whose ranks take turns on the
// nodes takes as long as one whose ranks fill them, but for 2 %: with other numbers, messages of one
// moment come in another order. Taken by their numbers, it took 7 times as long. Communicators of
// four nodes each have an order of their own.
func TestPlacesOfPrograms(t *testing.T) {
	file := filepath.Join(t.TempDir(), "places.star")
	text := "def main(mpi, turns = 0):\n    node = mpi.rank % 8 if turns else mpi.rank // 8\n" +
		"    half = mpi.split(node // 4)\n    for step in range(2):\n" +
		"        mpi.allreduce(16 << 20)\n        mpi.bcast(1 << 20, root = 9)\n        half.allreduce(1 << 20)\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var nodes []string
	for rank := range 64 {
		nodes = append(nodes, string(rune('a'+rank%8)))
	}
	finish := func(turns string, on machine.Placement) float64 {
		s, err := Question{Files: []string{file}, Reading: Reading{Ranks: []int{64}, Params: []string{"turns=" + turns}},
			On: []platforms.Design{railsOf(t)}, Map: on, Table: Scales, Eager: simulate.NoLimit}.scale(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return float64(s.Rows[0].Finish)
	}
	want := finish("0", machine.Placement{})
	for _, on := range []machine.Placement{{By: "node"}, {Nodes: nodes, File: "places.csv"}} {
		if got := finish("1", on); math.Abs(got/want-1) > 0.02 {
			t.Errorf("%v: %.0f µs, and %.0f in blocks", on, got, want)
		}
	}
}
