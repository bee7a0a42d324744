package judge

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// ConstantWidth returns the answers with the simplest interval: the same ratio of each end to the
// value, so that it holds 95 % of the measurements of the question on all other machines.
func ConstantWidth(all []Answer) (rival []Answer) {
	count := map[string]float64{}
	for _, a := range all {
		count[a.Machine]++
	}
	ends := map[string][2]float64{}
	for machine := range count {
		var off, weight []float64
		for _, a := range all {
			if a.Machine != machine {
				off = append(off, math.Log(a.Measured/a.Value))
				weight = append(weight, 1/count[a.Machine])
			}
		}
		if len(off) == 0 {
			continue
		}
		stat.SortWeighted(off, weight)
		low := stat.Quantile((1-Level)/2, stat.Empirical, off, weight)
		high := stat.Quantile((1+Level)/2, stat.Empirical, off, weight)
		ends[machine] = [2]float64{min(0, low), max(0, high)}
	}
	for _, a := range all {
		e, known := ends[a.Machine]
		if !known {
			continue
		}
		a.Low, a.High = a.Value*math.Exp(e[0]), a.Value*math.Exp(e[1])
		rival = append(rival, a)
	}
	return rival
}
