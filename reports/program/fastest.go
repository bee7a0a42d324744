package program

import (
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// fastestMachine says by how much a program's fastest machine is faster than another, and whether
// predictions tell such ratios apart.
func fastestMachine(best string, time quantity.Micros, other string, slower quantity.Micros,
) table.Sentence {
	verdict := fastest(best, time, other, slower)
	if slower > time && float64(slower/time) < 1+WorstRatioError {
		verdict = table.Say("%v, within the error of such ratios (%.2g to %.2g %%)", verdict,
			100*MedianRatioError, 100*WorstRatioError)
	}
	return verdict
}

// fastest says by how much the best is faster than another.
func fastest(best string, time quantity.Micros, other string, slower quantity.Micros,
) table.Sentence {
	by := table.Faster(float64(slower / time))
	if by == table.Faster(1) {
		return table.Say("%s and %s are %s, %v", best, other, by, time)
	}
	return table.Say("%s is fastest, %v: %s than %s, %v", best, time, by, other, slower)
}
