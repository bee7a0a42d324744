package main

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The answers of whatif about measured collectives on changed networks: ratios of calls with a named
// algorithm are off by a few percent, and intervals hold as many times as they say. Networks have plain
// costs and SMPI's; of the libraries' choices, which try all algorithms, a collective is enough.
func TestChangedNetworks(t *testing.T) {
	var all []forecastOfChange
	for _, p := range []platform{changedKinds[1], changedKinds[4]} {
		j, err := newChangedJudge("testdata/whatif", p, false)
		if err != nil {
			t.Fatal(err)
		}
		of, refused, err := j.ask(t.Context(), func(c timed) bool {
			named := !slices.Contains(libraries, c.choice)
			return c.bytes == 16<<10 && (named || c.collective == "bcast")
		})
		if err != nil {
			t.Fatal(err)
		}
		if refused > 0 {
			t.Errorf("%s: %d calls are refused", p.file(), refused)
		}
		all = append(all, of...)
	}
	held, errors := 0, []float64{}
	for _, f := range all {
		if f.after.Low <= float64(f.asked.time) && float64(f.asked.time) <= f.after.High {
			held++
		}
		if !f.byLibrary() {
			errors = append(errors, f.ratioError())
		}
	}
	t.Logf("%d answers, %d held", len(all), held)
	// 95 % is what the intervals say; those of this simulator are wider, since it has no other days.
	if len(all) < 60 || float64(held) < 0.95*float64(len(all)) {
		t.Errorf("%d of %d intervals hold the measured time", held, len(all))
	}
	// The median of all is 1 %; these are a fiftieth of them.
	if median := stats.QuantileOf(list.Map(errors, math.Abs), 0.5); median > 0.03 {
		t.Errorf("the median error of %d ratios is %.1f %%, at most 3", len(errors), 100*median)
	}
}

// A ping-pong between two nodes over one network, with the ends of the one over another network:
// ORFEO's nodes over InfiniBand and over TCP, whose latencies differ by a factor of 7 and bandwidths
// by 4. Protocols change at other sizes there, so single sizes are off by a factor of up to 1.6.
func TestPingPongOnAnotherNetwork(t *testing.T) {
	all, err := published.Curves()
	if err != nil {
		t.Fatal(err)
	}
	curve := func(network string) *model.Table {
		times := map[quantity.Bytes][]float64{} // of three runs
		for _, c := range all {
			if !strings.HasPrefix(c.File, "repeats/orfeo-thin-imb/") || !strings.HasSuffix(c.File, "node_ofi_"+network+".csv") {
				continue
			}
			for _, s := range c.Samples {
				if s.Size >= 1 && s.Size <= 4<<20 {
					times[s.Size] = append(times[s.Size], float64(s.Mean))
				}
			}
		}
		l := &model.Table{Sizes: slices.Sorted(maps.Keys(times))}
		for _, n := range l.Sizes {
			l.Times = append(l.Times, quantity.Micros(stats.QuantileOf(times[n], 0.5)))
		}
		return l
	}
	var errors []float64
	for from, to := range map[string]string{"mlx": "tcp", "tcp": "mlx"} {
		l, other := curve(from), curve(to)
		last := len(other.Sizes) - 1
		l.Beta = other.Times[0]
		l.Tau = (other.Times[last] - other.Times[0]).Per(other.Sizes[last] - other.Sizes[0])
		for i, n := range other.Sizes {
			errors = append(errors, math.Abs(math.Log(float64(l.OneWay(n)/other.Times[i]))))
		}
	}
	median, worst := stats.QuantileOf(errors, 0.5), slices.Max(errors)
	t.Logf("%d sizes: median %.2f, worst %.2f as logarithms", len(errors), median, worst)
	if median > 0.1 || worst > 0.5 {
		t.Errorf("the median error is a factor of %.2f, the worst %.2f", math.Exp(median), math.Exp(worst))
	}
}
