package simulations

import (
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// fastest says by how much the best is faster than another.
func fastest(best string, time quantity.Micros, other string, slower quantity.Micros,
) reports.Sentence {
	by := reports.Faster(float64(slower / time))
	if by == reports.Faster(1) {
		return reports.Say("%s and %s are %s, %v", best, other, by, time)
	}
	return reports.Say("%s is fastest, %v: %s than %s, %v", best, time, by, other, slower)
}
