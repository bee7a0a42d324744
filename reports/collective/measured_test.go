package collective

import (
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	joint "github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Times outside of their intervals come first and are counted in the verdict, however small the
// median error of all times is.
func TestMeasuredOutside(t *testing.T) {
	data := &joint.Data{Of: collective.Entry{Collective: "allreduce"}}
	answer := func(changed int) *Comparison {
		a := &Comparison{}
		for _, ranks := range []int{8, 16, 32} {
			for size := quantity.Bytes(1); size <= 1<<20; size *= 2 {
				c := ComparedCell{Data: data, Model: 10, Interval: "inside"}
				c.Ranks, c.Size, c.Time, c.InSample = ranks, size, 10, ranks != changed
				if ranks == changed {
					c.Time, c.Interval = 13, Outside
				}
				a.Cells = append(a.Cells, c)
			}
		}
		a.Misses = missesOf(a.Cells)
		a.Errors = []ComparedErrors{{Label: "allreduce", Cells: len(a.Cells)}}
		return a
	}
	print := func(a *Comparison) string {
		var b strings.Builder
		err := table.Printer{Width: 80, Height: 24, Brief: "--notes"}.Write(&b, a.rows())
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	text := print(answer(32))
	const verdict = "21 of 63 outside of their intervals, all on 32 ranks: measured 30 % longer " +
		"than\nthe model, in the median; the model was fitted to the other 42\n"
	if !strings.HasSuffix(text, verdict) || strings.Contains(text, "inside") {
		t.Error(text)
	}
	if first := answer(16).rows().Data[0]; first[5] != 16 {
		t.Errorf("the first row is %v, not one of 16 ranks", first)
	}
	if text = print(answer(0)); strings.Contains(text, "outside") ||
		!strings.HasSuffix(text, "allreduce: the model is off by 0 % in the median of 63 times\n") {
		t.Error(text)
	}
}
