package table

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// bareFloat formats v with 12 significant digits: enough for any measurement, and few
// enough to be equal on machines that fuse x*y+z, whose results differ in the last
// bits of 16.
func bareFloat(v float64) string { return string(appendFloat(nil, v)) }

// appendFloat appends v, rounded to 12 significant digits, as its shortest text. Numbers below 1e-6
// and those of at least 1e21 have an exponent.
func appendFloat(b []byte, v float64) []byte {
	switch abs := math.Abs(v); {
	case v == math.Trunc(v) && abs < 1e12: // an integer of at most 12 digits
		return strconv.AppendInt(b, int64(v), 10)
	case abs >= 1e-4 && abs < 1e11: // 'g' has no exponent here, which is twice as fast
		return strconv.AppendFloat(b, v, 'g', 12, 64)
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if abs := math.Abs(v); abs < 1e-6 || abs >= 1e21 {
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// AppendNumber appends v as JSON, with 12 significant digits; null if it is not finite.
func AppendNumber(b []byte, v float64) []byte {
	if !finite(v) {
		return append(b, "null"...)
	}
	return appendFloat(b, v)
}

// manyTimes is the percentage from which a change or an error is a factor: 59 ×, not 5850.5 %.
const manyTimes = 900

// Times formats a factor with two significant digits: "1.3 ×", "140 ×".
func Times(factor float64) string { return SignificantPlain(factor, 2) + " ×" }

// Faster says by how much a time is less than another, from their ratio of at least 1: "64 ×
// faster", "0.76 % faster", or "equally fast" if they are printed alike.
func Faster(ratio float64) string {
	switch {
	case ratio < 1.0005:
		return "equally fast"
	case ratio < 1.1:
		return SignificantPlain(100*(ratio-1), 2) + " % faster"
	case math.IsInf(ratio, 0):
		return "faster"
	}
	return SignificantPlain(ratio, 3) + " × faster"
}

// PercentChange formats a relative change: −0.251 is "−25.1 %", 58 is "59 ×".
func PercentChange(part float64) string {
	if 100*part >= manyTimes && finite(part) {
		return Times(1 + part)
	}
	text := fmt.Sprintf("%+.1f %%", 100*part)
	if text == "-0.0 %" {
		text = "+0.0 %" // there is no change, and so no direction
	}
	return Minus(text)
}

// PercentError formats an error in percent with two significant digits: "3.5 %", "120 %". Errors
// below 10⁻⁹ %, which come from rounding, are 0.
func PercentError(percent any) string {
	v := toFloat(percent)
	switch {
	case math.Abs(v) < 1e-9:
		v = 0
	case v >= manyTimes && finite(v):
		return Times(1 + v/100)
	}
	return SignificantPlain(v, 2) + " %"
}

// PercentShare formats a share in percent: "62 %".
func PercentShare(percent any) string { return fmt.Sprintf("%.0f %%", toFloat(percent)) }

// Minus replaces the hyphen of a negative number by a minus sign, which is as wide as
// a plus.
func Minus(number string) string { return strings.Replace(number, "-", "−", 1) }

// toFloat returns the number of a cell of any float type; NaN for others, which is
// printed as a dash.
func toFloat(v any) float64 {
	rv := reflect.ValueOf(v)
	if rv.CanFloat() {
		return rv.Float()
	}
	return math.NaN()
}

// SignificantPlain formats v with up to the given number of significant digits, without trailing
// zeros or an exponent.
func SignificantPlain(v float64, digits int) string {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if err != nil || !finite(r) {
		return "–"
	}
	return strconv.FormatFloat(r+0, 'f', -1, 64) // r+0 is 0 for −0
}

// Significant formats v with the given number of significant digits, including trailing zeros and
// all digits before the point. Only numbers below 1e-4 and at least 1e9 have an exponent.
func Significant(v float64, digits int) string {
	e := strconv.FormatFloat(v, 'e', digits-1, 64)
	exp, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	switch {
	case v == 0:
		return "0"
	case exp < -4 || exp >= 9:
		return e
	default:
		return strconv.FormatFloat(v, 'f', max(0, digits-1-exp), 64)
	}
}

// finite is false for NaN and infinities: v−v is 0 for every other number.
func finite(v float64) bool { return v-v == 0 }

// Numbers are printed in JSON with 12 significant digits, and as null if they are not finite.
type Numbers []float64

// MarshalJSON prints the numbers; none are an empty array.
func (all Numbers) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 2+16*len(all)), '[')
	for i, v := range all {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendNumber(b, v)
	}
	return append(b, ']'), nil
}
