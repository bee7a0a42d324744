// Package lex reads the text of a benchmark's output: the lines of a file, whether it is compressed
// or in UTF-16, the numbers and fields of a line, what terminals and launchers put before and into
// it, and the ranks that a command line gives. Nothing in it is of one benchmark.
//
// input.go goes from a file to lines, clean.go from a line to its text, lex.go from the text to
// numbers and fields; launch.go reads command lines and names of files.
//
// Most lines of a long file are rows of numbers, so every function looks at one or two bytes before
// it does anything slow. Slices that are returned lie in the line, and are valid as long as it is.
package lex

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Number is a decimal number with its printed precision.
type Number struct {
	Value float64
	// Exp is the decimal exponent of the last digit: −2 for 0.30, −7 for 1.2e-6.
	Exp int
}

// Pow10 holds the powers of ten that float64 represents exactly.
var Pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13,
	1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// Parse parses a decimal number; NaN and infinities are not numbers. The result is identical to
// strconv's: a mantissa below 2⁵³ times or over an exact power of ten is rounded once (Clinger
// 1990), and strconv parses all other numbers.
func Parse(text []byte) (Number, bool) {
	i, negative := 0, false
	// Most fields are plain decimals of a few digits: this loop reads them without strconv's
	// allocation of a string.
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		negative = text[0] == '-'
		i++
	}
	var mantissa uint64
	digits, point, exp := 0, false, 0
	for ; i < len(text); i++ {
		c := text[i]
		if c >= '0' && c <= '9' {
			// 15 digits are always below 2⁵³, so the mantissa is exact; with 16 it may not be.
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
		return Number{}, false
	}
	// At most 15 digits behind the point, and powers up to 10²² are exact.
	v := float64(mantissa) / Pow10[-exp]
	if negative {
		v = -v
	}
	return Number{v, exp}, true
}

func parseSlow(text []byte) (Number, bool) {
	if digits := bytes.TrimLeft(text[:min(2, len(text))], "+-"); len(digits) == 0 ||
		digits[0] != '.' && (digits[0] < '0' || digits[0] > '9') {
		return Number{}, false // the first letter excludes most words
	}
	// A number of a benchmark has at most 25 characters.
	if len(text) > 64 || bytes.ContainsAny(text, "xXpP_iInN") {
		return Number{}, false // hexadecimal, underscores, Inf and NaN
	}
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil {
		return Number{}, false
	}
	// 1.2e-6: the exponent less one decimal.
	mantissa, exponent, _ := bytes.Cut(bytes.ToLower(text), []byte("e"))
	exp, _ := strconv.Atoi(string(exponent))
	if _, decimals, ok := bytes.Cut(mantissa, []byte(".")); ok {
		exp -= len(decimals)
	}
	return Number{v, exp}, true
}

// ParseDecimal parses a number with a decimal comma. A point beside it would be a separator
// of thousands, and 1.600,5 is refused rather than read as 1.6.
func ParseDecimal(text []byte) (Number, bool) {
	if bytes.IndexByte(text, '.') >= 0 {
		return Number{}, false
	}
	return Parse(bytes.Replace(text, []byte(","), []byte("."), 1))
}

// ParseAll parses all fields, and reports whether all are numbers.
func ParseAll(texts [][]byte, into []Number) bool {
	for i, text := range texts {
		var ok bool
		if into[i], ok = Parse(text); !ok {
			return false
		}
	}
	return true
}

// Quantum returns the value of one unit of the number's last digit: 0.01 of 0.30. A time is
// only known to half of that.
func (n Number) Quantum() float64 { return math.Pow10(n.Exp) }

// Count parses the decimal digits of a number of ranks, nodes or streams; it returns 0 if the
// number is too large for that.
func Count(digits string) int {
	// Machines have up to ten million cores; larger numbers are dates and identifiers.
	if n, err := strconv.Atoi(digits); err == nil && n < 1<<24 {
		return n
	}
	return 0
}

// Quote returns s if a terminal can print it safely, else s quoted as in Go.
func Quote(s string) string {
	for _, r := range s {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return strconv.Quote(s)
		}
	}
	return s
}

// Plain returns s with each character that is not printable, such as an escape, replaced by
// '?'. Files come from strangers: an escape sequence in a message could rewrite what a
// terminal shows.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) || r == utf8.RuneError {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}

// Short returns the first 60 bytes of b, made safe to print by [Plain].
func Short(b []byte) string {
	if len(b) > 60 {
		b = b[:60]
	}
	return Plain(string(b))
}

// Bounded returns a text or, if it is longer than names of hosts and files are, its beginning with
// a checksum of the whole, so that different texts stay different.
func Bounded(text []byte) []byte {
	// NAME_MAX of Linux; names of hosts have at most 253 bytes.
	const longest = 255 // bytes
	if len(text) <= longest {
		return text
	}
	return fmt.Appendf(nil, "%s…%08x", text[:longest-32], crc32.ChecksumIEEE(text))
}

// Split cuts a line into fields, without blanks and quotes around the values.
func Split(into [][]byte, line []byte, comma byte) [][]byte {
	if comma == ' ' {
		return append(into, bytes.Fields(line)...)
	}
	for {
		for len(line) > 0 && line[0] == ' ' {
			line = line[1:]
		}
		if len(line) > 0 && line[0] == '"' {
			if value, rest, ok := quoted(line); ok { // it may hold the separator
				after, next, more := bytes.Cut(rest, []byte{comma})
				if after = trimField(after); len(after) > 0 {
					value = append(bytes.Clone(value), after...)
				}
				into = append(into, value)
				if !more {
					return into
				}
				line = next
				continue
			}
		}
		i := 0
		for i < len(line) && line[i] != comma { // values are short
			i++
		}
		into = append(into, trimField(line[:i]))
		if i == len(line) {
			return into
		}
		line = line[i+1:]
	}
}

// quoted returns the quoted value at the beginning of a line, with doubled quotes replaced by
// single ones, and the rest of the line. It returns false if the closing quote is missing.
func quoted(line []byte) (value, rest []byte, ok bool) {
	doubled := false
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] != '"':
		case i+1 < len(line) && line[i+1] == '"':
			doubled = true
			i++
		case doubled:
			return bytes.ReplaceAll(line[1:i], []byte(`""`), []byte(`"`)), line[i+1:], true
		default:
			return line[1:i], line[i+1:], true
		}
	}
	return nil, nil, false
}

// trimField removes blanks and single quotes at the ends that quoted has left, as around a
// value whose closing quote is missing.
func trimField(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '"') {
		b = b[1:]
	}
	for len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '"') {
		b = b[:len(b)-1]
	}
	return b
}
