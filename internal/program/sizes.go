package program

import (
	"errors"
	"fmt"
	"math"
	"strings"

	starmath "go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The names of functions that no program can have, for a method with a bound and for
// a value that is copied.
const (
	attributeName = "."
	copiedName    = "copied"
)

// operators are the binary operators with bounds.
var operators = map[syntax.Token]bool{syntax.PLUS: true, syntax.STAR: true, syntax.PERCENT: true,
	syntax.PIPE: true}

// The bytes of an element, at most: of a list, of a dictionary or a set.
const (
	listBytes  = 16
	pairBytes  = 5 * listBytes
	tableBytes = 128
)

// A size returns the bytes that a call makes, at most; of a method, x is the value that it is of.
type size func(x starlark.Value, args starlark.Tuple) float64

// lengths returns the size of what has an element for each element of x and of args.
func lengths(bytes float64) size {
	return func(x starlark.Value, args starlark.Tuple) float64 {
		n := copySize(x) / listBytes
		for _, v := range args {
			n += copySize(v) / listBytes
		}
		return n * bytes
	}
}

func textsSize(_ starlark.Value, args starlark.Tuple) float64 { return textSize(args) }

var functionSizes = map[string]size{
	"list": lengths(listBytes), "tuple": lengths(listBytes), "sorted": lengths(listBytes),
	"reversed": lengths(listBytes), "bytes": lengths(listBytes), "enumerate": lengths(pairBytes),
	"dict": lengths(tableBytes), "set": lengths(tableBytes), "zip": zipSize,
	"str": textsSize, "repr": textsSize, "print": textsSize, "fail": textsSize,
}

var methodSizes = map[string]size{
	"extend": lengths(listBytes), "keys": lengths(listBytes), "values": lengths(listBytes),
	"items": lengths(pairBytes), "popitem": lengths(0),
	"update": lengths(tableBytes), "union": lengths(tableBytes),
	"symmetric_difference": lengths(tableBytes), "difference": lengths(tableBytes),
	"intersection": lengths(tableBytes),
	"split":        lengths(2 * listBytes), "rsplit": lengths(2 * listBytes),
	"splitlines": lengths(2 * listBytes), "upper": lengths(listBytes), "lower": lengths(listBytes),
	"title": lengths(listBytes), "capitalize": lengths(listBytes),
	"join": joinSize, "replace": replaceSize, "format": formatSize,
}

// copySize returns the bytes of a copy of v, without those of its elements.
func copySize(v starlark.Value) float64 {
	if n := starlark.Len(v); n > 0 {
		return float64(n) * listBytes
	}
	return 0
}

func zipSize(_ starlark.Value, args starlark.Tuple) float64 {
	most := 0.0
	for _, v := range args {
		most = max(most, copySize(v))
	}
	return most * float64(len(args)+3)
}

func joinSize(x starlark.Value, args starlark.Tuple) float64 {
	bytes := copySize(x) / listBytes * lengths(1)(starlark.None, args)
	for _, v := range args {
		if all, ok := v.(starlark.Iterable); ok {
			for e := range starlark.Elements(all) {
				bytes += copySize(e) / listBytes
			}
		}
	}
	return bytes
}

func replaceSize(x starlark.Value, args starlark.Tuple) float64 {
	text, _ := starlark.AsString(x)
	if len(args) < 2 {
		return 0
	}
	old, _ := starlark.AsString(args[0])
	with, _ := starlark.AsString(args[1])
	return float64(len(text)) + float64(strings.Count(text, old))*float64(len(with))
}

// formatSize is that of a text with places of at least two bytes, each for any argument.
func formatSize(x starlark.Value, args starlark.Tuple) float64 {
	n := copySize(x) / listBytes
	return n + (n/2)*textSize(args)
}

// textSize returns the bytes of a value as text, about; [math.Inf] if they are more than
// [maxLength], or if the value is nested too deep.
func textSize(v starlark.Value) float64 {
	bytes := 0
	addText(v, &bytes, 0)
	if bytes > maxLength {
		return math.Inf(1)
	}
	return float64(bytes)
}

func addText(v starlark.Value, bytes *int, depth int) {
	*bytes += 4
	if depth > maxDepth {
		*bytes += maxLength
	}
	if *bytes > maxLength {
		return
	}
	switch v := v.(type) {
	case starlark.String:
		*bytes += len(v)
	case starlark.Bytes:
		*bytes += 4 * len(v)
	case starlark.Int:
		if _, small := v.Int64(); !small {
			*bytes += v.BigInt().BitLen() / 3
		}
		*bytes += 20
	case starlark.IterableMapping:
		for k, x := range starlark.Entries(v) {
			addText(k, bytes, depth+1)
			addText(x, bytes, depth+1)
		}
	case starlark.Iterable:
		if starlark.Len(v) < 0 {
			return
		}
		for x := range starlark.Elements(v) {
			addText(x, bytes, depth+1)
			if *bytes > maxLength {
				return
			}
		}
	default:
		*bytes += 24
	}
}

// predeclared are the names of all programs, and the functions that [bound] calls.
var predeclared = func() starlark.StringDict {
	all := starlark.StringDict{
		"math": starmath.Module, "ANY": anyValue{},
		"range":    starlark.NewBuiltin("range", boundedRange),
		"int":      starlark.NewBuiltin("int", boundedInt),
		copiedName: starlark.NewBuiltin(copiedName, copied),
		nestedName: starlark.NewBuiltin(nestedName, nested),
	}
	for op := range operators {
		all[op.String()] = starlark.NewBuiltin(op.String(), func(_ *starlark.Thread,
			_ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return operate(op, args[0], args[1])
		})
	}
	for name, bytes := range functionSizes {
		all[name] = sized(name, starlark.Universe[name], starlark.None, bytes)
	}
	for _, name := range []string{"getattr", attributeName} {
		all[name] = starlark.NewBuiltin("getattr", attribute)
	}
	return all
}()

// sized returns f with a bound.
func sized(name string, f, x starlark.Value, bytes size) starlark.Value {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin,
		args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		all := args
		for _, pair := range named {
			all = append(all[:len(all):len(all)], pair[1])
		}
		if err := room(bytes(x, all)); err != nil {
			return nil, err
		}
		v, err := callWithin(t, f, args, named)
		if err == nil && tupleMakers[name] {
			err = newTuples(v)
		}
		return v, err
	})
}

// callWithin calls f for a function that replaces it: an error has its own text.
func callWithin(t *starlark.Thread, f starlark.Value, args starlark.Tuple,
	named []starlark.Tuple) (starlark.Value, error) {
	v, err := starlark.Call(t, f, args, named)
	var traced *starlark.EvalError
	if errors.As(err, &traced) && len(traced.CallStack) == t.CallStackDepth()+1 {
		return nil, errors.New(traced.Msg)
	}
	return v, err
}

// attribute returns x.name; the methods in methodSizes get their bounds.
func attribute(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	named []starlark.Tuple) (starlark.Value, error) {
	v, err := callWithin(t, starlark.Universe["getattr"], args, named)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "getattr: "))
	}
	if method, ok := v.(*starlark.Builtin); ok && method.Receiver() != nil {
		if bytes, ok := methodSizes[method.Name()]; ok {
			return sized(method.Name(), method, method.Receiver(), bytes), nil
		}
	}
	return v, nil
}

// copied returns its argument, of which the interpreter makes a copy.
func copied(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	return args[0], room(copySize(args[0]))
}

func boundedRange(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	named []starlark.Tuple) (starlark.Value, error) {
	r, err := callWithin(t, starlark.Universe["range"], args, named)
	if err != nil {
		return nil, err
	}
	if n := starlark.Len(r); n > maxLength {
		return nil, fmt.Errorf("a range of %d numbers; the largest has %d", n, maxLength)
	}
	return r, nil
}

// operate returns the result of a binary operation with a bound.
func operate(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	bytes := copySize(x) + copySize(y)
	switch op {
	case syntax.STAR:
		a, ok := x.(starlark.Int)
		b, isInt := y.(starlark.Int)
		if ok && isInt {
			return product(a, b)
		}
		if ok {
			b = a
		}
		if ok || isInt {
			bytes *= max(0, float64(b.Float())) // a number has no elements
		}
	case syntax.PERCENT:
		if _, ok := x.(starlark.String); !ok {
			bytes = 0
		} else if _, ok := y.(*starlark.Dict); ok {
			bytes = formatSize(x, starlark.Tuple{y})
		} else {
			bytes = copySize(x) + textSize(y)
		}
	case syntax.PIPE:
		bytes = lengths(tableBytes)(x, starlark.Tuple{y})
	}
	if err := room(bytes); err != nil {
		return nil, err
	}
	v, err := starlark.Binary(op, x, y)
	if err == nil {
		err = newTuple(v)
	}
	return v, err
}

// maxBits bounds products: one of so many bits takes 10 ms, during which nothing ends the program.
const maxBits = 1 << 20

// maxDigits is a little more than maxBits bits have.
const maxDigits = 320_000

// boundedInt is int without texts that take seconds to read.
func boundedInt(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	named []starlark.Tuple) (starlark.Value, error) {
	for _, v := range args {
		if text, ok := v.(starlark.String); ok && len(text) > maxDigits {
			return nil, fmt.Errorf("a number of %d digits; the largest has %d", len(text),
				maxDigits)
		}
	}
	return callWithin(t, starlark.Universe["int"], args, named)
}

func product(a, b starlark.Int) (starlark.Value, error) {
	if _, small := a.Int64(); !small {
		if n := a.BigInt().BitLen() + b.BigInt().BitLen(); n > maxBits {
			return nil, fmt.Errorf("a product of %d bits; the largest has %d", n, maxBits)
		}
	}
	return a.Mul(b), nil
}
