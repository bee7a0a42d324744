package summary

import (
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A report says what its intervals are, and where nothing was measured.
func TestReportOfFit(t *testing.T) {
	d := sharedtest.Must(t, platforms.Open, "../table/testdata/my.toml")
	s := subject{Design: d, fitted: true}
	hi := 16 << 20 * quantity.Bytes(1)
	text := s.summary(hi)
	for _, want := range []string{"fitted to 9 sizes from 16 B to 1 MiB",
		"next measurement of 64 KiB", "in 95 of 100 cases", "Beyond 1 MiB nothing was measured"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %q", want, text)
		}
	}
	if text := s.summary(1 << 20); strings.Contains(text, "Beyond") {
		t.Errorf("all was measured: %q", text)
	}
	numbers := s.numbers(curves.Latency, []quantity.Bytes{16, 64, 2 << 20}, nil)
	beyond := slices.IndexFunc(numbers.Columns, func(c table.Column) bool {
		return c.Head == "extrapolated"
	})
	if beyond < 0 || numbers.Data[0][beyond] != nil || numbers.Data[2][beyond] != "yes" {
		t.Errorf("beyond is not told: %v", numbers.Data)
	}
}
