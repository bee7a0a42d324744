package program_test

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/program"
	"github.com/halfpeak/halfpeak/reports/table"
)

func goal(t *testing.T, text string) *program.Input {
	t.Helper()
	s, err := schedule.Read(strings.NewReader(text), "a.goal")
	if err != nil {
		t.Fatal(err)
	}
	return &program.Input{Name: "program", Schedule: s}
}

func hpLAM(t *testing.T) platforms.Design {
	t.Helper()
	d, err := platforms.Open("hp-lam")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// 600 ranks are drawn as fractions: rank 0 computes for 3 µs, the others for 1 µs, so that two
// thirds of the time one processor of 600 computes and the rest are done.
func TestFractions(t *testing.T) {
	var text strings.Builder
	text.WriteString("num_ranks 600\n")
	for rank := range 600 {
		fmt.Fprintf(&text, "rank %d {\nl1: calc %d\n}\n", rank,
			map[bool]int{true: 3000, false: 1000}[rank == 0])
	}
	d, in := hpLAM(t), goal(t, text.String())
	ranks := func(in *program.Input, last int) (program.Answer, error) {
		return program.Question{Input: in, On: []platforms.Design{d},
			Eager: simulate.NoLimit, Drawn: &program.Extent{Last: last}}.Ask(t.Context())
	}
	answer, err := ranks(in, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	p, err := answer.Figure()
	if err != nil {
		t.Fatal(err)
	}
	text.Reset()
	text.WriteString("num_ranks 600\n")
	for rank := range 600 {
		fmt.Fprintf(&text, "rank %d {\n}\n", rank)
	}
	if _, err := ranks(goal(t, text.String()), 1<<20); err == nil {
		t.Error("a program that does nothing is drawn")
	}
	a := p.(table.Areas)
	for i := range a.XS {
		sum := 0.0
		for _, part := range a.Parts {
			sum += part.Y[i]
		}
		want := 100.0
		if i > 133 {
			want = 100.0 / 600
		}
		if math.Abs(sum-100) > 1e-6 || i != 133 && math.Abs(a.Parts[0].Y[i]-want) > 1e-6 {
			t.Fatalf("part %d: sum %v, computes %v", i, sum, a.Parts[0].Y[i])
		}
	}
}

// Many steps are drawn as fractions without a copy of each step.
func TestFractionsInPlace(t *testing.T) {
	var text strings.Builder
	text.WriteString("num_ranks 600\n")
	for rank := range 600 {
		fmt.Fprintf(&text, "rank %d {\n", rank)
		for i := range 100 {
			fmt.Fprintf(&text, "l%d: calc %d\n", i, 10+i%7)
		}
		text.WriteString("}\n")
	}
	d, in := hpLAM(t), goal(t, text.String())
	allocated := func(last int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := (program.Question{Input: in,
			On: []platforms.Design{d}, Eager: simulate.NoLimit,
			Drawn: &program.Extent{Last: last}}).Ask(t.Context()); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	// All 600 ranks are fractions, one rank has boxes: the difference is 599 ranks of 100 steps.
	if all, one := allocated(599), allocated(0); all > one+59900*40 {
		t.Errorf("%d B of memory for 60,000 steps, %d B for 100", all, one)
	}
}
