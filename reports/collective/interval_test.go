package collective

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Without an upper end, a note says that it cannot be predicted, and there is none in the table.
// Without an interval, a note says that too.
func TestUntold(t *testing.T) {
	i := calibrate.Deviation{Ratio: quantity.Interval{Value: 1, High: math.Inf(1)},
		Source: "nothing was measured in a node"}
	c := []Timing{{Time: 3, From: Simulated, Average: 2}}
	if note := i.String(); !strings.Contains(note, "cannot be predicted") {
		t.Error(note)
	}
	question{within: i}.addIntervals(c)
	if c[0].Within.Low != 0 || !math.IsInf(c[0].Within.High, 1) {
		t.Errorf("%v to %v", c[0].Within.Low, c[0].Within.High)
	}
	if tables := i.Constants(); len(tables) != 1 {
		t.Errorf("%d constants", len(tables))
	}
	if note := (calibrate.Deviation{}).String(); !strings.Contains(note, "real times were 0.38 to 4.2 times these") {
		t.Error(note)
	}
}
