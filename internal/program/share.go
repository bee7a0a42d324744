package program

import (
	"maps"
	"math"
	"reflect"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Ranks whose program takes the same way share one interpretation, and one tape of calls. The
// program runs once for a class of ranks. A number that differs among them, as [comm] rank does, is
// an [each], which holds that of every rank; sums and products of it are computed for all. Where
// the way itself depends on such a number, as in a condition, the run is given up, and its ranks
// run again in two classes; where a value cannot be an each, each rank of the class runs alone. So
// does every class whose run fails: errors are those of one rank.
//
// A class is a rank for all that records calls. Its communicators have all ranks in their order, so
// that a place is the number of a rank.

// ofRanks is what numbers of each rank of a class have alike. String and Hash have no errors that
// are not those of all ranks, so that they give up.
type ofRanks struct{ r *rank }

func (o ofRanks) Freeze() {}

func (o ofRanks) String() string {
	o.r.class.giveUp(o.r.thread, nil)
	return ""
}

func (o ofRanks) Hash() (uint32, error) { return 0, o.r.class.giveUp(o.r.thread, nil) }

// An each is a whole number of each rank of a class. Not all are equal.
type each struct {
	ofRanks
	n []int64
}

// newEach returns the value of a number of each rank: one number if all have the same.
func newEach(r *rank, n []int64) starlark.Value {
	for _, x := range n {
		if x != n[0] {
			return &each{ofRanks{r}, n}
		}
	}
	return starlark.MakeInt64(n[0])
}

// Type is not that of a number, which the interpreter would take it for; [comparing] has a function
// type that hides that.
func (e *each) Type() string { return "each" }

// Truth gives up if it is not the same of all ranks.
func (e *each) Truth() starlark.Bool {
	return starlark.Bool(e.r.class.same(e.r.thread, e.where(func(n int64) bool { return n != 0 })))
}

func (e *each) where(is func(n int64) bool) []bool {
	by := make([]bool, len(e.n))
	for i, n := range e.n {
		by[i] = is(n)
	}
	return by
}

// maxEach bounds the numbers of an each, so that no operation on two of them overflows.
const maxEach = 1 << 31

// numbers returns the numbers of the ranks; ok is false of a value that is no small whole number.
func (e *each) numbers(v starlark.Value) (n func(i int) int64, ok bool) {
	switch v := v.(type) {
	case *each:
		return func(i int) int64 { return v.n[i] }, true
	case starlark.Int:
		if one, small := v.Int64(); small && one < maxEach && one > -maxEach {
			return func(int) int64 { return one }, true
		}
	}
	return nil, false
}

// Binary returns x op y for each rank. A result of nil, as for an operator that it does not have,
// is an error of the interpreter, and the ranks run alone.
func (e *each) Binary(op syntax.Token, v starlark.Value, side starlark.Side) (starlark.Value,
	error) {
	y, ok := e.numbers(v)
	if !ok || op == syntax.SLASH {
		return binaryFloats(e.r, len(e.n), op, e, v, side), nil
	}
	n := make([]int64, len(e.n))
	for i, a := range e.n {
		b := y(i)
		if side == starlark.Right {
			a, b = b, a
		}
		switch {
		case op == syntax.PLUS:
			n[i] = a + b
		case op == syntax.MINUS:
			n[i] = a - b
		case op == syntax.STAR:
			n[i] = a * b
		case (op == syntax.SLASHSLASH || op == syntax.PERCENT) && b != 0:
			// Both round down; the remainder has the sign of b.
			quotient, remainder := a/b, a%b
			if remainder != 0 && (remainder < 0) != (b < 0) {
				quotient, remainder = quotient-1, remainder+b
			}
			if n[i] = quotient; op == syntax.PERCENT {
				n[i] = remainder
			}
		default:
			return nil, nil
		}
		if n[i] <= -maxEach || n[i] >= maxEach {
			return nil, nil
		}
	}
	return newEach(e.r, n), nil
}

// vector returns the number of the vector with the numbers, which must be 0 to most, plus more.
func (e *each) vector(more uint64, most int64) (uint64, error) {
	all := make([]uint64, len(e.n))
	for i, n := range e.n {
		if n < 0 || n > most {
			return 0, e.r.class.giveUp(e.r.thread, nil) // the error of that rank
		}
		all[i] = uint64(n) + more
	}
	return e.r.class.add(all), nil
}

// An eachFloat is a floating-point number of each rank of a class, as a time that grows with the
// rank. Not all are equal, and all are finite. It has the operators that are sure to have no error;
// with another one the ranks run alone.
type eachFloat struct {
	ofRanks
	x []float64
}

// newEachFloat returns the value of a number of each rank: one number if all have the same, and nil
// if one is not finite, which is an error of that rank.
func newEachFloat(r *rank, x []float64) starlark.Value {
	equal := true
	for _, f := range x {
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
		equal = equal && math.Float64bits(f) == math.Float64bits(x[0])
	}
	if equal {
		return starlark.Float(x[0])
	}
	return &eachFloat{ofRanks{r}, x}
}

// Type is none of the language, as that of [each].
func (e *eachFloat) Type() string { return "each float" }

// Truth gives up: a condition on such a number is rare.
func (e *eachFloat) Truth() starlark.Bool {
	e.r.class.giveUp(e.r.thread, nil)
	return true
}

// Binary returns x op y for each rank, as [each.Binary].
func (e *eachFloat) Binary(op syntax.Token, v starlark.Value, side starlark.Side) (starlark.Value,
	error) {
	return binaryFloats(e.r, len(e.x), op, e, v, side), nil
}

// binaryFloats returns x op y for n ranks, of which one is the number e of each rank and the other
// is v; nil if it is not sure to be a number.
func binaryFloats(r *rank, n int, op syntax.Token, e, v starlark.Value,
	side starlark.Side) starlark.Value {
	x, _ := floats(e)
	y, ok := floats(v)
	if !ok {
		return nil
	}
	if side == starlark.Right {
		x, y = y, x
	}
	all := make([]float64, n)
	for i := range all {
		a, b := x(i), y(i)
		switch {
		case op == syntax.PLUS:
			all[i] = a + b
		case op == syntax.MINUS:
			all[i] = a - b
		case op == syntax.STAR:
			all[i] = a * b
		case op == syntax.SLASH && b != 0:
			all[i] = a / b
		default:
			return nil
		}
	}
	return newEachFloat(r, all)
}

// floats returns the numbers of the ranks; ok is false of what is no number, or a large whole one.
func floats(v starlark.Value) (x func(i int) float64, ok bool) {
	switch v := v.(type) {
	case *each:
		return func(i int) float64 { return float64(v.n[i]) }, true
	case *eachFloat:
		return func(i int) float64 { return v.x[i] }, true
	case starlark.Float:
		return func(int) float64 { return float64(v) }, true
	case starlark.Int:
		if one, small := v.Int64(); small && one < maxEach && one > -maxEach {
			return func(int) float64 { return float64(one) }, true
		}
	}
	return nil, false
}

// compared are the operators that a program of classes calls as functions: the interpreter takes an
// each and a number for different.
var compared = map[syntax.Token]bool{syntax.EQL: true, syntax.NEQ: true, syntax.LT: true,
	syntax.LE: true, syntax.GT: true, syntax.GE: true, syntax.IN: true, syntax.NOT_IN: true}

// comparisons are those of numbers.
var comparisons = map[syntax.Token]func(a, b int64) bool{
	syntax.EQL: func(a, b int64) bool { return a == b },
	syntax.NEQ: func(a, b int64) bool { return a != b },
	syntax.LT:  func(a, b int64) bool { return a < b },
	syntax.LE:  func(a, b int64) bool { return a <= b },
	syntax.GT:  func(a, b int64) bool { return a > b },
	syntax.GE:  func(a, b int64) bool { return a >= b },
}

// compare returns x op y if the ranks of the class agree, and gives up the run if they do not.
func compare(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	r := t.Local(threadRank).(*rank)
	_, float := x.(*eachFloat)
	if _, also := y.(*eachFloat); float || also {
		return nil, r.class.giveUp(t, nil)
	}
	e, is := x.(*each)
	if !is {
		e, is = y.(*each)
	}
	if !is {
		if hasEach(x, 0) || hasEach(y, 0) {
			return nil, r.class.giveUp(t, nil)
		}
		if f := comparisons[op]; f == nil {
			return starlark.Binary(op, x, y)
		}
		is, err := starlark.Compare(op, x, y)
		return starlark.Bool(is), err
	}
	a, ok := e.numbers(x)
	b, also := e.numbers(y)
	f := comparisons[op]
	equality := op == syntax.EQL || op == syntax.NEQ
	if equality && (x == starlark.None || y == starlark.None) {
		return starlark.Bool(op == syntax.NEQ), nil
	}
	if !ok || !also || f == nil {
		return nil, r.class.giveUp(t, nil)
	}
	by := make([]bool, len(e.n))
	for i := range by {
		by[i] = f(a(i), b(i))
	}
	return starlark.Bool(r.class.same(t, by)), nil
}

// hasEach reports whether there is an each in a value, or whether the value is too deep to tell.
func hasEach(v starlark.Value, depth int) bool {
	if depth > maxDepth {
		return true
	}
	switch v := v.(type) {
	case *each, *eachFloat:
		return true
	case starlark.IterableMapping:
		for _, item := range v.Items() {
			if hasEach(item, depth+1) {
				return true
			}
		}
	case starlark.Iterable:
		if starlark.Len(v) < 0 {
			return false
		}
		for x := range starlark.Elements(v) {
			if hasEach(x, depth+1) {
				return true
			}
		}
	}
	return false
}

// unshared are methods that compare values without asking [compare].
var unshared = []string{"index", "remove"}

// sharable replaces comparisons by calls, in a syntax tree, and reports whether nothing is left
// that compares.
func sharable(f *syntax.File) bool {
	ok := true
	rewrite(reflect.ValueOf(f), func(e syntax.Expr) syntax.Expr {
		switch e := e.(type) {
		case *syntax.BinaryExpr:
			if compared[e.Op] {
				return call(e.Op.String(), e.OpPos, e.X, e.Y)
			}
		case *syntax.DotExpr:
			ok = ok && !slices.Contains(unshared, e.Name.Name)
		}
		return nil
	})
	return ok
}

// comparing are the functions that [sharable] calls, with those of all programs.
var comparing = func() starlark.StringDict {
	all := maps.Clone(predeclared)
	for op := range compared {
		all[op.String()] = starlark.NewBuiltin(op.String(), func(t *starlark.Thread,
			_ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return compare(t, op, args[0], args[1])
		})
	}
	all["type"] = starlark.NewBuiltin("type", func(t *starlark.Thread, _ *starlark.Builtin,
		args starlark.Tuple, named []starlark.Tuple) (starlark.Value, error) {
		if len(args) == 1 {
			switch args[0].(type) {
			case *each:
				return starlark.String("int"), nil
			case *eachFloat:
				return starlark.String("float"), nil
			}
		}
		return starlark.Call(t, starlark.Universe["type"], args, named)
	})
	return all
}()

// rewrite replaces the expressions of a bounded syntax tree, those inside others first, by what
// expr returns, unless that is nil.
func rewrite(v reflect.Value, expr func(syntax.Expr) syntax.Expr) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != nodes {
			return
		}
		rewrite(v.Elem(), expr)
	case reflect.Slice:
		for i := range v.Len() {
			rewrite(v.Index(i), expr)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				rewrite(v.Field(i), expr)
			}
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		rewrite(v.Elem(), expr)
		if e, ok := v.Interface().(syntax.Expr); ok {
			if with := expr(e); with != nil {
				v.Set(reflect.ValueOf(with))
			}
		}
	}
}
