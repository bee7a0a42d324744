package program

import (
	"reflect"

	"go.starlark.net/syntax"
)

// One operation of the interpreter can make a list of 2³⁰ values, or a text of all values in a
// nested list, which would end the process. So operators, functions and methods that copy or make
// values of any length are calls of functions that ask [room] first; see sizes.go.

// assignments are the operators of x = x op y.
var assignments = map[syntax.Token]syntax.Token{syntax.STAR_EQ: syntax.STAR,
	syntax.PERCENT_EQ: syntax.PERCENT}

var nodes = reflect.TypeFor[syntax.Expr]().PkgPath()

// bound replaces operations without bounds by calls, in a syntax tree.
func bound(f *syntax.File) { rewrite(reflect.ValueOf(f), boundNode, boundExpr) }

// rewrite calls node with each node of a syntax tree, behind those inside it, and replaces
// expressions by what expr returns, unless that is nil.
func rewrite(v reflect.Value, node func(any), expr func(syntax.Expr) syntax.Expr) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type().Elem().PkgPath() != nodes {
			return
		}
		rewrite(v.Elem(), node, expr)
		node(v.Interface())
	case reflect.Slice:
		for i := range v.Len() {
			rewrite(v.Index(i), node, expr)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				rewrite(v.Field(i), node, expr)
			}
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		rewrite(v.Elem(), node, expr)
		if e, ok := v.Interface().(syntax.Expr); ok {
			if with := expr(e); with != nil {
				v.Set(reflect.ValueOf(with))
			}
		}
	}
}

// boundNode bounds what a node copies.
func boundNode(n any) {
	switch n := n.(type) {
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
func boundExpr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		x, y := isNumber(e.X), isNumber(e.Y)
		if operators[e.Op] && !(x && y) && !(e.Op == syntax.PLUS && (x || y)) {
			return call(e.Op.String(), e.OpPos, e.X, e.Y)
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
