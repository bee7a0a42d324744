package formula

import "github.com/halfpeak/halfpeak/model/quantity"

// An Expr is a parsed formula. Its variables are numbered, so that it can be computed for many
// values without a search for names. Dimensions were checked while parsing, so computing it needs
// plain numbers alone.
type Expr struct {
	Dim      quantity.Dimension // of the result
	num      float64            // of a constant
	variable bool
	at       int // of a variable
	op       operation
	args     []*Expr // of the operation; none for constants and variables
}

// An operation is a function of one number, or one that combines two or more from left to right.
type operation struct {
	one func(v float64) float64
	two func(v, w float64) float64
}

// The operations of formulas.
var (
	add      = operation{two: func(v, w float64) float64 { return v + w }}
	subtract = operation{two: func(v, w float64) float64 { return v - w }}
	multiply = operation{two: func(v, w float64) float64 { return v * w }}
	divide   = operation{two: func(v, w float64) float64 { return v / w }}
	negate   = operation{one: func(v float64) float64 { return -v }}
)

// Reads returns the indices of the variables, each once, in the order of the formula.
func (e *Expr) Reads() []int {
	var reads []int
	seen := map[int]bool{}
	var walk func(e *Expr)
	walk = func(e *Expr) {
		if e.variable && !seen[e.at] {
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

// Compute returns the formula's result, in µs and bytes, for the values of its variables in µs
// and bytes. It need not be finite: a formula may divide by zero.
func (e *Expr) Compute(values []float64) float64 {
	switch {
	case e.variable:
		return values[e.at]
	case e.constant():
		return e.num
	}
	v := e.args[0].Compute(values)
	if e.op.one != nil {
		return e.op.one(v)
	}
	for _, a := range e.args[1:] {
		v = e.op.two(v, a.Compute(values))
	}
	return v
}

func (e *Expr) constant() bool { return !e.variable && len(e.args) == 0 }

func constant(v quantity.Value) *Expr { return &Expr{Dim: v.Dim, num: v.Num} }

// operate returns the operation on args, evaluated if all are constants.
func operate(op operation, dim quantity.Dimension, args ...*Expr) *Expr {
	// Constant parts are computed here, once, so that Compute repeats only what depends on the
	// variables.
	e := &Expr{Dim: dim, op: op, args: args}
	for _, a := range args {
		if !a.constant() {
			return e
		}
	}
	return constant(quantity.Value{Num: e.Compute(nil), Dim: dim})
}

// product returns the dimension of a product or quotient.
func product(e, f *Expr, of func(v, w quantity.Value) quantity.Value) quantity.Dimension {
	return of(quantity.Value{Dim: e.Dim}, quantity.Value{Dim: f.Dim}).Dim
}
