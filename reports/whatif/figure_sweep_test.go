package whatif

import (
	"context"
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

func TestGrid(t *testing.T) {
	s := sweep(t, "hp-lam", []quantity.Bytes{16}, []string{"gap", "one_way"}, "o_r=0us..3us/4", "o_s=0us..1us/2")
	s.Shown = 1
	grid := newGrid(s, 2)
	s.Watch = append(s.Watch, grid.add)
	if err := s.Run(context.Background(), nil, nil); err != nil {
		t.Fatal(err)
	}
	g := (&Swept{Sweep: s, collect: grid}).heatMap()
	base := 5.3 + 15/24. // L and 15 bytes at 24 MB/s
	want := [][]float64{{base + 0.5, base + 2.5}, {base + 1.5, base + 3.5}}
	for y := range want {
		for x := range want[y] {
			if math.Abs(g.Z[y][x]-want[y][x]) > 1e-12 {
				t.Errorf("cell %d, %d is %v, want %v", x, y, g.Z[y][x], want[y][x])
			}
		}
	}
	if g.XS[0] != 0.5 || g.XS[1] != 2.5 || g.YS[1] != 1 {
		t.Errorf("middles %v, %v", g.XS, g.YS)
	}
}

// Lines of several sizes are named by them; a single line is named by the title alone. Values over
// more than two decades have a logarithmic axis, on which the low lines are apart.
func TestSweepLines(t *testing.T) {
	for _, c := range []struct {
		sizes []quantity.Bytes
		title string
		log   bool
	}{
		{[]quantity.Bytes{1024}, "hp-lam/gam: one-way time of 1 KiB", false},
		{[]quantity.Bytes{1, 1 << 20}, "hp-lam/gam: one-way time", true},
	} {
		s := sweep(t, "hp-lam", c.sizes, []string{"one_way"}, "L=1us..10us/4")
		lines := newLines(s)
		s.Watch = append(s.Watch, lines.add)
		if err := s.Run(context.Background(), nil, nil); err != nil {
			t.Fatal(err)
		}
		f := figureOf[table.Figure](t, &Swept{Sweep: s, collect: lines})
		named := f.Series[0].Name != ""
		if f.Title != c.title || f.Y.Log != c.log || named != (len(c.sizes) > 1) {
			t.Errorf("%q, logarithmic %v, the first line is %q", f.Title, f.Y.Log, f.Series[0].Name)
		}
	}
}
