package whatif

import (
	"context"
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

func TestGrid(t *testing.T) {
	s := sweep(t, "hp-lam", []quantity.Bytes{16}, []string{"gap", "one_way"}, "o_r=0us..3us/4", "o_s=0us..1us/2")
	drawn := drawMap(s, 1, 2)
	if err := s.Run(context.Background(), nil, nil); err != nil {
		t.Fatal(err)
	}
	g := drawn()
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
