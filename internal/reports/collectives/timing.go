package collectives

import (
	"github.com/halfpeak/halfpeak/ask/collectives"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// segment returns the size of the segments; absent for whole messages.
func segment(c collectives.Timing) any {
	return reports.OrAbsent(quantity.Bytes(c.Call.Segment), c.Call.Segment > 0)
}

// next returns the runner-up, or an empty timing.
func next(c collectives.Timing) collectives.Timing {
	if c.Next == nil {
		return collectives.Timing{}
	}
	return *c.Next
}

var percentText = reports.PercentText("%.1f %%")

// uncertainDigits is the number of digits of times that real ones differ from by a tenth or more:
// of fits, and on a machine on which no collective was measured.
const uncertainDigits = 3
