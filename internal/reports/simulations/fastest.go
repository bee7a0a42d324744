package simulations

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// fastest says by how much the best is faster than another: as a factor, or in percent if that is
// little.
func fastest(best string, time quantity.Micros, other string, slower quantity.Micros,
) reports.Sentence {
	by, ratio := "", float64(slower/time)
	switch {
	case ratio < 1.0005: // the times are printed alike
		return reports.Say("%s and %s are equally fast, %v", best, other, time)
	case ratio < 1.1:
		by = reports.PercentText("%.2g %%")(100*(ratio-1)) + " "
	case !math.IsInf(ratio, 0):
		by = reports.Times(ratio) + " "
	}
	return reports.Say("%s is fastest, %v: %sfaster than %s, %v", best, time, by, other, slower)
}
