package program

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// wholeNumber returns a whole number; name is that of the argument, for errors.
func wholeNumber(v starlark.Value, name string) (int64, error) {
	switch v := v.(type) {
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			return n, nil
		}
	case starlark.Float:
		if f := float64(v); f == math.Trunc(f) && math.Abs(f) < 1<<62 {
			return int64(f), nil
		}
	}
	return 0, fmt.Errorf("%s must be a whole number (got %s)", name, shown(v))
}

// shown returns a value for an error: short, and with its type if it is not a number.
func shown(v starlark.Value) string {
	switch v := v.(type) {
	case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return v.String()
	case starlark.String:
		return fmt.Sprintf("%.40q", string(v))
	}
	return v.Type()
}

// sizeOf returns a size: whole bytes, or a text such as "64KiB".
func sizeOf(v starlark.Value, name string) (uint64, error) {
	if text, ok := v.(starlark.String); ok {
		n, err := quantity.ParseBytes(string(text))
		if err != nil {
			return 0, err
		}
		v = starlark.Float(n)
	}
	n, err := wholeNumber(v, name)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s must be whole bytes or a text such as \"64KiB\" (got %s)", name,
			shown(v))
	case n < 0:
		return 0, fmt.Errorf("%s must be at least 0 bytes (got %d)", name, n)
	}
	return uint64(n), nil
}

// maxTime is the longest computation in ns: 13 days.
const maxTime = 1 << 60 / 1000

// timeOf returns a time in ns: a text such as "3ms", or a number with a unit.
func timeOf(v, unit starlark.Value) (uint64, error) {
	ns := 0.0
	switch v := v.(type) {
	case starlark.String:
		t, err := quantity.ParseMicros(string(v))
		if err != nil {
			return 0, err
		}
		if unit != nil {
			return 0, fmt.Errorf("a time in a text has its unit; leave out %s", shown(unit))
		}
		ns = 1000 * float64(t)
	case starlark.Int, starlark.Float:
		number, _ := starlark.AsFloat(v)
		name, ok := unit.(starlark.String)
		if !ok {
			return 0, fmt.Errorf("a time needs a unit, as in compute(%s, \"us\")", shown(v))
		}
		one, known := nanoseconds[string(name)]
		if !known {
			return 0, fmt.Errorf("the unit of a time must be \"ns\", \"us\", \"ms\" or \"s\" (got "+
				"%s)", shown(name))
		}
		ns = number * one
	default:
		return 0, fmt.Errorf("a time must be a number with a unit, or a text such as \"3ms\" (got "+
			"%s)", shown(v))
	}
	if ns = math.Round(ns); !(ns >= 0 && ns <= maxTime) {
		return 0, fmt.Errorf("a computation must take 0 to %d ns (got %g)", maxTime, ns)
	}
	return uint64(ns), nil
}

var nanoseconds = map[string]float64{"ns": 1, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}

// tagOf returns a tag plus 1, or 0 for ANY, which only receives accept.
func tagOf(v starlark.Value, receive bool) (uint64, error) {
	if _, anyTag := v.(anyValue); anyTag {
		if receive {
			return 0, nil
		}
		return 0, fmt.Errorf("a message needs a tag; only a receive accepts ANY")
	}
	if v == nil {
		return 1, nil
	}
	n, err := wholeNumber(v, "the tag")
	if err == nil && (n < 0 || n > math.MaxInt32) {
		err = fmt.Errorf("the tag must be 0 to %d (got %d)", math.MaxInt32, n)
	}
	return uint64(n) + 1, err
}

// maxStream bounds streams: each is a processor of every rank.
const maxStream = 1000

// streamOf returns a stream, or another number if it is left out.
func streamOf(v starlark.Value, otherwise uint16) (uint16, error) {
	if v == nil {
		return otherwise, nil
	}
	n, err := wholeNumber(v, "the stream")
	if err == nil && (n < 0 || n > maxStream) {
		err = fmt.Errorf("the stream must be 0 to %d (got %d)", maxStream, n)
	}
	return uint16(n), err
}

// located returns an error of the interpreter with the place of the innermost call of the program.
func located(err error) error {
	var in *starlark.EvalError
	if !errors.As(err, &in) {
		return err // of the parser and the resolver, which name the place
	}
	for i := range in.CallStack {
		if at := in.CallStack.At(i).Pos; at.IsValid() && at.Line > 0 {
			return fmt.Errorf("%s: %s", at, reason(in.Msg))
		}
	}
	return errors.New(reason(in.Msg))
}

// reason returns the first line of the interpreter's message, without what it says of a stop.
func reason(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(line, "Starlark computation cancelled: ")
}

// anyValue is ANY: any rank as a source, or any tag.
type anyValue struct{}

func (anyValue) String() string        { return "ANY" }
func (anyValue) Type() string          { return "ANY" }
func (anyValue) Freeze()               {}
func (anyValue) Truth() starlark.Bool  { return true }
func (anyValue) Hash() (uint32, error) { return 1, nil }
