package benchmarks

import (
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Of five files with the same calls, two take 6 and 11 times as long: they have another setting.
// Jobs that differ by a half do not.
func TestApart(t *testing.T) {
	runsOf := func(factors ...float64) (all []run) {
		for i, f := range factors {
			r := run{name: string(rune('a' + i))}
			for n := quantity.Bytes(8); n <= 4096; n *= 8 {
				r.points = append(r.points, fitted.Point{
					Ranks: 16, PerNode: 4, Size: n, Time: quantity.Micros(20 * f), Count: 1,
				})
			}
			all = append(all, r)
		}
		return all
	}
	note := apart(runsOf(1, 6, 1.2, 11, 1.1)).Text
	if !strings.HasPrefix(note, "2 of 5 tables") || !strings.Contains(note, "6 to 11 times") ||
		!strings.Contains(note, "(b, d)") {
		t.Error(note)
	}
	if note := apart(runsOf(1, 1.5, 1.2)).Text; note != "" {
		t.Error(note)
	}
	// Other numbers of ranks are other calls.
	other := runsOf(1, 10)
	for i := range other[1].points {
		other[1].points[i].Ranks = 64
	}
	if note := apart(other).Text; note != "" {
		t.Error(note)
	}
}
