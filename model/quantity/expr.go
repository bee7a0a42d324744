package quantity

import "math"

// An Expr is a parsed formula. Its variables are numbered, so that it can be computed for many
// values.
type Expr struct {
	Dim  Dimension // of the result
	op   operator
	num  float64 // of a constant
	at   int     // of a variable
	args []*Expr // of an operation
}

// A Variable is the meaning of a name in [Compile].
type Variable struct {
	Index int // into the values of [Expr.Compute]
	Dim   Dimension
}

type operator byte

const (
	opConstant operator = iota
	opVariable
	opAdd
	opSubtract
	opMultiply
	opDivide
	opNegate
	opSqrt
	opCeil
	opMin
	opMax
)

// Compile parses a formula (see the package comment) as [Eval] does; names returns the variable for
// a name or a function of texts.
func Compile(text string, names func(name string, args []any) (Variable, error)) (*Expr, error) {
	return parse(text, func(name string, args []any) (*Expr, error) {
		v, err := names(name, args)
		return &Expr{Dim: v.Dim, op: opVariable, at: v.Index}, err
	})
}

// Reads returns the indices of the variables, each once, in the order of the formula.
func (e *Expr) Reads() []int {
	var reads []int
	seen := map[int]bool{}
	var walk func(e *Expr)
	walk = func(e *Expr) {
		if e.op == opVariable && !seen[e.at] {
			seen[e.at] = true
			reads = append(reads, e.at)
		}
		for _, a := range e.args {
			walk(a)
		}
	}
	walk(e)
	return reads
}

// Compute returns the formula's result, in µs and bytes, for the values of its variables in µs and
// bytes. It need not be finite: a formula may divide by zero.
func (e *Expr) Compute(values []float64) float64 {
	switch e.op {
	case opConstant:
		return e.num
	case opVariable:
		return values[e.at]
	}
	v := e.args[0].Compute(values)
	switch e.op {
	case opNegate:
		return -v
	case opSqrt:
		return math.Sqrt(v)
	case opCeil:
		return math.Ceil(v)
	}
	for _, a := range e.args[1:] {
		w := a.Compute(values)
		switch e.op {
		case opAdd:
			v += w
		case opSubtract:
			v -= w
		case opMultiply:
			v *= w
		case opDivide:
			v /= w
		case opMin:
			v = min(v, w)
		case opMax:
			v = max(v, w)
		}
	}
	return v
}

func constant(v Value) *Expr { return &Expr{Dim: v.Dim, num: v.Num} }

// operate returns the operation on args, evaluated if all are constants.
func operate(op operator, dim Dimension, args ...*Expr) *Expr {
	e := &Expr{Dim: dim, op: op, args: args}
	for _, a := range args {
		if a.op != opConstant {
			return e
		}
	}
	return constant(Value{e.Compute(nil), dim})
}
