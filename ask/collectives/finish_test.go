package collectives_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"github.com/halfpeak/halfpeak/ask/collectives"
	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A finish that is asked for again and again, as by the samples of an interval, takes one rank where
// that stands for all: a ring of 512 ranks, 1,000 times within a minute, of which one run on all
// ranks takes 0.1 s. Its value is that of all ranks' schedules.
func TestFinishesTakeOneRank(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of runs, on one goroutine")
	}
	d, err := whatif.Find("mpc")
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{7, 8, 512} { // 7: shares of two sizes, so all ranks run
		calls := collectives.Calls{Collective: "allreduce", Algorithm: "ring", Ranks: []int{ranks},
			Sizes: []quantity.Bytes{1 << 20}}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		runs := 0
		with, err := collectives.Finishes(ctx, d, calls, func() { runs++ })
		if err != nil {
			t.Fatal(err)
		}
		const samples = 1000
		found, err := with.Predict(whatif.Finish, []quantity.Bytes{1}, whatif.Sampling{Samples: samples,
			Assumed: 1e-9, Context: ctx})
		if err != nil {
			t.Fatal(err)
		}
		if runs < samples {
			t.Errorf("%d ranks: %d simulations are seen of %d", ranks, runs, samples)
		}
		times, err := collectives.Question{Calls: calls, Layer: d.Layer, Operations: 1 << 22}.Compute(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := float64(times.Times[0].Time)
		if got := found[0].Value; math.Abs(got/want-1) > 1e-6 { // the assumed intervals are 10⁻⁹
			t.Errorf("%d ranks: %v µs, collective says %v", ranks, got, want)
		}
	}
}

// A grid of many sizes on many ranks has one latency bound for each number of ranks, so that it is
// there in a second, and it ends with its context.
func TestLargeGrid(t *testing.T) {
	_, layer, err := platforms.Find("mpc")
	if err != nil {
		t.Fatal(err)
	}
	q := collectives.Question{Calls: collectives.Calls{Collective: "bcast", Algorithm: "linear",
		Ranks: []int{131072}}, Layer: layer,
		Operations: 1} // no simulation
	for n := range 2000 {
		q.Sizes = append(q.Sizes, quantity.Bytes(n+1))
	}
	// Computed for each size, the bound took half a minute.
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	if _, err := q.Compute(ctx); errors.Is(err, context.DeadlineExceeded) {
		t.Error("2,000 sizes on 131,072 ranks take longer than 10 s")
	}
	ctx, stop = context.WithCancel(t.Context())
	stop()
	if _, err := q.Compute(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}
