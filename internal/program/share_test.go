package program

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// without returns the schedule of a program whose ranks all run alone.
func without(t *testing.T, p *Program, o Options) (*schedule.Schedule, *schedule.Marks, error) {
	t.Helper()
	x, err := p.runs(t.Context(), o, false)
	if err != nil {
		return nil, nil, err
	}
	return x.Schedule(t.Context())
}

// equal fails the test unless both schedules have the same operations, dependencies and lines.
func equal(t *testing.T, got, want *schedule.Schedule) {
	t.Helper()
	if !slices.Equal(got.Ops(), want.Ops()) {
		t.Fatalf("%d operations are not the %d of ranks that run alone", len(got.Ops()), len(want.Ops()))
	}
	for i := range uint32(len(want.Ops())) {
		if !slices.Equal(got.AfterDone(i), want.AfterDone(i)) || !slices.Equal(got.AfterStarted(i), want.AfterStarted(i)) ||
			got.Line(i) != want.Line(i) {
			t.Fatalf("operation %d differs from that of ranks that run alone", i)
		}
	}
	for r := range want.Ranks() {
		lo, hi := want.Rank(r)
		if a, b := got.Rank(r); a != lo || b != hi {
			t.Fatalf("rank %d has operations %d to %d, want %d to %d", r, a, b, lo, hi)
		}
	}
}

// sharedAndAlone compares the schedules of a program with and without classes, and returns the
// number of runs of the interpreter; 0 for a program with an error, which must be the same.
func sharedAndAlone(t *testing.T, name, text string, ranks int) (runs int) {
	t.Helper()
	p, err := Read(t.Context(), name, []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	o := Options{Ranks: ranks}
	want, marks, wantErr := without(t, p, o)
	got, gotMarks, err := p.Schedule(t.Context(), o)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("error %v, want %v\n%s", err, wantErr, text)
	}
	if err != nil {
		return 0
	}
	defer func() {
		if t.Failed() {
			t.Log(text)
		}
	}()
	equal(t, got, want)
	if !slices.Equal(gotMarks.Ops, marks.Ops) || !slices.Equal(gotMarks.Name, marks.Name) || gotMarks.Computed != marks.Computed {
		t.Fatalf("other marks")
	}
	x, _ := p.runs(t.Context(), o, true)
	return len(x.ranks)
}

func TestExamplesShared(t *testing.T) {
	for _, e := range Examples() {
		for _, ranks := range []int{1, 4, 8, 16, 64} {
			sharedAndAlone(t, e.Name, string(e.Text), ranks)
		}
	}
}

// Programs of few ways run for few ranks.
func TestRunsOfClasses(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
	}{
		{"mpi.allreduce(8)", 1},
		{"mpi.sendrecv(8 + mpi.rank, dest = (mpi.rank + 1) % mpi.size, source = (mpi.rank - 1) % mpi.size)", 1},
		{"mpi.compute(100.0 + 0.1 * mpi.rank - mpi.rank / 100, \"us\")", 1},
		{"mpi.compute(0.1 * (mpi.rank // 8) * 1e300 * 1e10 - 1e305, \"us\")", 0},
		{"t = 0.5 * mpi.rank\n    if t > 1: mpi.compute(t, \"us\")", 64},
		{"if mpi.rank == 0: mpi.compute(1, \"us\")", 2},
		{"if mpi.rank % 2 and mpi.rank > 1: mpi.compute(mpi.rank // 3, \"us\")", 3},
		{"grid = mpi.cart(2)\n    lo, hi = grid.shift(0)\n    grid.sendrecv(8, dest = hi, source = lo)", 3},
		{"mpi.compute([3, 1, 2, 5][mpi.rank % 4], \"us\")", 64},
		{"mpi.mark(\"rank %d\" % (mpi.rank // 64))", 1},
		{"mpi.mark(\"rank %d\" % (mpi.rank // 32))", 64},
	} {
		got := sharedAndAlone(t, "p.star", "def main(mpi):\n    "+test.text+"\n", 64)
		if got != test.want {
			t.Errorf("%s: %d runs, want %d", test.text, got, test.want)
		}
	}
}

// A drawing of random programs, whose statements and values depend on the rank in many ways.
type programDrawing struct {
	*rand.Rand
	b     strings.Builder
	depth int
}

// number returns a whole number of 0 to 200, of at most some operators.
func (d *programDrawing) number(depth int) string {
	if depth == 0 {
		return []string{"mpi.rank", "mpi.size", "x", "y", "l[0]", fmt.Sprint(1 + d.IntN(9)), fmt.Sprint(1 + d.IntN(9))}[d.IntN(7)]
	}
	a, b := d.number(depth-1), d.number(d.IntN(depth))
	switch d.IntN(12) {
	case 0:
		return fmt.Sprintf("(%s + %s) %% 50", a, b)
	case 1:
		return fmt.Sprintf("(%s - %s) %% 17", a, b)
	case 2:
		return fmt.Sprintf("%s * (%s) %% 29", a, b)
	case 3:
		return fmt.Sprintf("(%s) // %d", a, 1+d.IntN(4))
	case 4:
		return fmt.Sprintf("(%s if %s else %s)", a, d.condition(depth-1), b)
	case 5:
		return fmt.Sprintf("max(%s, %s)", a, b)
	case 6:
		return fmt.Sprintf("[3, 5, %s][(%s) %% 3]", a, b)
	case 7:
		return fmt.Sprintf("int((%s) / 2)", a)
	case 8:
		return fmt.Sprintf("{1: 4, 2: 6}.get(%s, 7)", a)
	case 9:
		return fmt.Sprintf("len(range((%s) %% 5))", a)
	case 10:
		return fmt.Sprintf("len(str(%s))", a)
	}
	return a
}

func (d *programDrawing) condition(depth int) string {
	depth = max(depth, 0)
	a, b := d.number(depth), d.number(depth)
	switch d.IntN(8) {
	case 0:
		return fmt.Sprintf("%s == %s", a, b)
	case 1:
		return fmt.Sprintf("(%s) %% 3 != %d", a, d.IntN(3))
	case 2:
		return fmt.Sprintf("%s < %s", a, b)
	case 3:
		return fmt.Sprintf("%s in (1, %s, 4)", a, b)
	case 4:
		return fmt.Sprintf("[%s, 2] == [%s, 2]", a, b)
	case 5:
		return fmt.Sprintf("(%s) %% 2", a)
	case 6:
		return fmt.Sprintf("not (%s) or %s >= 3", a, b)
	}
	return fmt.Sprintf("low != None and %s > 2", a)
}

func (d *programDrawing) statement(indent string) {
	line := func(format string, args ...any) { fmt.Fprintf(&d.b, indent+format+"\n", args...) }
	switch d.IntN(13) {
	case 0:
		line("mpi.compute(%s, \"us\")", d.number(2))
		line("mpi.compute(3.5 + %s * 0.1 + (%s) / %d, \"us\")", d.number(1), d.number(1), d.IntN(8))
	case 1, 2:
		k := d.number(1) // the same shift on all ranks would match; others deadlock only when simulated
		line("mpi.sendrecv(%s, dest = (mpi.rank + %d) %% mpi.size, source = (mpi.rank - %d) %% mpi.size)", k, d.IntN(3), d.IntN(3))
	case 3:
		line("mpi.allreduce(%d)", 8*d.IntN(9))
	case 4:
		line("grid.sendrecv(%s, dest = high, source = low, tag = %s)", d.number(2), d.number(1))
	case 5:
		line("x = %s", d.number(2))
	case 6:
		line("y = %s", d.number(2))
	case 7:
		line("l = [%s, %s]", d.number(1), d.number(1))
	case 8:
		line("mpi.waitall([mpi.irecv(%s, source = ANY), mpi.isend(8, dest = %s)])", d.number(1), "(mpi.rank + 1) % mpi.size")
	case 9:
		line("mpi.mark(\"m%s\")", []string{"", "x"}[d.IntN(2)])
	default:
		if d.depth++; d.depth < 4 {
			if d.IntN(2) == 0 {
				line("if %s:", d.condition(1))
			} else {
				line("for i in range(%d):", 1+d.IntN(3))
			}
			d.statement(indent + "    ")
			d.statement(indent + "    ")
		}
		d.depth--
		line("x += %d", d.IntN(3))
	}
}

// Random programs have the same schedules, or the same errors, as if all of their ranks ran alone.
func TestRandomProgramsShared(t *testing.T) {
	classes, errors := 0, 0
	const n = 500
	for seed := range uint64(n) {
		d := programDrawing{Rand: rand.New(rand.NewPCG(seed, 4))}
		d.b.WriteString("def main(mpi):\n    x, y, l = 1, mpi.rank, [2]\n    grid = mpi.cart(2, periods = [False, True])\n")
		fmt.Fprintf(&d.b, "    low, high = grid.shift(%d)\n", d.IntN(2))
		for range 1 + d.IntN(8) {
			d.statement("    ")
		}
		const ranks = 24
		switch runs := sharedAndAlone(t, fmt.Sprintf("%d.star", seed), d.b.String(), ranks); {
		case runs == 0:
			errors++
		case runs < ranks:
			classes++
		}
	}
	if classes < n/5 || errors < n/50 || errors > n/2 {
		t.Errorf("of %d programs, %d have classes and %d errors", n, classes, errors)
	}
	t.Logf("of %d programs, %d have classes and %d errors", n, classes, errors)
}

// The programs beside this repository that need no file of their own.
func TestSharedCases(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/cases/numbers/*.star")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sharedAndAlone(t, file, string(text), 4)
	}
}
