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
// that stands for all: a ring of 1,024 ranks, 1,000 times. That takes less than a second; on all ranks
// it would take seven minutes. Its value is that of all ranks' schedules.
func TestFinishesTakeOneRank(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of runs, on one goroutine")
	}
	d, err := platforms.Open("mpc")
	if err != nil {
		t.Fatal(err)
	}
	for _, ranks := range []int{7, 8, 1024} { // 7: shares of two sizes, so all ranks run
		calls := collectives.Calls{Collective: "allreduce", Algorithm: "ring", Ranks: []int{ranks},
			Sizes: []quantity.Bytes{1 << 20}}
		ctx, stop := context.WithTimeout(t.Context(), 4*time.Minute)
		defer stop()
		runs := 0
		calls.Watch = func() { runs++ }
		_, prepared, err := calls.Prepare(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		const samples = 1000
		found, err := whatif.Of(d, prepared...).Predict(whatif.Finish, []quantity.Bytes{1}, whatif.Sampling{Samples: samples,
			Assumed: 1e-9, Context: ctx})
		if err != nil {
			t.Fatal(err)
		}
		if runs < samples {
			t.Errorf("%d ranks: %d simulations are seen of %d", ranks, runs, samples)
		}
		calls.Operations = 1 << 22
		times, err := calls.On(t.Context(), d)
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
// there in a second, and it ends with its context. Computed for each size, the bounds would take five
// minutes.
func TestLargeGrid(t *testing.T) {
	d, err := platforms.Open("mpc")
	if err != nil {
		t.Fatal(err)
	}
	q := collectives.Calls{Collective: "bcast", Algorithm: "linear", Ranks: []int{131072},
		Operations: 1} // no simulation
	for n := range 20_000 {
		q.Sizes = append(q.Sizes, quantity.Bytes(n+1))
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	if _, err := q.On(ctx, d); errors.Is(err, context.DeadlineExceeded) {
		t.Error("20,000 sizes on 131,072 ranks take longer than 2 minutes")
	}
	ctx, stop = context.WithCancel(t.Context())
	stop()
	if _, err := q.On(ctx, d); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}
