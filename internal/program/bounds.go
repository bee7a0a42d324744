package program

import (
	"fmt"
	"reflect"

	"go.starlark.net/syntax"
)

// maxChain bounds how deep expressions and branches lie in one another, also in chains such as
// f()()() and 1 + 1 + 1, whose parser does not recurse: all that reads the tree after it does.
const maxChain = 1000

// One operation of the interpreter can make a list of 2³⁰ values, or a text of all values in a
// nested list, which would end the process. So operators, functions and methods that copy or make
// values of any length are calls of functions that ask [room] first; see sizes.go.

// assignments are the operators of x = x op y.
var assignments = map[syntax.Token]syntax.Token{syntax.STAR_EQ: syntax.STAR,
	syntax.PERCENT_EQ: syntax.PERCENT}

var nodes = reflect.TypeFor[syntax.Expr]().PkgPath()

// bound replaces operations without bounds by calls, in a syntax tree.
func bound(f *syntax.File) error {
	return bounder{map[*syntax.TupleExpr]bool{}}.boundIn(reflect.ValueOf(f), 0)
}

// A bounder bounds a tree. Its patterns are tuples of variables, which no call can replace.
type bounder struct{ patterns map[*syntax.TupleExpr]bool }

// boundIn is bound of a part of the tree in so many others.
func (b bounder) boundIn(v reflect.Value, depth int) error {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != nodes {
			return nil
		}
		if depth++; depth > maxChain {
			return tooDeep(v)
		}
		b.notePatterns(v.Interface())
		if err := b.boundIn(v.Elem(), depth); err != nil {
			return err
		}
		boundNode(v.Interface())
	case reflect.Slice:
		for i := range v.Len() {
			if err := b.boundIn(v.Index(i), depth); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if !v.Type().Field(i).IsExported() {
				continue
			}
			if err := b.boundIn(v.Field(i), depth); err != nil {
				return err
			}
		}
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		if err := b.boundIn(v.Elem(), depth); err != nil {
			return err
		}
		if e, ok := v.Interface().(syntax.Expr); ok {
			if with := b.boundExpr(e); with != nil {
				v.Set(reflect.ValueOf(with))
			}
		}
	}
	return nil
}

// tooDeep returns the error of a node in too many others. The beginning of a chain is its deepest
// node, so the place is found without a walk.
func tooDeep(v reflect.Value) error {
	at := syntax.Position{}
	switch n := v.Interface().(type) {
	case *syntax.BinaryExpr:
		at = n.OpPos
	case *syntax.DotExpr:
		at = n.Dot
	case *syntax.CallExpr:
		at = n.Rparen
	case *syntax.IndexExpr:
		at = n.Rbrack
	case *syntax.SliceExpr:
		at = n.Rbrack
	case syntax.Node:
		at, _ = n.Span()
	}
	return fmt.Errorf("%s: more than %d operations or branches in one another; divide them among "+
		"several statements", at, maxChain)
}

// boundNode bounds what a node does beside its operands.
func boundNode(node any) {
	switch n := node.(type) {
	case *syntax.AssignStmt:
		boundAssignment(n)
	case *syntax.SliceExpr:
		n.X = call(copiedName, n.Lbrack, n.X)
	case *syntax.CallExpr:
		for _, a := range n.Args {
			if u, ok := a.(*syntax.UnaryExpr); ok &&
				(u.Op == syntax.STAR || u.Op == syntax.STARSTAR) {
				u.X = call(copiedName, u.OpPos, u.X)
			}
		}
	case *syntax.DefStmt:
		if name := gathered(n.Params); name != nil {
			look := &syntax.ExprStmt{X: call(nestedName, name.NamePos, use(name))}
			n.Body = append([]syntax.Stmt{look}, n.Body...)
		}
	case *syntax.LambdaExpr:
		if name := gathered(n.Params); name != nil {
			n.Body = call(nestedName, name.NamePos, use(name), n.Body)
		}
	}
}

// use returns an expression of the variable with this name.
func use(name *syntax.Ident) *syntax.Ident {
	return &syntax.Ident{NamePos: name.NamePos, Name: name.Name}
}

// notePatterns notes the tuples of variables of a node.
func (b bounder) notePatterns(node any) {
	switch n := node.(type) {
	case *syntax.AssignStmt:
		b.notePattern(n.LHS)
	case *syntax.ForStmt:
		b.notePattern(n.Vars)
	case *syntax.ForClause:
		b.notePattern(n.Vars)
	}
}

func (b bounder) notePattern(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		b.notePattern(e.X)
	case *syntax.ListExpr:
		for _, x := range e.List {
			b.notePattern(x)
		}
	case *syntax.TupleExpr:
		b.patterns[e] = true
		for _, x := range e.List {
			b.notePattern(x)
		}
	}
}

// boundAssignment bounds x *= y and x %= y as x = x * y, and x += y and x |= y, which change a list
// or a dictionary itself, by the length of y.
func boundAssignment(n *syntax.AssignStmt) {
	if op, ok := assignments[n.Op]; ok {
		n.Op, n.RHS = syntax.EQ, call(op.String(), n.OpPos, n.LHS, n.RHS)
	} else if n.Op == syntax.PLUS_EQ && !isNumber(n.RHS) || n.Op == syntax.PIPE_EQ {
		n.RHS = call(copiedName, n.OpPos, n.RHS)
	}
}

// boundExpr returns the call that replaces an expression, nil if none has to.
func (b bounder) boundExpr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		x, y := isNumber(e.X), isNumber(e.Y)
		if operators[e.Op] && !(x && y) && !(e.Op == syntax.PLUS && (x || y)) {
			return call(e.Op.String(), e.OpPos, e.X, e.Y)
		}
	case *syntax.TupleExpr:
		if !b.patterns[e] && !isPlain(e.List) {
			at, _ := e.Span()
			return call(nestedName, at, e)
		}
	case *syntax.DotExpr:
		if _, ok := methodSizes[e.Name.Name]; ok {
			return call(attributeName, e.Dot, e.X, &syntax.Literal{Token: syntax.STRING,
				TokenPos: e.NamePos, Value: e.Name.Name})
		}
	}
	return nil
}

// isNumber reports whether the value of an expression can only be a number.
func isNumber(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return isNumber(e.X)
	case *syntax.Literal:
		return e.Token == syntax.INT || e.Token == syntax.FLOAT
	case *syntax.BinaryExpr:
		return e.Op == syntax.SLASH || e.Op == syntax.SLASHSLASH ||
			e.Op == syntax.PLUS && (isNumber(e.X) || isNumber(e.Y))
	}
	return false
}

func call(name string, at syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args,
		Rparen: at}
}
