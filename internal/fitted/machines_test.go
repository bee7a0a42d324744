package fitted

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// orfeo are the broadcasts on two nodes of 128 cores, by algorithm and statistic.
func orfeo(t *testing.T) map[string]map[Statistic]Data {
	t.Helper()
	calls, err := published.Calls("ORFEO")
	if err != nil || len(calls) == 0 {
		t.Fatal(len(calls), err)
	}
	all := map[string]map[Statistic]Data{"chain": {}, "binary": {}, "binomial": {}}
	for _, c := range calls {
		for of, us := range map[Statistic]float64{Average: c.Mean, Slowest: c.Max} {
			d := all[c.Algorithm][of]
			d.Of, d.Statistic = entry("bcast", ""), of
			d.Points = append(d.Points, Point{Ranks: c.Ranks, Size: quantity.Bytes(c.Bytes),
				Time: quantity.Micros(us), Count: 1})
			all[c.Algorithm][of] = d
		}
	}
	return all
}

type call struct {
	ranks int
	size  quantity.Bytes
}

// The choice among three algorithms at ranks and sizes that the fits have not seen: the mean loss
// against the best that was measured there is at most 5 %, and at most that
// of copying the nearest measured call; the intervals hold 90 % of the measurements. Held out are
// every second number of ranks and every third size, or all but every fourth number of ranks, which
// leaves 17. The top quarter of the ranks may be on another node and has no intervals: its times
// grow faster than any below, so that the choice loses up to 12 %.
func TestChoice(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	all := orfeo(t)
	algorithms := []string{"chain", "binary", "binomial"}
	splits := map[string]func(p Point) bool{ // what is held out
		"every second rank, every third size": func(p Point) bool {
			return (p.Ranks-2)/4%2 == 1 || int(math.Log2(float64(p.Size)))%3 == 1
		},
		"the top quarter":     func(p Point) bool { return p.Ranks > 192 },
		"three of four ranks": func(p Point) bool { return (p.Ranks-2)/4%4 != 0 && p.Ranks != 254 },
	}
	// One call was disturbed when measured (binary, 158 ranks, 4 B: 257 µs beside 8 by another
	// algorithm, and 9 on the ranks beside), and is left out.
	disturbed := call{158, 4}
	for name, out := range splits {
		for _, of := range Statistics {
			measured, predicted := map[call][]float64{}, map[call][]Prediction{}
			var results []*Result
			var errs []float64
			inside := 0
			for _, algorithm := range algorithms {
				train := all[algorithm][of]
				train.Points = slices.DeleteFunc(slices.Clone(train.Points), out)
				train.Of = entry(train.Of.Collective, algorithm)
				r, err := Fit(train)
				if err != nil {
					t.Fatal(err)
				}
				results = append(results, r)
				for _, p := range all[algorithm][of].Points {
					c := call{p.Ranks, p.Size}
					if !out(p) || c == disturbed {
						continue
					}
					q, err := r.predict(p.Ranks, p.Size)
					if err != nil {
						t.Fatal(err)
					}
					measured[c], predicted[c] = append(measured[c], float64(p.Time)), append(predicted[c], q)
					errs = append(errs, math.Abs(q.Value/float64(p.Time)-1))
					if q.Low <= float64(p.Time) && float64(p.Time) <= q.High {
						inside++
					}
				}
			}
			var chosen, copied, bounded float64
			for c, times := range measured {
				at := Placement{Ranks: c.ranks}
				best, choice := slices.Min(times), Choose(predicted[c])
				chosen += (times[choice.Index]/best - 1) / float64(len(measured))
				winner := nearest(results, at, c.size)
				copied += (times[winner]/best - 1) / float64(len(measured))
				if !(times[choice.Index]/best-1 > choice.LossHigh) {
					bounded += 1 / float64(len(measured))
				}
			}
			held := float64(inside) / float64(len(errs))
			t.Logf("%s, %s: %d calls, mean loss %.1f %%, of a copy %.1f %%, below its upper end in %.0f %%; median error %.1f %%, intervals hold %.1f %%",
				name, of, len(measured), 100*chosen, 100*copied, 100*bounded, 100*stats.QuantileOf(errs, 0.5), 100*held)
			top := name == "the top quarter"
			if chosen > 0.12 || !top && (chosen > 0.05 || chosen > copied+0.001) || bounded < 0.95 {
				t.Errorf("%s, %s: mean loss %.2f %%, of a copy %.2f %%", name, of, 100*chosen, 100*copied)
			}
			if held < 0.9 && !top {
				t.Errorf("%s, %s: intervals hold %.1f %%", name, of, 100*held)
			}
		}
	}
}

// nearest returns the index of the algorithm that was the fastest at the nearest measured call, over
// the logs of ranks and sizes.
func nearest(all []*Result, at Placement, n quantity.Bytes) (fastest int) {
	distance, least := math.Inf(1), quantity.Micros(0)
	for i, r := range all {
		for _, p := range r.Points {
			d := math.Abs(math.Log2(float64(p.Size)/float64(n))) + math.Abs(math.Log2(float64(p.Ranks)/float64(at.Ranks)))
			if d < distance-1e-9 || d < distance+1e-9 && p.Time < least {
				distance, least, fastest = min(d, distance), p.Time, i
			}
		}
	}
	return fastest
}

// read takes the allreduces of files, in place or not by the series, on so many ranks each, with
// perNode of them on a node.
func read(t *testing.T, series string, perNode int, files map[string]int) Data {
	t.Helper()
	d := Data{Of: entry("allreduce", ""), Statistic: Average}
	for path, ranks := range files {
		curves, err := published.Of("collectives/" + path)
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range curves {
			if table.Kind != benchfile.Collective || table.Series != series {
				continue
			}
			for _, s := range table.Samples {
				d.Points = append(d.Points, Point{Ranks: ranks, PerNode: perNode, Size: s.Size, Time: s.Mean, Count: 1})
			}
		}
	}
	return d
}

// Beyond the ranks that were measured the intervals hold, from the smaller numbers of
// ranks of two machines to the largest, though on none of them one shape holds for all: libraries
// choose, and nodes fill up. What happens on a second node nothing foresees that was measured on
// one: orfeo's trees on 2 to 126 ranks, of unknown placement, have no interval beyond.
func TestBeyond(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	machines := map[string]struct {
		data Data
		to   int
	}{
		"lassen":      {read(t, "MPI", 1, map[string]int{"lassen/lassen_osu_4_nodes.out": 4, "lassen/lassen_osu_16_nodes.out": 16, "lassen/lassen_osu_64_nodes.out": 64}), 64},
		"abci2, NCCL": {read(t, "out-of-place", 4, map[string]int{"abci2/allreduce_inter_vnode/job02.sh.7194532.nccl": 8, "abci2/allreduce_inter_vnode/job08.sh.7194534.nccl": 32, "abci2/allreduce_inter_vnode/job32.sh.7194536.nccl": 128}), 128},
		"abci2, MPI":  {read(t, "MPI", 4, map[string]int{"abci2/allreduce_inter_vnode/job02.sh.7194532.mpi-cpu": 8, "abci2/allreduce_inter_vnode/job08.sh.7194534.mpi-cpu": 32, "abci2/allreduce_inter_vnode/job32.sh.7194536.mpi-cpu": 128}), 128},
	}
	for algorithm, both := range orfeo(t) {
		d := both[Slowest]
		d.Points = slices.DeleteFunc(slices.Clone(d.Points), func(p Point) bool { return p.Ranks > 126 && p.Ranks != 254 })
		machines["orfeo "+algorithm] = struct {
			data Data
			to   int
		}{d, 254}
	}
	for name, m := range machines {
		train := m.data
		train.Points = slices.DeleteFunc(slices.Clone(train.Points), func(p Point) bool { return p.Ranks == m.to })
		r, err := Fit(train)
		if err != nil {
			t.Fatal(err)
		}
		inside, count := 0, 0
		var errs, wide []float64
		for _, p := range m.data.Points {
			if p.Ranks != m.to {
				continue
			}
			q, err := r.predict(p.Ranks, p.Size)
			if err != nil {
				t.Fatal(err)
			}
			if q.Beyond == 0 {
				t.Errorf("%s: %d ranks are within", name, p.Ranks)
			}
			if strings.HasPrefix(name, "orfeo") != (q.NoInterval != "") {
				t.Errorf("%s: %v to %v, %q", name, q.Low, q.High, q.NoInterval)
			}
			if count++; q.Low <= float64(p.Time) && float64(p.Time) <= q.High {
				inside++
			}
			errs = append(errs, math.Abs(q.Value/float64(p.Time)-1))
			wide = append(wide, math.Log(float64((q.High/q.Low)))/2)
		}
		t.Logf("%s to %d ranks: median error %.0f %%, half width %.0f %%, hold %d of %d; %s", name, m.to, 100*stats.QuantileOf(errs, 0.5), 100*math.Expm1(stats.QuantileOf(wide, 0.5)), inside, count, r.Accuracy())
		// The MPI of abci2 takes another algorithm on 32 nodes, of up to four times what those on
		// 2 and 8 foresee.
		switches := name == "abci2, MPI"
		if share := float64(inside) / float64(count); !strings.HasPrefix(name, "orfeo") &&
			!switches && share < 0.9 {
			t.Errorf("%s: intervals hold %.0f %%", name, 100*share)
		}
	}
}

// The allreduce of 64 nodes × 96, which no model describes: the errors of a known algorithm's form
// show it, and the intervals hold.
func TestUnsteady(t *testing.T) {
	d := read(t, "MPI", 96, map[string]int{"aws-eks-hard/osu-64-iter-3-10113658126336.out": 6144})
	if r, err := Fit(d); err != nil || len(r.Parameters()) < 3 {
		t.Errorf("one number of ranks told an algorithm: %v", err)
	}
	d.Of = entry(d.Of.Collective, "recursive-doubling")
	r, err := Fit(d)
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Parameters()[0]; p.Median < 0.15 {
		t.Errorf("%+v", p)
	}
	inside := 0
	for i, p := range d.Points {
		train := d
		train.Points = slices.Delete(slices.Clone(d.Points), i, i+1)
		s, err := Fit(train)
		if err != nil {
			t.Fatal(err)
		}
		q, err := s.predict(p.Ranks, p.Size)
		if err != nil {
			t.Fatal(err)
		}
		if q.Low <= float64(p.Time) && float64(p.Time) <= q.High {
			inside++
		}
		if w := float64((q.High / q.Low)) - 1; w < 0.5 {
			t.Errorf("%s: %v to %v", p.Size, q.Low, q.High)
		}
	}
	if inside < 17 {
		t.Errorf("%d of %d measurements are inside", inside, len(d.Points))
	}
}
