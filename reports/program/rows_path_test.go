package program

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// The lines of a program divide its critical path without a rest, and so do the parts of each line.
// By hand: 40 × 10 µs of line 3, and 40 messages of line 4 through L, o_s and o_r.
func TestLinesOfPath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.star")
	text := "def main(mpi):\n    for i in range(40):\n        mpi.compute(10, \"us\")\n" +
		"        mpi.sendrecv(1, 1 - mpi.rank, 1 - mpi.rank)\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := platforms.Parse("a.toml", []byte("[layer.a]\nmodel = \"loggp\"\nL = \"5us\"\n"+
		"o_s = \"1us\"\no_r = \"2us\"\ng = \"1us\"\nG = \"1ns/B\"\nsource = \"x\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Design("")
	if err != nil {
		t.Fatal(err)
	}
	in, err := Read(t.Context(), []string{path}, Reading{Ranks: []int{2}}, d)
	if err != nil {
		t.Fatal(err)
	}
	a, err := Question{Input: in, On: []platforms.Design{d}, Table: Reasons,
		Eager: simulate.NoLimit}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s := a.Simulations[0]
	lines := pathLines(s)
	if len(lines) != 2 || lines[0].name != "a.star:3" || lines[1].name != "a.star:4" {
		t.Fatalf("lines %+v %+v", lines[0], lines[1])
	}
	sum := uint64(0)
	for _, l := range lines {
		if parts := l.computes + l.latency + l.overheads + l.streams + l.rest; parts != l.all {
			t.Errorf("%s: parts of %d, in all %d", l.name, parts, l.all)
		}
		sum += l.all
	}
	if sum != s.Why.Path.Shares.Sum() {
		t.Errorf("lines of %d, the path has %d", sum, s.Why.Path.Shares.Sum())
	}
	of := func(ticks uint64) quantity.Micros { return s.Why.Result.Micros(ticks) }
	if c, m := of(lines[0].computes), lines[1]; c != 400 || of(m.latency) != 200 ||
		of(m.overheads) != 120 {
		t.Errorf("computes %v, L %v, overheads %v", c, of(m.latency), of(m.overheads))
	}
	if rows := pathRows(s); len(rows.Data) != 2 {
		t.Errorf("%d rows", len(rows.Data))
	}
}
