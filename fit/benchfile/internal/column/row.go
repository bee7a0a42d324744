package column

import (
	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
)

// A Row holds the values of one line under a header.
type Row struct {
	Fields [][]byte
	Comma  byte // the separator of the values
	*Columns
}

// Number parses the value of a column that the row has.
func (r *Row) Number(at int) (lex.Number, bool) { return number(r.Fields[at], r.Comma) }

// Value returns the value of an optional column in µs, bytes or bytes/µs; 0 if it is missing or not
// above 0.
func (r *Row) Value(role Role) float64 {
	at := r.At[role]
	if at < 0 || at >= len(r.Fields) {
		return 0
	}
	v, _ := r.Number(at)
	return max(0, v.Value) * r.Scale[role]
}

// Text returns a value as [lex.Bounded] does; nil if the row is too short.
func (r *Row) Text(at int) []byte {
	if at >= len(r.Fields) {
		return nil
	}
	return lex.Bounded(r.Fields[at])
}

// IsRow reports whether a line has at least two numbers. If blanks separate the values, as in
// prose, all values must be numbers.
func IsRow(values [][]byte, comma byte) bool {
	n := 0
	for _, v := range values {
		if _, ok := number(v, comma); ok {
			n++
		}
	}
	return n >= 2 && (comma != ' ' || n == len(values))
}

// number parses a number; with separator ';' it may have a decimal comma.
func number(text []byte, comma byte) (lex.Number, bool) {
	v, ok := lex.Parse(text)
	if !ok && comma == ';' {
		v, ok = lex.ParseDecimal(text)
	}
	return v, ok
}
