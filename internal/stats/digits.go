package stats

import "strconv"

// Digits returns v with this many significant digits.
func Digits(v float64, digits int) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return v
}
