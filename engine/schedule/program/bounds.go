package program

import (
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// The interpreter lets one operation make a list of 2³⁰ values, or list(range(10¹²)), which would
// end the process. So ranges are bounded, and "*" is a call of a function that bounds what it
// makes. The data of a program are watched, see [guard.watch].

// maxLength bounds ranges, and the lists and texts that "*" makes. A list of so many values takes
// 256 MB.
const maxLength = 1 << 24

// timesName is that of the function for "*"; no program can have a variable of that name.
const timesName = "*"

// bounded are the functions with bounds.
var bounded = starlark.StringDict{
	timesName: starlark.NewBuiltin("*", times),
	"range":   starlark.NewBuiltin("range", boundedRange),
}

func times(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (
	starlark.Value, error) {
	x, y := args[0], args[1]
	if a, ok := x.(starlark.Int); ok {
		if b, ok := y.(starlark.Int); ok {
			return product(a, b)
		}
	}
	if starlark.Len(x) < 0 {
		x, y = y, x
	}
	if n, ok := y.(starlark.Int); ok && starlark.Len(x) > 0 {
		if k, small := n.Int64(); !small || k > int64(maxLength/starlark.Len(x)) {
			return nil, fmt.Errorf("%s times %s is longer than %d", shown(x), n, maxLength)
		}
	}
	return starlark.Binary(syntax.STAR, args[0], args[1])
}

// maxBits bounds products: one of so many bits takes 10 ms, during which nothing ends the program.
const maxBits = 1 << 20

func product(a, b starlark.Int) (starlark.Value, error) {
	if _, small := a.Int64(); !small {
		if n := a.BigInt().BitLen() + b.BigInt().BitLen(); n > maxBits {
			return nil, fmt.Errorf("a product of %d bits; the largest has %d", n, maxBits)
		}
	}
	return a.Mul(b), nil
}

func boundedRange(thread *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	named []starlark.Tuple) (starlark.Value, error) {
	r, err := starlark.Call(thread, starlark.Universe["range"], args, named)
	if err != nil {
		return nil, errors.New(firstLine(err.Error()))
	}
	if n := starlark.Len(r); n > maxLength {
		return nil, fmt.Errorf("a range of %d numbers; the largest has %d", n, maxLength)
	}
	return r, nil
}

// boundTimes replaces "*" and "*=" by calls of times, in all expressions of a syntax tree.
func boundTimes(f *syntax.File) { replaceTimes(reflect.ValueOf(f)) }

var expression = reflect.TypeFor[syntax.Expr]()

func replaceTimes(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if a, ok := v.Interface().(*syntax.AssignStmt); ok && a.Op == syntax.STAR_EQ {
			a.Op, a.RHS = syntax.EQ, callTimes(a.LHS, a.RHS, a.OpPos)
		}
		if !v.IsNil() && v.Type().Elem().PkgPath() == expression.PkgPath() {
			replaceTimes(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			replaceTimes(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				replaceTimes(v.Field(i))
			}
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		replaceTimes(v.Elem())
		if b, ok := v.Interface().(*syntax.BinaryExpr); ok && b.Op == syntax.STAR {
			v.Set(reflect.ValueOf(callTimes(b.X, b.Y, b.OpPos)))
		}
	}
}

func callTimes(x, y syntax.Expr, at syntax.Position) syntax.Expr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: timesName}, Lparen: at,
		Args: []syntax.Expr{x, y}, Rparen: at}
}

// maxShare is the part of the memory limit that the program's data and calls may take, since an
// operation that doubles a list takes twice as much again before it can be ended.
const maxShare = 0.25

// maxSteps bounds the steps of the interpreter, in all ranks: some minutes. A loop over a range of
// 10¹² ends with an error and not next month.
const maxSteps = 20_000_000_000

// A guard keeps the threads of a run within their bounds.
type guard struct {
	running atomic.Pointer[starlark.Thread]
	steps   uint64 // of threads that have ended
}

// watch ends the thread that runs if the program's data take too much memory, until stop is called.
// The interpreter has no bound of memory of its own, and one step can make a long list.
func (g *guard) watch() (stop func()) {
	limit := maxShare * float64(memory.Limit().Bytes)
	ticks, done := time.NewTicker(time.Millisecond), make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-ticks.C:
			}
			if t := g.running.Load(); t != nil && memory.InUse() > limit {
				t.Cancel(fmt.Sprintf("the program takes more memory than %.2g GB, a quarter of "+
					"the limit", limit/1e9))
			}
		}
	}()
	return func() {
		ticks.Stop()
		close(done)
	}
}

// newThread returns a thread that ends after too many steps.
func (g *guard) newThread(name string, print func(text string)) *starlark.Thread {
	t := &starlark.Thread{
		Name:  name,
		Print: func(_ *starlark.Thread, text string) { print(text) },
		OnMaxSteps: func(t *starlark.Thread) {
			t.Cancel(fmt.Sprintf("the program takes more than %d steps", maxSteps))
		},
	}
	t.SetMaxExecutionSteps(maxSteps - g.steps)
	g.running.Store(t)
	return t
}
