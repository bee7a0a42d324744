package shared

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/model/quantity"
)

const folder = "../shared/data/collectives/orfeo-epyc" // beside the checkout, or beside the folder of worktrees

// table reads a CSV as rows by column.
func table(t testing.TB, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join("../..", folder, name))
	if os.IsNotExist(err) {
		f, err = os.Open(filepath.Join("../../..", folder, name))
	}
	if os.IsNotExist(err) {
		t.Skip("the measurements are not here")
	} else if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var all []map[string]string
	for _, r := range rows[1:] {
		m := map[string]string{}
		for i, name := range rows[0] {
			m[name] = r[i]
		}
		all = append(all, m)
	}
	return all
}

func number(t testing.TB, text string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// orfeo is two nodes of two sockets of 16 caches of 4 cores. The names of the table are those of
// what two ranks are apart at most.
func orfeo(t testing.TB) *Estimate {
	levels := []Level{{Name: "cache", Holds: 4}, {Name: "socket", Holds: 16}, {Name: "node", Holds: 2}, {Name: "cluster", Holds: 2}}
	of := map[string]int{"cache": 0, "core": 1, "socket": 2, "node": 3}
	times := map[[2]int][]float64{}
	for _, r := range table(t, "p2p.csv") {
		k := [2]int{of[r["mapby"]], int(number(t, r["size"]))}
		times[k] = append(times[k], number(t, r["latency"]))
	}
	for i := range levels {
		l := &levels[i]
		for n := 1; n <= 1<<22; n *= 2 {
			l.Sizes = append(l.Sizes, quantity.Bytes(n))
			l.OneWay = append(l.OneWay, quantity.Micros(quantile(times[[2]int{i, n}], 0.5)))
		}
	}
	for _, r := range table(t, "nbft.csv") {
		l := &levels[of[r["mapby"]]]
		l.Fans = append(l.Fans, Fan{int(number(t, r["comm"])), quantity.Bytes(number(t, r["size"])), printed(t, r)})
	}
	e, err := New(levels, 2)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func printed(t testing.TB, r map[string]string) Times {
	return Times{quantity.Micros(number(t, r["min"])), quantity.Micros(number(t, r["latency"])), quantity.Micros(number(t, r["max"]))}
}

var forced = map[string]string{"2": "chain", "5": "binary", "6": "binomial"}

func broadcasts(t testing.TB) (all []Point) {
	for _, r := range table(t, "bcast_core_algorithms_2_5_6.csv") {
		e, err := collective.Find("bcast", forced[r["algorithm"]])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Point{Entry: e, Ranks: int(number(t, r["cores"])), Call: collective.Call{Bytes: uint64(number(t, r["size"]))}, Times: printed(t, r)})
	}
	return all
}

// few takes those of a few sizes and ranks.
func few(all []Point) (some []Point) {
	for _, p := range all {
		if p.Ranks%20 == 2 && slices.Contains([]uint64{1, 64, 1024, 8192, 16384, 65536, 1 << 20}, p.Call.Bytes) {
			some = append(some, p)
		}
	}
	return some
}

func report(t testing.TB, points []Point, got []Times) {
	for _, name := range []string{"chain", "binary", "binomial"} {
		var avg, slow []float64
		cell := map[[2]int][]float64{}
		for i, p := range points {
			if p.Name != name {
				continue
			}
			avg = append(avg, math.Abs(float64(got[i].Average/p.Average-1)))
			d := float64(got[i].Max/p.Max - 1)
			slow = append(slow, math.Abs(d))
			b := 0
			for _, limit := range []uint64{1024, 8192, 65536} {
				if p.Call.Bytes > limit {
					b++
				}
			}
			c := 0
			for _, limit := range []int{64, 128, 160} {
				if p.Ranks > limit {
					c++
				}
			}
			cell[[2]int{b, c}] = append(cell[[2]int{b, c}], d)
		}
		text := fmt.Sprintf("%s: average %.1f %%, slowest %.1f %%\n", name, 100*quantile(avg, .5), 100*quantile(slow, .5))
		for b := range 4 {
			for c := range 4 {
				text += fmt.Sprintf("  %+6.1f", 100*quantile(cell[[2]int{b, c}], .5))
			}
			text += "\n"
		}
		t.Log(text)
	}
}

func TestTry(t *testing.T) {
	e := orfeo(t)
	for i, l := range e.levels {
		t.Log(l.Name, "eager", l.Sizes[max(l.eager-1, 0)], "send", l.send[:1], "gap", l.gap[0], l.gap[10], "extra", l.extra[0], l.extra[10], l.extra[13], "data", l.data[14], l.data[20], i)
	}
	t.Log("memory", 1/e.memory, "line", 1/e.line, "hand", e.hand)
	set, err := NewSet(few(broadcasts(t)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := set.Predict(context.Background(), e.Machine(Plain()))
	if err != nil {
		t.Fatal(err)
	}
	report(t, set.Points, got)
}

// third tells whether a point is in the third that is given to a fit: spread evenly over ranks and sizes.
func third(p Point) bool {
	return (p.Ranks/4+int(math.Log2(float64(p.Call.Bytes))))%3 == 0
}

func TestTryFit(t *testing.T) {
	e := orfeo(t)
	all := broadcasts(t)
	judged, err := NewSet(few(all))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"chain", "binary", "binomial"} {
		var given []Point
		for i, p := range all {
			if p.Name == name && third(p) && i%5 == 0 {
				given = append(given, p)
			}
		}
		s, err := NewSet(given)
		if err != nil {
			t.Fatal(err)
		}
		f, err := e.Search(context.Background(), s, Plain())
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s %+v", name, f)
		got, err := judged.Predict(context.Background(), e.Machine(f.Factors))
		if err != nil {
			t.Fatal(err)
		}
		report(t, judged.Points, got)
	}
}

func TestTrySpread(t *testing.T) {
	e := orfeo(t)
	all := broadcasts(t)
	judged, err := NewSet(few(all))
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]Factors{"plain": Plain(), "chain": {2.0238, .7906, 1.0605, 2.715, 1}, "binary": {1.265, .625, 1.265, 2.56, .838}, "binomial": {1, .889, 1.265, 1.8, 3.05}} {
		got, err := judged.Predict(context.Background(), e.Machine(f))
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []string{"chain", "binary", "binomial"} {
			var p []Point
			var g []Times
			for i, x := range judged.Points {
				if x.Name == of {
					p, g = append(p, x), append(g, got[i])
				}
			}
			l := ratios(p, g)
			t.Logf("by %s, of %s: quantiles of ln predicted/measured: 1 %% %.2f 5 %% %.2f 25 %% %.2f 50 %% %.2f 75 %% %.2f 95 %% %.2f 99 %% %.2f", name, of, quantile(l, .01), quantile(l, .05), quantile(l, .25), quantile(l, .5), quantile(l, .75), quantile(l, .95), quantile(l, .99))
			for i := range l {
				l[i] = math.Abs(l[i])
			}
			t.Logf("     |.| 50 %% %.2f  80 %% %.2f 90 %% %.2f 95 %% %.2f", quantile(l, .5), quantile(l, .8), quantile(l, .9), quantile(l, .95))
		}
	}
}
