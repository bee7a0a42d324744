//go:build linux

package main

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/halfpeak/halfpeak/engine/live"
	"github.com/halfpeak/halfpeak/fit/calibrate"
)

// Sizes of messages are those of pipeline.c. Packets end at a block of the engine's shared memory.
var (
	// The largest message is beyond the private caches of the processors that were measured, and
	// the smallest is in them.
	messages = []int{64 << 10, 256 << 10, 1 << 20, 8 << 20}
	slots    = []int{512, 1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10}
)

// measureEngine prints rows as pipeline.c does, of halfpeak's engine over shared memory: stages
// alone, a packet at a time within a message, and whole messages in packets. Each launch is
// a new pair of processes, and the cases come in another order.
func measureEngine(w io.Writer, launches int) error {
	fmt.Fprintln(w, calibrate.PipelineHeader)
	fmt.Fprintln(w, "pipeline,stage,message_bytes,packet_bytes,time_us")
	for range launches {
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
		// All packets of a message, so that its memory is in the cache that holds it; twice.
		stages, err := pair.Run(live.Job{
			// 2,000 packets of 512 bytes already take milliseconds, so more of them make a launch
			// long and its times no better.
			Program: "stages", Size: p, Within: n, Count: min(2*n/p, 2000),
		})
		if err != nil {
			return err
		}
		for i, name := range []string{"send", "hand-over", "receive"} {
			row(name, float64(stages.Stages[i]))
		}
		whole, err := pair.Run(live.Job{
			// About 4 MiB for each size, so that small messages have hundreds of repeats and the
			// largest, which one disturbance spoils, have eight.
			Program: "ping_bulk", Size: n, Piece: p, Count: max(8, (4<<20)/n),
		})
		if err != nil {
			return err
		}
		row(calibrate.Whole, float64(whole.Time))
	}
	return nil
}
