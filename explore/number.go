package explore

import (
	"github.com/halfpeak/halfpeak/reports"
)

// A Number is printed with 12 significant digits, or as null if it is not finite.
type Number float64

// MarshalJSON prints the number.
func (n Number) MarshalJSON() ([]byte, error) { return reports.AppendNumber(nil, float64(n)), nil }

// optional returns the number if it is known, else nil.
func optional(v float64, is bool) *Number {
	if !is {
		return nil
	}
	n := Number(v)
	return &n
}
