package fits

import (
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// interval returns an estimate without its type; tables have a dimension instead.
func interval[T ~float64](e fit.Estimate[T]) quantity.Interval {
	return quantity.Interval{Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High)}
}
