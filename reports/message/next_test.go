package message

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A figure's bands are the intervals of predict, and paler exactly where that says beyond.
func TestBandsArePredictions(t *testing.T) {
	d := sharedtest.Must(t, platforms.Open, "../table/testdata/my.toml")
	sizes := sharedtest.Must(t, quantity.ParseSizes, "1..4MiB/4")
	for _, kind := range []curves.Kind{curves.Bandwidth, curves.Latency} {
		f, err := curves.Figure(kind, sizes, d)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[float64]bool{}
		for _, s := range f.Series {
			if s.Kind != table.Band && s.Kind != table.Beyond {
				continue
			}
			for i, x := range s.X {
				next := Cost(d, quantity.Bytes(x)).Next
				low, high := kind.Row().FromOneWay(quantity.Bytes(x), quantity.Micros(next.Low)),
					kind.Row().FromOneWay(quantity.Bytes(x), quantity.Micros(next.High))
				if math.Abs(math.Min(low, high)-s.Low[i]) > 1e-9*low ||
					math.Abs(math.Max(low, high)-s.High[i]) > 1e-9*high {
					t.Errorf("%s, %v: %v to %v, predicted %v to %v", kind, x, s.Low[i], s.High[i],
						low, high)
				}
				edge := x == 16 || x == 1<<20 // where the bands meet
				if (s.Kind == table.Beyond) != next.Beyond() && !edge {
					t.Errorf("%s, %v: %s, but beyond is %v", kind, x, s.Kind, next.Beyond())
				}
				seen[x] = true
			}
		}
		for _, n := range sizes {
			if !seen[float64(n)] {
				t.Errorf("%s, %s: no band", kind, n)
			}
		}
		points := slices.IndexFunc(f.Series, func(s table.Series) bool {
			return s.Kind == table.Points
		})
		if points < 0 || len(f.Series[points].X) != len(d.Layer.Measured.Sizes) {
			t.Errorf("%s: the points measured are not all drawn", kind)
		}
		if len(f.Notes) != 3 || !strings.Contains(f.Notes[2], "beyond") {
			t.Errorf("%s: notes %q", kind, f.Notes)
		}
	}
	changed, err := d.Set("beta*=2")
	if err != nil {
		t.Fatal(err)
	}
	f, err := curves.Figure(curves.Latency, sizes, changed)
	if err != nil || len(f.Series) != 1 {
		t.Errorf("a changed design has no next measurement, but %d series, %v", len(f.Series), err)
	}
}

// A line ends where its interval does, with a note that says why.
func TestLinesEndWithIntervals(t *testing.T) {
	d := sharedtest.Must(t, platforms.Open, "../table/testdata/my.toml")
	sizes := sharedtest.Must(t, quantity.ParseSizes, "1KiB..64GiB")
	f, err := curves.Figure(curves.Latency, sizes, d)
	if err != nil {
		t.Fatal(err)
	}
	ends := map[table.SeriesKind]float64{}
	for _, s := range f.Series {
		for i, x := range s.X {
			if !math.IsNaN(s.Y[i]) {
				ends[s.Kind] = max(ends[s.Kind], x)
			}
		}
	}
	if ends[table.Line] != ends[table.Beyond] || ends[table.Line] >= 64<<30 {
		t.Errorf("the lines end at %v", ends)
	}
	if !strings.Contains(strings.Join(f.Notes, " "), "A line ends where there is no interval") {
		t.Errorf("notes %q", f.Notes)
	}
}
