package lex

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// LeadingNumber parses the decimal number at the beginning of text, and returns the rest. It finds
// the end itself, since strconv takes the whole text, and accepts words (Inf, NaN) and hexadecimal
// digits that would hide a unit. A number too small for a float64 becomes 0; one too large is an
// error.
func LeadingNumber(text string) (float64, string, error) {
	end := 0
	if end < len(text) && (text[end] == '+' || text[end] == '-') {
		end++
	}
	for digits := true; digits && end < len(text); {
		c := text[end]
		switch {
		case c >= '0' && c <= '9' || c == '.':
			end++
		// Without digits behind it, an e begins a unit, not an exponent.
		case (c == 'e' || c == 'E') && IsExponent(text[end+1:]):
			end += 2 // the digits behind it follow
		default:
			digits = false
		}
	}
	v, err := strconv.ParseFloat(text[:end], 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, text, errors.New("no number")
	}
	if math.IsInf(v, 0) {
		return 0, text, fmt.Errorf("number %s is too large", text[:end])
	}
	return v + 0, text[end:], nil // -0 + 0 is 0, so no result prints as -0
}

// IsExponent reports whether rest continues the exponent of a number: "3", "-6".
func IsExponent(rest string) bool {
	if len(rest) > 1 && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	return rest != "" && rest[0] >= '0' && rest[0] <= '9'
}
