package collectives

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
	if note := i.String(); !strings.Contains(note, "cannot be predicted") {
		t.Error(note)
	}
	if within := i.Of(2, 3); within.Low != 0 || !math.IsInf(within.High, 1) {
		t.Errorf("%v to %v", within.Low, within.High)
	}
	if tables := i.Constants(); len(tables) != 1 {
		t.Errorf("%d constants", len(tables))
	}
	if note := (calibrate.Deviation{}).String(); !strings.Contains(note, "real times were 0.38 to 4.2 times these") {
		t.Error(note)
	}
}
