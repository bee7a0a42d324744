package fit

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// runName matches the part of a published table's name that distinguishes the runs of one
// measurement.
var runName = regexp.MustCompile(`run_\d+|iter-\d+(-\d+)?|-\d+\.out| \(\d+\)$`)

// publishedRuns returns the runs of each published measurement that has several, at most six.
func publishedRuns(t *testing.T) map[string][]*benchfile.Table {
	curves, err := published.Curves()
	if err != nil {
		t.Fatal(err)
	}
	runs := map[string][]*benchfile.Table{}
	for _, c := range curves {
		if len(c.Samples) < 6 || c.Kind == benchfile.Interval {
			continue
		}
		name := runName.ReplaceAllString(c.File, "") + ", " + runName.ReplaceAllString(c.Title, "") +
			fmt.Sprint(c.Kind, c.Collective, c.Series)
		if len(runs[name]) < 6 {
			runs[name] = append(runs[name], &c.Table)
		}
	}
	for name, all := range runs {
		if len(all) < 2 {
			delete(runs, name)
		}
	}
	return runs
}

func changed(t *testing.T, before, after *benchfile.Table) bool {
	t.Helper()
	changes, err := Compare(fitted(t)(PerSize(before)), fitted(t)(PerSize(after)))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(changes, func(c Change) bool { return c.Real })
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

// Runs of one unchanged system are called changed in at most 5 of 100 pairs, in the mean over the
// published measurements, and times that grow from some size on are found. Of one run each, 10 %
// are less than machines differ from run to run; of two runs they are found.
func TestUnchanged(t *testing.T) {
	type count struct{ is, of float64 }
	share := func(c count) float64 { return c.is / c.of }
	for _, together := range []int{1, 2} {
		var flagged count // means over measurements
		found := map[quantity.Micros]count{}
		for name, runs := range publishedRuns(t) {
			if len(runs) <= together {
				continue
			}
			var wrong count
			right := map[quantity.Micros]count{}
			for i := range runs {
				before := runs[i]
				rest := slices.Delete(slices.Clone(runs), i, i+1)
				if together == 2 {
					one, err := Runs(before, rest[0])
					if err != nil {
						t.Fatal(err)
					}
					before, rest = one, rest[1:]
				}
				for _, after := range rest {
					wrong.of++
					if changed(t, before, after) {
						wrong.is++
					}
				}
				for from := i % 3; from+alike <= len(rest[0].Samples); from += 6 {
					for _, factor := range []quantity.Micros{1.1, 1.3, 2} {
						c := right[factor]
						c.of++
						if changed(t, before, slower(rest[0], from, factor)) {
							c.is++
						}
						right[factor] = c
					}
				}
			}
			if wrong.is > 0 {
				t.Logf("%d runs: %g of %g pairs of %s", together, wrong.is, wrong.of, name)
			}
			flagged.is, flagged.of = flagged.is+share(wrong), flagged.of+1
			for factor, c := range right {
				f := found[factor]
				found[factor] = count{f.is + share(c), f.of + 1}
			}
		}
		t.Logf("%d runs of %g measurements: %.1f %% flagged; found of 1.1: %.0f %%, 1.3: %.0f %%, 2: %.0f %%",
			together, flagged.of, 100*share(flagged),
			100*share(found[1.1]), 100*share(found[1.3]), 100*share(found[2]))
		if share(flagged) > 0.05 {
			t.Errorf("%d runs: %.1f %% of unchanged pairs count as changed", together, 100*share(flagged))
		}
		least := map[quantity.Micros]float64{1.3: 0.8, 2: 0.95}
		if together == 2 {
			least[1.1] = 0.85
		}
		for factor, want := range least {
			if got := share(found[factor]); got < want {
				t.Errorf("%d runs: × %v found in %.0f %%", together, factor, 100*got)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	line := func(n float64) float64 { return 5 + 0.002*n }
	measure := func(of func(n float64) float64) *Result {
		return fitted(t)(Linear(table(sizes(20, 1, 1<<20), of), Relative))
	}
	changes, err := Compare(measure(line), measure(line))
	if err != nil || len(changes) != 1 || changes[0].Real || changes[0].Ratio.Value != 1 || changes[0].Sizes != 20 {
		t.Errorf("nothing changed: %+v %v", changes, err)
	}
	changes, err = Compare(measure(line), measure(func(n float64) float64 {
		if n > 1<<17 {
			return 2 * line(n)
		}
		return line(n)
	}))
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
	}))
	if err != nil || len(changes) != 1 || changes[0].Real || math.Abs(changes[0].Ratio.High-2) > 1e-9 {
		t.Errorf("an outlier at the end: %+v %v", changes, err)
	}
	few := fitted(t)(Linear(table(sizes(4, 1, 1<<20), line), Relative))
	changes, err = Compare(few, measure(func(n float64) float64 { return 3 * line(n) }))
	if err != nil || changes[0].Real || !math.IsInf(changes[0].Unseen.High, 1) {
		t.Errorf("four sizes: %+v %v", changes, err)
	}
	far := fitted(t)(Linear(table(sizes(10, 1<<22, 1<<24), line), Relative))
	if _, err := Compare(measure(line), far); err == nil || !strings.Contains(err.Error(), "no sizes in common") {
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
		all, err := Compare(fitted(t)(PerSize(&before)), fitted(t)(PerSize(after)))
		if err != nil || all[0].Lone != lone || all[len(all)-1].Real != (slow == 3) {
			t.Errorf("%d sizes: %+v, %v", slow, all, err)
		}
	}
}
