package collective

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

func figure(t *Times) (table.Picture, error) { return Answer{Times: []*Times{t}}.Figure() }

func lineLayer() platforms.Design {
	return platforms.Design{Layer: platforms.Layer{Platform: "a", Name: "b",
		Model: &model.Linear{Beta: 2, Tau: 0.5}}}
}

// Crossovers are where trying one size and one number of ranks after the other finds them.
func TestCollectiveCrossovers(t *testing.T) {
	q := Calls{Collective: "allreduce", Algorithm: "all", Ranks: []int{4, 7, 8},
		Sizes: []quantity.Bytes{1, 40, 300}}
	times, err := q.On(context.Background(), lineLayer())
	if err != nil {
		t.Fatal(err)
	}
	found, err := crossovers(context.Background(), times, true)
	if err != nil {
		t.Fatal(err)
	}
	// By trying all sizes and all ranks.
	best := func(ranks int, size quantity.Bytes) string {
		q := q
		q.Ranks, q.Sizes = []int{ranks}, []quantity.Bytes{size}
		all, err := q.On(context.Background(), lineLayer())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all.Times {
			if c.Best {
				return c.Name
			}
		}
		t.Fatal("none is the best")
		return ""
	}
	over := map[string]int{}
	for _, c := range found {
		over[c.Over]++
		ranks, size := c.Best.Ranks, quantity.Bytes(c.Best.Call.Bytes)
		before, sizeBefore := ranks-1, size
		if c.Over == "size" {
			before, sizeBefore = ranks, size-1
		}
		if best(ranks, size) != c.Best.Name || best(before, sizeBefore) != c.Before.Name || c.Best.Name == c.Before.Name {
			t.Errorf("over %s at %d ranks, %v: %s after %s; the best are %s after %s", c.Over, ranks, size, c.Best.Name, c.Before.Name, best(ranks, size), best(before, sizeBefore))
		}
	}
	first := quantity.Bytes(0)
	for n := quantity.Bytes(1); best(8, n) == best(8, 1); n++ {
		first = n + 1
	}
	seen := false
	for _, c := range found {
		seen = seen || c.Over == "size" && c.Best.Ranks == 8 && quantity.Bytes(c.Best.Call.Bytes) == first
	}
	if !seen || over["ranks"] == 0 {
		t.Errorf("of 8 ranks the best changes at %v; found %+v", first, over)
	}
	if rows := crossoverRows(found, ""); len(rows.Data) != len(found) {
		t.Error("rows are missing")
	}
}

func TestCollectiveMap(t *testing.T) {
	q := Calls{Collective: "allreduce", Algorithm: "all", Ranks: []int{2, 4, 8},
		Sizes: []quantity.Bytes{1, 1024}}
	times, err := q.On(context.Background(), lineLayer())
	if err != nil {
		t.Fatal(err)
	}
	m := regions(times)
	if len(m.At) != 3 || len(m.Z) != 3 || len(m.At[0]) != 2 {
		t.Fatalf("%+v", m)
	}
	for _, c := range times.Times {
		j, i := map[int]int{2: 0, 4: 1, 8: 2}[c.Ranks], 0
		if c.Call.Bytes > 1 {
			i = 1
		}
		if c.Best && m.Names[m.At[j][i]] != c.Name {
			t.Errorf("%d ranks, %d B: %s, not %s", c.Ranks, c.Call.Bytes, m.Names[m.At[j][i]], c.Name)
		}
		if c.Slower > 0 && !(m.Z[j][i] <= c.Slower) {
			t.Errorf("%d ranks, %d B: loss %v, but %s takes %v %% longer", c.Ranks, c.Call.Bytes, m.Z[j][i], c.Name, c.Slower)
		}
	}
	// 8 ranks, 1 B: recursive doubling takes 3(2 + 1/2) = 7.5, and so do the rings and
	// Rabenseifner's of MPICH, which fall back to it; next comes a binomial reduce and broadcast
	// with 15.
	if loss := m.Z[2][0]; math.Abs(loss-100) > 1e-9 {
		t.Errorf("loss %v %%, want 100", loss)
	}
	// Other segments of the best are no other algorithm.
	two := func(name string) Cell { return Cell{Entry: collective.Entry{Name: name}, Ranks: 2} }
	segmented := Times{Algorithms: times.Algorithms, Times: []Timing{
		{Cell: two("pipeline"), Compared: true, Best: true},
		{Cell: two("pipeline"), Compared: true, Slower: 4.7},
		{Cell: two("binomial"), Compared: true, Slower: 30},
	}}
	if loss := regions(&segmented).Z[0][0]; loss != 30 {
		t.Errorf("loss %v %% with segments, want 30", loss)
	}
	p, err := figure(times)
	if _, ok := p.(table.RegionMap); !ok || err != nil {
		t.Errorf("no map of several ranks and sizes (%v)", err)
	}
	q.Ranks = []int{4}
	if times, err = q.On(context.Background(), lineLayer()); err != nil {
		t.Fatal(err)
	}
	p, err = figure(times)
	f, ok := p.(table.Figure)
	if !ok {
		t.Fatalf("no curves of one number of ranks (%v)", err)
	}
	names := map[string]bool{}
	for _, s := range f.Series {
		for name := range strings.SplitSeq(s.Name, ", ") {
			names[name] = true
		}
	}
	for _, c := range times.Times {
		if own := c.Runs(c.Ranks, c.Call).Name == c.Name; own && !names[c.Name] {
			t.Errorf("no curve of %s", c.Name)
		}
	}
	// On 64 ranks a ring of 8 B is recursive doubling, whose line it has.
	few := Calls{Collective: "allreduce", Algorithm: "ring", Ranks: []int{64}, Sizes: []quantity.Bytes{1, 8}}
	if times, err = few.On(context.Background(), lineLayer()); err != nil {
		t.Fatal(err)
	}
	p, err = figure(times)
	// The band is that of simulations of other machines.
	if f, ok := p.(table.Figure); !ok || err != nil || len(f.Series) != 2 || f.Series[1].Kind != table.Band || f.Series[0].Name != "ring (recursive-doubling)" || len(f.Series[0].X) != 2 {
		t.Errorf("%+v, %v", p, err)
	}
	q.Sizes = q.Sizes[:1]
	if times, err = q.On(context.Background(), lineLayer()); err != nil {
		t.Fatal(err)
	}
	if p, err := figure(times); err == nil {
		t.Errorf("one call is drawn as %T", p)
	}
}

// fittedTimes returns times of one algorithm that were fitted on 8 to 512 ranks, of which the first
// three numbers were measured at the sizes of the times and at another one.
func fittedTimes(sizes ...uint64) *Times {
	t := &Times{}
	e := collective.Entry{Name: "measured", Collective: "allreduce"}
	t.Algorithms = []collective.Entry{e}
	for i, ranks := range []int{8, 16, 32, 64, 128, 256, 512} {
		for k, bytes := range append(slices.Clone(sizes), 1) {
			at := Timing{Cell: Cell{Entry: e, Ranks: ranks, Call: collective.Call{Bytes: bytes}},
				Estimate: Estimate{Time: quantity.Micros(ranks),
					Within: quantity.Interval{Value: 9, Low: 8, High: 10}}}
			if i < 3 {
				t.Measured = append(t.Measured, at)
			}
			if k < len(sizes) {
				t.Times = append(t.Times, at)
			}
		}
	}
	return t
}

// Over ranks, points are those of the size; over sizes, lines stand in the order of their ranks, and
// of many bands the last is drawn.
func TestFittedPicture(t *testing.T) {
	for _, s := range curves(fittedTimes(1024)).Series {
		if s.Kind == table.Points && len(s.X) != 3 {
			t.Errorf("%d points of 3 numbers of ranks", len(s.X))
		}
	}
	times := fittedTimes(1024, 4096)
	times.Machine = "cluster"
	f := curves(times)
	var names, bands []string
	for _, s := range f.Series {
		if !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
		if s.Kind == table.Band {
			bands = append(bands, s.Name)
		}
	}
	if got, want := strings.Join(names, " "), "8 16 32 64 128 256 512"; strings.ReplaceAll(got, " ranks", "") != want {
		t.Errorf("the legend has %s", got)
	}
	if f.Title != "allreduce on cluster" || f.Notes[0] != "Points: measured. Lines: predicted." {
		t.Errorf("title %q, notes %q", f.Title, f.Notes)
	}
	if len(bands) != 1 || bands[0] != "512 ranks" || !strings.HasPrefix(f.Notes[1], "Band of 512 ranks") {
		t.Errorf("bands %q, notes %q", bands, f.Notes)
	}
}

// Of more lines than there are colours, those that are never near the fastest are named in a note.
func TestSlowLinesAreNamed(t *testing.T) {
	var lines []table.Series
	for i := range 10 { // line 9 is the fastest at x = 2, and line 4 the farthest everywhere
		y := []float64{10 + float64(i), 10 + float64(9-i)}
		if i == 4 {
			y = []float64{1000, 1000}
		}
		lines = append(lines, table.Series{Name: string(rune('a' + i)), X: []float64{1, 2}, Y: y})
	}
	kept, slow := fastest(lines)
	if len(kept) != maxLines || len(slow) != 2 || !slices.Contains(slow, "e") {
		t.Errorf("%d lines, and %q are left out", len(kept), slow)
	}
}
