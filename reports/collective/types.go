package collective

import "github.com/halfpeak/halfpeak/internal/collectives"

// What is asked and answered of collectives, as [collectives] has it.
type (
	Calls    = collectives.Calls
	Cell     = collectives.Cell
	Estimate = collectives.Estimate
	Times    = collectives.Times
	Timing   = collectives.Timing
	Place    = collectives.Place
)
