package benchfile

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// A number is a decimal number with its printed precision.
type number struct {
	value float64
	// exp is the decimal exponent of the last digit: −2 for 0.30, −7 for 1.2e-6.
	exp int
}

// pow10 holds the powers of ten that float64 represents exactly.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parse parses a decimal number; NaN and infinities are not numbers. The result is identical to
// strconv's: a mantissa below 2⁵³ times or over an exact power of ten is rounded once (Clinger
// 1990), and strconv parses all other numbers.
func parse(text []byte) (number, bool) {
	i, negative := 0, false
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		i++
	}
	var mantissa uint64
	digits, point, exp := 0, false, 0
	for ; i < len(text); i++ {
		c := text[i]
		if c >= '0' && c <= '9' {
			if digits++; digits > 15 {
				return parseSlow(text)
			}
			mantissa = mantissa*10 + uint64(c-'0')
			if point {
				exp--
			}
		} else if c == '.' && !point {
			point = true
		} else {
			return parseSlow(text)
		}
	}
	if digits == 0 {
		return number{}, false
	}
	v := float64(mantissa) / pow10[-exp]
	if negative {
		v = -v
	}
	return number{v, exp}, true
}

func parseSlow(text []byte) (number, bool) {
	if digits := bytes.TrimLeft(text[:min(2, len(text))], "+-"); len(digits) == 0 || digits[0] != '.' && (digits[0] < '0' || digits[0] > '9') {
		return number{}, false // the first letter excludes most words
	}
	if len(text) > 64 || bytes.ContainsAny(text, "xXpP_iInN") {
		return number{}, false // hexadecimal, underscores, Inf and NaN
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return number{}, false
	}
	mantissa, exponent, _ := bytes.Cut(bytes.ToLower(text), []byte("e"))
	exp, _ := strconv.Atoi(string(exponent))
	if _, decimals, ok := bytes.Cut(mantissa, []byte(".")); ok {
		exp -= len(decimals)
	}
	return number{v, exp}, true
}

// parseDecimal parses a number with a decimal comma.
func parseDecimal(text []byte) (number, bool) {
	i := bytes.IndexByte(text, ',')
	if i < 0 || len(text) > 64 || bytes.IndexByte(text, '.') >= 0 {
		return number{}, false
	}
	var point [64]byte
	copy(point[:], text)
	point[i] = '.'
	return parse(point[:len(text)])
}

// numbers parses all fields, and reports whether all are numbers.
func numbers(texts [][]byte, into []number) bool {
	for i, text := range texts {
		var ok bool
		if into[i], ok = parse(text); !ok {
			return false
		}
	}
	return true
}

// quantum returns the value of one unit of the number's last digit.
func (n number) quantum() float64 { return math.Pow10(n.exp) }

func itoa(n int) string { return strconv.Itoa(n) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
