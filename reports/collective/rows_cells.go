package collective

import (
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// segment returns the size of the segments; absent for whole messages.
func segment(c Timing) any {
	return table.OrAbsent(quantity.Bytes(c.Call.Segment), c.Call.Segment > 0)
}

// next returns the runner-up, or an empty timing.
func next(c Timing) Timing {
	if c.Next == nil {
		return Timing{}
	}
	return *c.Next
}

var percentText = table.PercentText("%.1f %%")

// uncertainDigits is the number of digits of times that real ones differ from by a tenth or more:
// of fits, and on a machine on which no collective was measured.
const uncertainDigits = 3
