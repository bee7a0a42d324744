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

// Numbers are printed as each would be alone.
type Numbers []float64

// MarshalJSON prints the numbers; none are an empty array.
func (all Numbers) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 2+16*len(all)), '[')
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = reports.AppendNumber(b, v)
	}
	return append(b, ']'), nil
}
