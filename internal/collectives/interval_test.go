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
	if note := (calibrate.Deviation{}).String(); !strings.Contains(note, "No collective was measured on this machine") {
		t.Error(note)
	}
	// 2.5 µs × 0.38 and 4.2: docs/accuracy.md.
	far := calibrate.Simulated().Of(64, 2.5)
	if math.Abs(far.Low-0.94) > 0.01 || math.Abs(far.High-10.4) > 0.1 {
		t.Errorf("a simulated time of 2.5 µs is %v to %v", far.Low, far.High)
	}
}
