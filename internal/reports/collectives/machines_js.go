package collectives

import (
	"github.com/halfpeak/halfpeak/ask/collectives"
	"github.com/halfpeak/halfpeak/internal/reports"
)

// machineRows is left out of the page, which asks about one machine at a time.
func machineRows([]*collectives.Times) reports.Rows { panic("several machines on the page") }
