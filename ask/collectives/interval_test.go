package collectives

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/calibrate"
)

// Without an upper end, a note says that it cannot be predicted, and there is none in the table.
// Without an interval, a note says that too.
func TestUntold(t *testing.T) {
	i := calibrate.Interval{High: math.Inf(1), Source: "nothing was measured in a node"}
	c := []Timing{{Time: 3, From: Simulated, Average: 2}}
	if note := i.String(); !strings.Contains(note, "cannot be predicted") {
		t.Error(note)
	}
	Question{Within: i}.addIntervals(c)
	if c[0].Low != 0 || !math.IsNaN(float64(c[0].High)) {
		t.Errorf("%v to %v", c[0].Low, c[0].High)
	}
	if tables := i.Constants(); len(tables) != 1 {
		t.Errorf("%d constants", len(tables))
	}
	if note := (calibrate.Interval{}).String(); !strings.Contains(note, "is not known") {
		t.Error(note)
	}
}
