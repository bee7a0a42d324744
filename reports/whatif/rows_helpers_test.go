package whatif

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func nearRows(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

// sweep returns the sweep of these quantities over the ranges.
func sweepRows(t *testing.T, ref string, sizes []quantity.Bytes, names []string,
	ranges ...string) *Sweep {
	t.Helper()
	d := Of(sharedtest.Must(t, platforms.Open, ref))
	s := &Sweep{Design: d, Sizes: sizes}
	var err error
	if s.Quantities, err = d.Quantities(names...); err != nil {
		t.Fatal(err)
	}
	for _, text := range ranges {
		s.Ranges = append(s.Ranges, sharedtest.Must(t, d.Searched, text))
	}
	return s
}

// largeSweep returns a sweep of 90,000 rows.
func largeSweep(t *testing.T) *Sweep {
	t.Helper()
	return sweepRows(t, "clip", []quantity.Bytes{64 << 10}, []string{"gap"},
		"host-dma.tau=1us/KiB..8us/KiB/300", "wire.tau=1us/KiB..8us/KiB/300")
}
