package fit

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/model/quantity"
)

func changed(t *testing.T, before, after *benchfile.Table, on Network) bool {
	t.Helper()
	changes, err := Compare(fitted(t)(PerSize(before)), fitted(t)(PerSize(after)), on)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Real })
}

// publishedNetwork returns the class of the network of a published measurement.
func publishedNetwork(name string) Network {
	has := func(word string) bool { return strings.Contains(name, word) }
	switch {
	case has("shm"):
		return Node
	case has("aws") || has("azure") || has("tcp"):
		return Shared
	}
	return Fabric
}

// slower returns a run in which all sizes from one on take factor times as long.
func slower(t *benchfile.Table, from int, factor quantity.Micros) *benchfile.Table {
	slow := *t
	slow.Samples = slices.Clone(t.Samples)
	for i := range slow.Samples[from:] {
		s := &slow.Samples[from+i]
		*s = benchfile.Sample{Size: s.Size, Mean: s.Mean * factor, Count: 1}
	}
	return &slow
}

// Runs of one unchanged system are called changed in at most 5 of 100 pairs of each class of networks,
// in the mean over the published measurements. Within a node and on fabrics, times that grow by 1.3
// from some size on are found from one run each, and by 1.1 from three runs before. On shared
// networks one run each shows no less than a factor of 2.
func TestUnchanged(t *testing.T) {
	type class struct {
		on   Network
		runs int
	}
	type count struct{ is, of float64 }
	share := func(c count) float64 { return c.is / c.of }
	flagged, found := map[class]count{}, map[class]map[quantity.Micros]count{}
	repeats, err := published.Repeats()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range repeats {
		runs := r.Runs
		for _, together := range []int{1, 3} {
			if len(runs) <= together {
				continue
			}
			in := class{publishedNetwork(r.Name), together}
			var wrong count
			right := map[quantity.Micros]count{}
			for i := range runs {
				before := runs[i]
				rest := slices.Delete(slices.Clone(runs), i, i+1)
				if together == 3 {
					one, err := Runs(before, rest[0], rest[1])
					if err != nil {
						t.Fatal(err)
					}
					before, rest = one, rest[2:]
				}
				for _, after := range rest {
					wrong.of++
					if changed(t, before, after, in.on) {
						wrong.is++
					}
				}
				for from := i % 3; from+alike <= len(rest[0].Samples); from += 6 {
					for _, factor := range []quantity.Micros{1.1, 1.3, 3} {
						c := right[factor]
						c.of++
						if changed(t, before, slower(rest[0], from, factor), in.on) {
							c.is++
						}
						right[factor] = c
					}
				}
			}
			f := flagged[in]
			flagged[in] = count{f.is + share(wrong), f.of + 1}
			if found[in] == nil {
				found[in] = map[quantity.Micros]count{}
			}
			for factor, c := range right {
				f := found[in][factor]
				found[in][factor] = count{f.is + share(c), f.of + 1}
			}
		}
	}
	for in, c := range flagged {
		f := found[in]
		t.Logf("%s, %d runs of %g measurements: %.1f %% flagged; found of 1.1: %.0f %%, 1.3: %.0f %%, 3: %.0f %%",
			in.on, in.runs, c.of, 100*share(c), 100*share(f[1.1]), 100*share(f[1.3]), 100*share(f[3]))
		if share(c) > 0.05 {
			t.Errorf("%s, %d runs: %.1f %% of unchanged pairs count as changed", in.on, in.runs, 100*share(c))
		}
		least := map[quantity.Micros]float64{3: 0.85} // one of nine shared measurements has 52 % of noise
		if in.on != Shared {
			least[1.3], least[3] = 0.9, 0.95
		}
		if in.runs == 3 {
			least[1.1] = 0.8
		}
		for factor, want := range least {
			if got := share(f[factor]); got < want {
				t.Errorf("%s, %d runs: × %v found in %.0f %%", in.on, in.runs, factor, 100*got)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	line := func(n float64) float64 { return 5 + 0.002*n }
	measure := func(of func(n float64) float64) *Result {
		return fitted(t)(Linear(table(sizes(20, 1, 1<<20), of), Relative))
	}
	changes, err := Compare(measure(line), measure(line), Node)
	if err != nil || len(changes) != 1 || changes[0].Real || changes[0].Ratio.Value != 1 || changes[0].Sizes != 20 {
		t.Errorf("nothing changed: %+v %v", changes, err)
	}
	changes, err = Compare(measure(line), measure(func(n float64) float64 {
		if n > 1<<17 {
			return 2 * line(n)
		}
		return line(n)
	}), Node)
	if err != nil || len(changes) != 2 || changes[0].Real || !changes[1].Real ||
		math.Abs(changes[1].Ratio.Value-2) > 1e-9 || changes[1].From < 1<<17 {
		t.Errorf("large messages take twice as long: %+v %v", changes, err)
	}
	// Two sizes may be outliers, and few sizes have no scatter.
	changes, err = Compare(measure(line), measure(func(n float64) float64 {
		if n > 1<<19 {
			return 2 * line(n)
		}
		return line(n)
	}), Node)
	if err != nil || len(changes) != 1 || changes[0].Real || math.Abs(changes[0].Ratio.High-2) > 1e-9 {
		t.Errorf("an outlier at the end: %+v %v", changes, err)
	}
	few := fitted(t)(Linear(table(sizes(4, 1, 1<<20), line), Relative))
	changes, err = Compare(few, measure(func(n float64) float64 { return 3 * line(n) }), Node)
	if err != nil || changes[0].Real || !math.IsInf(changes[0].Unseen.High, 1) {
		t.Errorf("four sizes: %+v %v", changes, err)
	}
	far := fitted(t)(Linear(table(sizes(10, 1<<22, 1<<24), line), Relative))
	if _, err := Compare(measure(line), far, Node); err == nil || !strings.Contains(err.Error(), "no sizes in common") {
		t.Error(err)
	}
}

// Two neighbours that differ by more than runs do are no change, but are counted.
func TestLone(t *testing.T) {
	var before benchfile.Table
	for n := quantity.Bytes(1); n <= 1<<20; n *= 2 {
		before.Samples = append(before.Samples,
			benchfile.Sample{Size: n, Mean: 1 + quantity.Micros(n)/1e4, Count: 1})
	}
	for slow, lone := range []int{0, 1, 2, 0} {
		after := slower(&before, len(before.Samples)-slow, 2)
		all, err := Compare(fitted(t)(PerSize(&before)), fitted(t)(PerSize(after)), Fabric)
		if err != nil || all[0].Lone != lone || all[len(all)-1].Real != (slow == 3) {
			t.Errorf("%d sizes: %+v, %v", slow, all, err)
		}
	}
}

// A latency shows its network by its smallest message. Other times do not show it.
func TestNetworkOfTimes(t *testing.T) {
	for _, test := range []struct {
		smallest quantity.Micros
		kind     benchfile.Kind
		want     Network
	}{
		{0.3, benchfile.OneWay, Node},
		{1.6, benchfile.OneWay, Fabric},
		{25, benchfile.OneWay, Shared},
		{1.6, benchfile.Gap, Shared},
		{1.6, benchfile.Collective, Shared},
	} {
		table := &benchfile.Table{Kind: test.kind}
		for i := range 6 {
			table.Samples = append(table.Samples, benchfile.Sample{Size: quantity.Bytes(int(1) << i),
				Mean: test.smallest * quantity.Micros(1+i), Count: 1})
		}
		if got := fitted(t)(PerSize(table)).Network(); got != test.want {
			t.Errorf("%v from %v: network %s, want %s", test.kind, test.smallest, got, test.want)
		}
	}
}
