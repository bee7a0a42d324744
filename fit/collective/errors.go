package collective

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Errors sum up relative errors.
type Errors struct {
	Median, P95, Worst float64
	WorstRanks         int
	WorstSize          quantity.Bytes
}

// A miss is the relative error of the form at a point.
type miss struct {
	Point
	e float64
}

func sumUp(all []miss) (sum Errors) {
	var errs []float64
	for _, m := range all {
		if errs = append(errs, m.e); m.e > sum.Worst {
			sum.Worst, sum.WorstRanks, sum.WorstSize = m.e, m.Ranks, m.Size
		}
	}
	sum.Median, sum.P95 = stats.QuantileOf(errs, 0.5), stats.QuantileOf(errs, 0.95)
	return sum
}

// text lists the errors, with heldOut unless it is NaN.
func (e Errors) text(heldOut float64) string {
	text := fmt.Sprintf("median error %s, 95th percentile %s, worst %s on %d ranks at %s", percent(e.Median), percent(e.P95), percent(e.Worst), e.WorstRanks, e.WorstSize)
	if !math.IsNaN(heldOut) {
		text += "; " + percent(heldOut) + " on numbers of ranks left out"
	}
	return text
}

func percent(v float64) string {
	return fmt.Sprintf("%.*f %%", max(0, 1-int(math.Log10(max(1, 100*v)))), 100*v)
}
