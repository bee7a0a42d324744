package fits

import (
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// estimated returns an estimate as reports print it: their intervals have a dimension
// in place of a type.
func estimated[T ~float64](dim quantity.Dimension, e fit.Estimate[T]) reports.Interval {
	in := quantity.Interval{Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High)}
	return reports.Interval{Dim: dim, Interval: in}
}
