package simulations_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/simulations"
	"github.com/halfpeak/halfpeak/whatif"
)

// 600 ranks are drawn as fractions: rank 0 computes for 3 µs, the others for 1 µs, so that two
// thirds of the time one processor of 600 computes and the rest are done.
func TestFractions(t *testing.T) {
	var text strings.Builder
	text.WriteString("num_ranks 600\n")
	for rank := range 600 {
		fmt.Fprintf(&text, "rank %d {\nl1: calc %d\n}\n", rank, map[bool]int{true: 3000, false: 1000}[rank == 0])
	}
	s, err := schedule.Read(strings.NewReader(text.String()), "a.goal")
	if err != nil {
		t.Fatal(err)
	}
	d, err := whatif.Find("hp-lam")
	if err != nil {
		t.Fatal(err)
	}
	p, err := simulations.Ranks(t.Context(), d, &simulations.Input{Name: "a.goal", Schedule: s}, 0, 1<<20, "")
	if err != nil {
		t.Fatal(err)
	}
	a := p.(reports.Areas)
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
