//go:build linux

package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/engine/live"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// Sizes of messages are those of pipeline.c. Packets end at a block of the engine's shared memory.
var (
	// The largest message is beyond the private caches of the processors that were measured, and
	// the smallest is in them.
	messages = []int{64 << 10, 256 << 10, 1 << 20, 8 << 20}
	slots    = []int{256, 512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10}
)

// measureEngine prints rows as pipeline.c does, of halfpeak's engine over shared memory: stages
// alone, a packet at a time within a message, and whole messages in packets. Each launch is
// a new pair of processes, and the cases come in another order.
func measureEngine(w io.Writer, launches int) error {
	for range launches {
		fmt.Fprintln(w, calibrate.PipelineHeader)
		fmt.Fprintln(w, "pipeline,stage,message_bytes,packet_bytes,time_us")
		pair, err := live.Start(live.Shm, true, "node")
		if err != nil {
			return err
		}
		err = measurePair(w, pair)
		pair.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// measurePair measures all sizes of messages and packets of a launch, in an order that is drawn: a
// machine that warms up or slows down would otherwise bend every curve in the same way.
func measurePair(w io.Writer, pair *live.Pair) error {
	for _, at := range rand.Perm(len(messages) * len(slots)) {
		n, p := messages[at/len(slots)], slots[at%len(slots)]
		row := func(stage string, t float64) {
			fmt.Fprintf(w, "engine,%s,%d,%d,%.4f\n", stage, n, p, t)
		}
		// About 8 MiB each way, so that small messages have hundreds of repeats, and the largest
		// have eight.
		count := max(8, (8<<20)/n)
		stages, err := pair.Run(live.Job{
			Program: "stages", Size: p, Piece: p, Within: n, Count: count,
		})
		if err != nil {
			return err
		}
		// The way of the flag delays a packet and keeps none from following: it counts once.
		for i, name := range []string{"send", calibrate.Start, "receive"} {
			row(name, float64(stages.Stages[i]))
		}
		whole, err := pair.Run(live.Job{
			Program: "ping_bulk", Size: n, Piece: p, Count: 2 * count, Each: true,
		})
		if err != nil {
			return err
		}
		each := make([]float64, len(whole.Each))
		for i, t := range whole.Each {
			each[i] = float64(t)
		}
		after, err := pair.Run(live.Job{Program: "hand_over", Size: 1, Count: 1000})
		if err != nil {
			return err
		}
		row("word", float64(min(stages.Stages[1], after.Time)))
		row(calibrate.Whole, stats.QuantileOf(each, 0.25))
	}
	return nil
}
