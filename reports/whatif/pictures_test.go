package whatif

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Shares are of the whole: what the owners have adds up, but for those that are too small to show.
func TestSharesPicture(t *testing.T) {
	for _, ref := range []string{"clip", "hp-lam", "parnass", "jam-1394"} {
		for _, gap := range []bool{false, true} {
			q := BreakdownQuestion{Case{After: Of(sharedtest.Must(t, platforms.Open, ref)),
				Sizes: sharedtest.Must(t, quantity.ParseSizes, "1..1MiB")}, true}
			parts, err := q.Ask(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			a := parts.Areas(gap)
			for i, n := range a.XS {
				sum := 0.0
				for _, p := range a.Parts {
					sum += p.Y[i]
				}
				if sum < 95 || sum > 100.001 {
					t.Errorf("%s, gap %t, of %v B: %v %%", ref, gap, n, sum)
				}
			}
		}
	}
}

func TestTornado(t *testing.T) {
	d := Of(sharedtest.Must(t, platforms.Open, "hp-lam"))
	found, err := SensitivityQuestion{Case{After: d, Sizes: []quantity.Bytes{1 << 20}}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tornado := figureOf[table.Tornado](t, found)
	// 1 MiB is all G; a tenth less bandwidth takes a ninth more of 2^20/24 µs.
	first := tornado.Bars[0]
	if !strings.HasPrefix(first.Name, "bulk_bandwidth ") {
		t.Errorf("%+v", tornado.Bars)
	}
	near(t, "with a tenth less bandwidth", first.Less-tornado.Base, (1<<20-1)/24./9, 1e-6)
	if !slices.IsSortedFunc(tornado.Bars[1:], func(a, b table.TornadoBar) int {
		return cmp.Compare(math.Abs(b.Less-tornado.Base), math.Abs(a.Less-tornado.Base))
	}) {
		t.Errorf("not in order: %+v", tornado.Bars)
	}
}
