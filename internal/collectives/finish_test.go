package collectives_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/whatif"
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
		found, err := whatif.Of(d, prepared...).Predict(study.Finish, []quantity.Bytes{1}, whatif.Sampling{Samples: samples,
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

// The parts of a finish add up to it, and a parameter that is set to zero saves at most its part:
// all of it while the same path is the slowest. Above the eager limit they are the second protocol's.
func TestPartsAreSavings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "net.toml")
	const text = `title = "two protocols"
layer.net = { model = "switch", branches = [{ layer = "eager", up_to = "8KiB" }, { layer = "rendezvous" }], source = "x" }
layer.eager = { model = "loggp", o = "0us", L = "1.6us", g = "0.3us", G = "0.08us/KiB", source = "x" }
layer.rendezvous = { model = "loggp", o = "0us", L = "3.8us", g = "0.9us", G = "0.08us/KiB", source = "x" }
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := platforms.Open(file + "/net")
	if err != nil {
		t.Fatal(err)
	}
	exact := 0
	for _, c := range [][2]string{{"bcast", "binomial"}, {"allreduce", "ring"}, {"alltoall", "linear"}, {"gather", "linear"}} {
		for _, size := range []quantity.Bytes{8, 16 << 10, 1 << 20} {
			calls := collectives.Calls{Collective: c[0], Algorithm: c[1], Ranks: []int{8}, Sizes: []quantity.Bytes{size}}
			_, prepared, err := calls.Prepare(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			design := whatif.Of(d, prepared...)
			finish := func(d whatif.Design) float64 {
				r, err := d.Calls[0].Run(d.Costs(), false)
				if err != nil {
					t.Fatal(err)
				}
				return float64(r.Time)
			}
			r, err := prepared[0].Run(design.Costs(), true)
			if err != nil {
				t.Fatal(err)
			}
			parts, sum := map[string]float64{}, 0.0
			for _, p := range r.Parts {
				letter, _, _ := strings.Cut(p.Owner, "·")
				parts[letter], sum = float64(p.OneWay), sum+float64(p.OneWay)
			}
			now := finish(design)
			if math.Abs(sum-now) > 1e-5 { // a path rounds to 10⁻⁶ µs at each step
				t.Errorf("%v of %v: parts %v add up to %v, not %v", c, size, parts, sum, now)
			}
			for _, letter := range []string{"L", "g", "G"} {
				without, err := design.Set("eager."+letter+"*=0", "rendezvous."+letter+"*=0")
				if err != nil {
					t.Fatal(err)
				}
				switch saved := now - finish(without); {
				case saved > parts[letter]+1e-5:
					t.Errorf("%v of %v: no %s saves %v, its part is %v", c, size, letter, saved, parts[letter])
				case saved > parts[letter]-1e-5:
					exact++
				}
			}
		}
	}
	if exact < 24 { // of 36; the others have another path without the parameter
		t.Errorf("only %d parts are what their parameter saves", exact)
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
