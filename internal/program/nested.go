package program

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The interpreter walks a tuple with all tuples in it for its hash, and freezes what a file has
// defined with all that this holds, both by recursion. A value that nests 10⁷ deep, or twice at
// each of a hundred levels, would end the process or never end.

// nestedName is the name of the function that looks at a tuple, which no program can have.
const nestedName = "nested"

// maxParts bounds the values in a tuple, each counted where it stands: in those of its tuples too.
const maxParts = 1 << 24

// tupleMakers are functions and methods whose result is a tuple or a list of new tuples.
var tupleMakers = map[string]bool{"tuple": true, "zip": true, "enumerate": true, "items": true,
	"popitem": true}

// nested returns its last argument, if the first is not nested too deep.
func nested(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple,
	_ []starlark.Tuple) (starlark.Value, error) {
	return args[len(args)-1], newTuple(args[0])
}

// newTuples looks at a tuple, or at those of a list.
func newTuples(v starlark.Value) error {
	list, ok := v.(*starlark.List)
	if !ok {
		return newTuple(v)
	}
	for i := range list.Len() {
		if err := newTuple(list.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// newTuple returns an error of a tuple that is nested too deep or has too many parts.
func newTuple(v starlark.Value) error {
	parts := 0
	if t, ok := v.(starlark.Tuple); ok && !countParts(t, 1, &parts) {
		return fmt.Errorf("a tuple nested deeper than %d, or with more than %d values in it and "+
			"in its tuples", maxDepth, maxParts)
	}
	return nil
}

func countParts(t starlark.Tuple, depth int, parts *int) bool {
	if *parts += len(t); depth > maxDepth || *parts > maxParts {
		return false
	}
	for _, v := range t {
		if in, ok := v.(starlark.Tuple); ok && !countParts(in, depth+1, parts) {
			return false
		}
	}
	return true
}

// gathered returns the parameter that gathers arguments in a tuple, nil if there is none.
func gathered(params []syntax.Expr) *syntax.Ident {
	for _, p := range params {
		if u, ok := p.(*syntax.UnaryExpr); ok && u.Op == syntax.STAR {
			if name, ok := u.X.(*syntax.Ident); ok {
				return name
			}
		}
	}
	return nil
}

// isPlain reports whether a display holds no tuple: literals alone.
func isPlain(list []syntax.Expr) bool {
	for _, e := range list {
		if u, ok := e.(*syntax.UnaryExpr); ok {
			e = u.X
		}
		if _, ok := e.(*syntax.Literal); !ok {
			return false
		}
	}
	return true
}

// shallow returns an error if a variable of a file holds values nested too deep to be frozen. It
// goes through all values once, level by level.
func shallow(globals starlark.StringDict) error {
	seen := map[starlark.Value]bool{} // of those with an address, which can hold themselves
	level := make([]starlark.Value, 0, len(globals))
	for _, v := range globals {
		level = append(level, v)
	}
	for depth := 0; len(level) > 0; depth++ {
		if depth > maxDepth {
			return fmt.Errorf("a variable of the file holds values nested deeper than %d", maxDepth)
		}
		var next []starlark.Value
		for _, v := range level {
			switch v.(type) {
			case *starlark.List, *starlark.Dict, *starlark.Set, *starlark.Function,
				*starlark.Builtin:
				if seen[v] {
					continue
				}
				seen[v] = true
			}
			next = appendHeld(next, v)
		}
		level = next
	}
	return nil
}

// appendHeld appends the values that a value holds and that hold others.
func appendHeld(all []starlark.Value, v starlark.Value) []starlark.Value {
	add := func(x starlark.Value) {
		switch x.(type) {
		case starlark.Tuple, *starlark.List, *starlark.Dict, *starlark.Set, *starlark.Function,
			*starlark.Builtin:
			all = append(all, x)
		}
	}
	switch v := v.(type) {
	case *starlark.Function:
		for i := range v.NumParams() {
			add(v.ParamDefault(i))
		}
		for i := range v.NumFreeVars() {
			_, x := v.FreeVar(i)
			add(x)
		}
	case *starlark.Builtin:
		add(v.Receiver())
	case starlark.IterableMapping:
		for k, x := range starlark.Entries(v) {
			add(k)
			add(x)
		}
	case starlark.Iterable:
		for x := range starlark.Elements(v) {
			add(x)
		}
	}
	return all
}
