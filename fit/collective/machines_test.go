package collective

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// published is a file of published measurements, which is not part of the repository.
func published(t *testing.T, path ...string) string {
	t.Helper()
	file := filepath.Join(append([]string{"..", "..", "..", "shared", "data", "collectives"}, path...)...)
	if _, err := os.Stat(file); err != nil {
		t.Skip("no folder ../shared")
	}
	return file
}

// orfeo are the broadcasts on two nodes of 128 cores, by algorithm and statistic.
func orfeo(t *testing.T) map[string]map[Statistic]Data {
	t.Helper()
	f, err := os.Open(published(t, "orfeo-epyc", "bcast_core_algorithms_2_5_6.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"2": "chain", "5": "binary", "6": "binomial"}
	all := map[string]map[Statistic]Data{"chain": {}, "binary": {}, "binomial": {}}
	for _, r := range rows[1:] {
		value := func(i int) float64 {
			v, err := strconv.ParseFloat(r[i], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		for s, i := range map[Statistic]int{Average: 4, Slowest: 6} {
			d := all[names[r[0]]][s]
			d.Collective, d.Statistic = "bcast", s
			d.Points = append(d.Points, Point{Ranks: int(value(1)), Size: quantity.Bytes(value(3)), Time: quantity.Micros(value(i)), Count: 1})
			all[names[r[0]]][s] = d
		}
	}
	return all
}

type call struct {
	ranks int
	size  quantity.Bytes
}

// The best of three algorithms as the fits see it, at ranks and sizes that they have not seen: the
// mean loss against the best that was measured there is at most 5 %, and the intervals hold 90 % of
// the measurements. Held out are every second number of ranks and every third size, or all but every
// fourth number of ranks, which leaves 17. Logged beside it are the forms alone, with the known and
// with a searched algorithm.
func TestChoice(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds")
	}
	all := orfeo(t)
	splits := map[string]func(p Point) bool{ // what is held out
		"every second rank, every third size": func(p Point) bool {
			return (p.Ranks-2)/4%2 == 1 || int(math.Log2(float64(p.Size)))%3 == 1
		},
		"three of four ranks": func(p Point) bool { return (p.Ranks-2)/4%4 != 0 && p.Ranks != 254 },
	}
	// One call of the second split, disturbed when measured (binary, 158 ranks, 4 B: 257 µs beside 8
	// by another algorithm, and 9 on the ranks beside), is 3.1 of its per cent with the slowest rank.
	limits := map[string]float64{"every second rank, every third size": 0.05, "three of four ranks": 0.07}
	for name, out := range splits {
		for _, of := range Statistics {
			measured := map[call]map[string]float64{}
			predicted := map[string]map[call]map[string]float64{}
			put := func(way string, c call, algorithm string, v quantity.Micros) {
				if predicted[way] == nil {
					predicted[way] = map[call]map[string]float64{}
				}
				if predicted[way][c] == nil {
					predicted[way][c] = map[string]float64{}
				}
				predicted[way][c][algorithm] = float64(v)
			}
			var errs []float64
			inside := 0
			for algorithm, both := range all {
				train := both[of]
				train.Points = slices.DeleteFunc(slices.Clone(train.Points), out)
				known, err := Fit(train, Options{Algorithm: algorithm})
				if err != nil {
					t.Fatal(err)
				}
				searched := known
				if name != "three of four ranks" { // which takes long
					if searched, err = Fit(train, Options{}); err != nil {
						t.Fatal(err)
					}
				}
				for _, p := range both[of].Points {
					if !out(p) {
						continue
					}
					c := call{p.Ranks, p.Size}
					if measured[c] == nil {
						measured[c] = map[string]float64{}
					}
					measured[c][algorithm] = float64(p.Time)
					a, err := known.Predict(p.Ranks, p.Size)
					if err != nil {
						t.Fatal(err)
					}
					b, err := searched.Predict(p.Ranks, p.Size)
					if err != nil {
						t.Fatal(err)
					}
					put("known", c, algorithm, a.Time)
					if searched != known {
						put("searched", c, algorithm, b.Time)
						put("form of the searched", c, algorithm, b.Form)
					}
					put("form of the known", c, algorithm, a.Form)
					errs = append(errs, offBy(float64(a.Time), float64(p.Time)))
					if a.Low <= p.Time && p.Time <= a.High {
						inside++
					}
				}
			}
			for way, of := range predicted {
				loss := 0.0
				for c, times := range of {
					loss += (measured[c][quickest(times)]/measured[c][quickest(measured[c])] - 1) / float64(len(of))
				}
				t.Logf("%s: %d calls, %s: mean loss %.1f %%", name, len(of), way, 100*loss)
				if way == "known" && loss > limits[name] {
					t.Errorf("%s: mean loss %.1f %%, at most %.1f", name, 100*loss, 100*limits[name])
				}
			}
			held := float64(inside) / float64(len(errs))
			t.Logf("%s, %s: median error %.1f %%, intervals hold %.1f %% of %d", name, of, 100*stats.QuantileOf(errs, 0.5), 100*held, len(errs))
			if held < 0.9 {
				t.Errorf("%s, %s: intervals hold %.1f %%", name, of, 100*held)
			}
		}
	}
}

func quickest(times map[string]float64) (name string) {
	for n, v := range times {
		if name == "" || v < times[name] || v == times[name] && n < name {
			name = n
		}
	}
	return name
}

// read takes the allreduces of files, in place or not by the series, on so many ranks each.
func read(t *testing.T, series string, files map[string]int) Data {
	t.Helper()
	d := Data{Collective: "allreduce", Statistic: Average}
	for path, ranks := range files {
		f, err := benchfile.Open(published(t, path), benchfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, table := range f.Tables {
			if table.Kind != benchfile.Collective || table.Series != series {
				continue
			}
			for _, s := range table.Samples {
				d.Points = append(d.Points, Point{Ranks: ranks, Size: s.Size, Time: s.Mean, Count: 1})
			}
		}
	}
	return d
}

// Beyond the ranks that were measured the intervals are wide, and hold, from the smaller numbers of
// ranks of three machines to the largest, though on none of them one shape holds for all: libraries
// choose, and nodes fill up. What happens on a second node nothing foresees that was measured on
// one: orfeo's trees on 2 to 126 ranks are logged, and not judged.
func TestBeyond(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	machines := map[string]struct {
		data Data
		to   int
	}{
		"lassen":      {read(t, "MPI", map[string]int{"lassen/lassen_osu_4_nodes.out": 4, "lassen/lassen_osu_16_nodes.out": 16, "lassen/lassen_osu_64_nodes.out": 64}), 64},
		"abci2, NCCL": {read(t, "out-of-place", map[string]int{"abci2/allreduce_inter_vnode/job02.sh.7194532.nccl": 8, "abci2/allreduce_inter_vnode/job08.sh.7194534.nccl": 32, "abci2/allreduce_inter_vnode/job32.sh.7194536.nccl": 128}), 128},
		"abci2, MPI":  {read(t, "MPI", map[string]int{"abci2/allreduce_inter_vnode/job02.sh.7194532.mpi-cpu": 8, "abci2/allreduce_inter_vnode/job08.sh.7194534.mpi-cpu": 32, "abci2/allreduce_inter_vnode/job32.sh.7194536.mpi-cpu": 128}), 128},
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
		r, err := Fit(train, Options{})
		if err != nil {
			t.Fatal(err)
		}
		inside, count := 0, 0
		var errs, wide []float64
		for _, p := range m.data.Points {
			if p.Ranks != m.to {
				continue
			}
			q, err := r.Predict(p.Ranks, p.Size)
			if err != nil {
				t.Fatal(err)
			}
			if !q.Beyond {
				t.Errorf("%s: %d ranks are within", name, p.Ranks)
			}
			if count++; q.Low <= p.Time && p.Time <= q.High {
				inside++
			}
			errs = append(errs, offBy(float64(q.Time), float64(p.Time)))
			wide = append(wide, math.Log(float64(q.High/q.Low))/2)
		}
		t.Logf("%s to %d ranks: median error %.0f %%, half width %.0f %%, hold %d of %d; %s", name, m.to, 100*stats.QuantileOf(errs, 0.5), 100*math.Expm1(stats.QuantileOf(wide, 0.5)), inside, count, r.Verdict())
		if !strings.HasPrefix(name, "orfeo") && 10*inside < 9*count {
			t.Errorf("%s: %d of %d inside", name, inside, count)
		}
	}
}

// The allreduce of 64 nodes × 96, which no model describes: a form of a known algorithm says so, and
// the intervals hold.
func TestUnsteady(t *testing.T) {
	d := read(t, "MPI", map[string]int{"aws-eks-hard/osu-64-iter-3-10113658126336.out": 6144})
	if _, err := Fit(d, Options{}); err == nil {
		t.Error("one number of ranks told an algorithm")
	}
	r, err := Fit(d, Options{Algorithm: "recursive-doubling"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Describes() {
		t.Error(r.Verdict())
	}
	inside := 0
	for i, p := range d.Points {
		train := d
		train.Points = slices.Delete(slices.Clone(d.Points), i, i+1)
		s, err := Fit(train, Options{Algorithm: "recursive-doubling"})
		if err != nil {
			t.Fatal(err)
		}
		q, err := s.Predict(p.Ranks, p.Size)
		if err != nil {
			t.Fatal(err)
		}
		if q.Low <= p.Time && p.Time <= q.High {
			inside++
		}
		if w := float64(q.High/q.Low) - 1; w < 0.5 {
			t.Errorf("%s: %v to %v", p.Size, q.Low, q.High)
		}
	}
	if t.Logf("%s; %d of %d inside", r.Verdict(), inside, len(d.Points)); inside < 17 {
		t.Errorf("%d of %d measurements are inside", inside, len(d.Points))
	}
}
