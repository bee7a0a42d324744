package collective

import (
	"github.com/halfpeak/halfpeak/reports/table"
)

// machineRows is left out of the page, which asks about one machine at a time.
func machineRows([]*Times) table.Rows { panic("several machines on the page") }
