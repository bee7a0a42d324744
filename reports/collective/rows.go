package collective

import "github.com/halfpeak/halfpeak/reports/table"

// Rows tabulates what was wanted: the comparison with measurements, the crossovers, or the times.
// Several machines are compared by their best times of each call.
func (a Answer) Rows() table.Rows {
	switch {
	case a.Comparison != nil:
		return a.Comparison.rows()
	case a.crossovers:
		return crossoverRows(a.Crossovers, a.Times[0].On)
	case len(a.Times) > 1:
		return machineRows(a.Times)
	}
	return a.timeRows()
}
