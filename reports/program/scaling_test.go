package program_test

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/platforms"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
)

// Each program that the binary carries runs on each platform that it carries, and on the machine of
// ten lines in docs/machines.md.
func TestExamplesEverywhere(t *testing.T) {
	var machines []platforms.Design
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	names := list.Map(all, func(p platforms.Platform) string { return p.Name })
	for _, name := range append(names, "../../internal/demo/files/rack.toml") {
		d, err := platforms.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, d)
	}
	for _, e := range program.Examples() {
		if strings.Contains(string(e.Text), "flops") { // no platform of a paper has [compute]
			continue
		}
		a, err := theprogram.Question{Files: []string{e.Name},
			Reading: theprogram.Reading{Ranks: []int{4, 8}}, On: machines, Table: theprogram.Scales,
			Eager: simulate.NoLimit}.Ask(t.Context())
		s := a.Scaling
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if len(s.Rows) != 2*len(machines) {
			t.Errorf("%s: %d rows for %d machines", e.Name, len(s.Rows), len(machines))
		}
		for _, row := range s.Rows {
			parts := row.Computing + row.Messages + row.Waiting
			if !(row.Finish > 0) || parts < row.Finish*0.999999 || parts > row.Finish*1.000001 {
				t.Errorf("%s, %d ranks on %s: the finish is %v, its parts are %v, %v and %v", e.Name,
					row.Ranks, row.Machine, row.Finish, row.Computing, row.Messages, row.Waiting)
			}
		}
	}
}

// The efficiency against the fewest ranks, by hand: a fixed problem has T(1) / (P·T(P)), also if
// each rank repeats a small part, fixed work per rank T(1) / T(P), and work that grows with the
// square of the ranks P·T(1) / T(P). What a collective combines is no work of the program, and a program that
// computes nothing has no efficiency.
func TestEfficiency(t *testing.T) {
	var machines []platforms.Design
	for _, combine := range []string{"0", "4us/KiB"} {
		p, err := platforms.Parse("a.toml", []byte("[layer.a]\nmodel = \"linear\"\nbeta = \"3us\"\n"+
			"tau = \"1us/KiB\"\nsource = \"x\"\n[constant.combine]\nvalue = \""+combine+
			"\"\nsource = \"x\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Design("")
		if err != nil {
			t.Fatal(err)
		}
		machines = append(machines, d)
	}
	for _, test := range []struct {
		work string
		want func(ranks, first, finish float64) float64
	}{
		{"8000 / mpi.size", func(p, t1, tp float64) float64 { return t1 / (p * tp) }},
		{"50 + 8000 / mpi.size", func(p, t1, tp float64) float64 { return t1 / (p * tp) }},
		{"1000", func(_, t1, tp float64) float64 { return t1 / tp }},
		{"10 * mpi.size * mpi.size", func(p, t1, tp float64) float64 { return p * p * t1 / tp }},
		{"0", func(_, _, _ float64) float64 { return math.NaN() }},
	} {
		path := filepath.Join(t.TempDir(), "a.star")
		text := "def main(mpi):\n    mpi.compute(" + test.work + ", \"us\")\n" +
			"    mpi.allreduce(4096)\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := theprogram.Question{Files: []string{path},
			Reading: theprogram.Reading{Ranks: []int{1, 2, 8}}, On: machines, Table: theprogram.Scales,
			Eager: simulate.NoLimit}.Ask(t.Context())
		s := a.Scaling
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range s.Rows {
			want := test.want(float64(row.Ranks), float64(s.Rows[i%2].Finish), float64(row.Finish))
			if math.Abs(row.Efficiency-want) > 1e-9 || math.IsNaN(want) != math.IsNaN(row.Efficiency) {
				t.Errorf("compute(%s) on %d ranks, machine %d: efficiency %v, want %v", test.work,
					row.Ranks, i%2, row.Efficiency, want)
			}
		}
	}
}
