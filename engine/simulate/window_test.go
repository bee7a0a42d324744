package simulate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Messages from one rank to another share the window of their layer. The reference starts piece
// after piece: each a gap behind the one before, and when the credit of the piece a window earlier
// is back.
func TestWindowBetweenMessages(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 5))
		part := func(most int) quantity.Micros { return quantity.Micros(random.IntN(most)) / 4 }
		below := &model.LogGP{LogP: model.LogP{Latency: part(200), SendOverhead: part(8), ReceiveOverhead: part(8), GapTime: part(12)}, GapPerByte: 0.01}
		layer := &model.Fragmented{Below: below, MTU: 100, Window: 1 + random.IntN(6)}
		pieces := 1 + random.IntN(2*layer.Window)
		bytes := 100 * pieces
		if pieces == 1 {
			bytes = 1 + random.IntN(100)
		}
		const messages = 40
		program := "num_ranks 2\nrank 0 {\n" + strings.Repeat(fmt.Sprintf("send %db to 1\n", bytes), messages) +
			"}\nrank 1 {\n" + strings.Repeat(fmt.Sprintf("recv %db from 0\n", bytes), messages) + "}\n"
		m := on(t, machine.Machine{Levels: []machine.Level{{Name: "all", Arity: 2, Layer: layer}}}, "", 2, simulate.NoLimit)
		r, err := prepare(t, parse(t, program)).Run(t.Context(), simulate.Setup{Machine: m})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := r.Finish()

		size := float64(min(bytes, 100))
		time := func(n float64) float64 {
			return float64(below.SendOverhead+below.Latency+below.ReceiveOverhead) + 0.01*(n-1)
		}
		gap := max(float64(below.SendOverhead), float64(below.ReceiveOverhead), float64(below.GapTime)+0.01*(size-1))
		var starts []float64
		for i := range messages * pieces {
			start := 0.0
			if i > 0 {
				start = starts[i-1] + gap
			}
			if i >= layer.Window {
				start = max(start, starts[i-layer.Window]+time(size)+time(1))
			}
			starts = append(starts, start)
		}
		// A tick for each piece is rounding.
		want := starts[len(starts)-1] + time(size)
		if math.Abs(float64(got)-want) > float64(len(starts))*1e-6 {
			t.Errorf("%+v over %+v, %d messages of %d B: finished at %v µs, want %v", *layer, *below, messages, bytes, float64(got), want)
		}
	}
}
