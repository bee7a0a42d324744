package collectives

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/contention"
)

// Without an upper end, a note says that it cannot be predicted, and there is none in the table.
// Without an interval, a note says that too.
func TestUntold(t *testing.T) {
	i := contention.Intervals{Any: contention.Interval{High: math.Inf(1), Source: "nothing was measured in a node"}}
	c := []Timing{{Time: 3, From: Simulated, Average: 2}}
	if notes := intervalNotes(i, c); len(notes) != 1 || !strings.Contains(notes[0], "cannot be predicted") {
		t.Error(notes)
	}
	Question{Within: i}.addIntervals(c)
	if c[0].Low != 0 || !math.IsNaN(float64(c[0].High)) {
		t.Errorf("%v to %v", c[0].Low, c[0].High)
	}
	if tables := i.Tables(); len(tables) != 1 {
		t.Errorf("%d constants", len(tables))
	}
	if notes := intervalNotes(contention.Intervals{}, c); len(notes) != 1 || notes[0] != unsure {
		t.Error(notes)
	}
}
