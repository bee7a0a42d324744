package program_test

import (
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Each example ends, on numbers of ranks of all shapes that it takes.
func TestExamples(t *testing.T) {
	all := program.Examples()
	if len(all) != 10 {
		t.Fatalf("%d examples, want 10", len(all))
	}
	for _, e := range all {
		p, err := program.Read(t.Context(), e.Name, e.Text)
		if err != nil || e.Help == "" {
			t.Fatalf("%s: %v, help %q", e.Name, err, e.Help)
		}
		for _, ranks := range []int{1, 2, 4, 6, 7, 8, 12, 16, 64} {
			if step := e.Name == "megatron.star" || e.Name == "moe.star"; step && ranks != 8 ||
				e.Name == "kv.star" && ranks%2 != 0 || ranks > 16 && len(p.Params()) > 8 {
				continue
			}
			s, _, err := p.Schedule(t.Context(), program.Options{Ranks: ranks,
				Collectives: collective.Choices{Flops: 250e3, Memory: 1.4e3}})
			if err != nil {
				t.Errorf("%s on %d ranks: %v", e.Name, ranks, err)
				continue
			}
			prepared, err := simulate.New(s)
			if err != nil {
				t.Fatal(err)
			}
			for _, eager := range []float64{0, 1 << 30} {
				o := simulate.Defaults
				o.EagerLimit = quantity.Bytes(eager)
				if _, err := prepared.Run(t.Context(), simulate.Setup{LogGOPS: o}); err != nil {
					t.Errorf("%s on %d ranks: %v", e.Name, ranks, err)
				}
			}
		}
	}
}
