package simulations

import (
	"github.com/halfpeak/halfpeak/ask/programs"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// fastestMachine says by how much a program's fastest machine is faster than another, and whether
// predictions tell such ratios apart.
func fastestMachine(best string, time quantity.Micros, other string, slower quantity.Micros,
) reports.Sentence {
	verdict := fastest(best, time, other, slower)
	if slower > time && float64(slower/time) < 1+programs.WorstRatioError {
		verdict = reports.Say("%v, within the error of such ratios (%.2g to %.2g %%)", verdict,
			100*programs.MedianRatioError, 100*programs.WorstRatioError)
	}
	return verdict
}

// fastest says by how much the best is faster than another.
func fastest(best string, time quantity.Micros, other string, slower quantity.Micros,
) reports.Sentence {
	by := reports.Faster(float64(slower / time))
	if by == reports.Faster(1) {
		return reports.Say("%s and %s are %s, %v", best, other, by, time)
	}
	return reports.Say("%s is fastest, %v: %s than %s, %v", best, time, by, other, slower)
}
