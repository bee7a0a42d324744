package formula

import (
	"fmt"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A compiled formula gives what the formula gives.
func TestCompile(t *testing.T) {
	values := []float64{3, 1024, 2}
	names := func(name string, args []any) (Variable, error) {
		switch name {
		case "t":
			return Variable{0, quantity.DimTime}, nil
		case "n":
			return Variable{1, quantity.DimSize}, nil
		case "k":
			return Variable{2, quantity.DimNone}, nil
		case "f":
			return Variable{2, quantity.DimNone}, nil
		}
		return Variable{}, fmt.Errorf("no %s", name)
	}
	scope := func(name string, args []any) (quantity.Value, error) {
		v, err := names(name, args)
		return quantity.Value{Num: values[v.Index], Dim: v.Dim}, err
	}
	check := func(formula string, reads ...int) {
		t.Helper()
		e, err := Compile(formula, names)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Eval(formula, scope)
		if err != nil {
			t.Fatal(err)
		}
		if got := (quantity.Value{Num: e.Compute(values), Dim: e.Dim}); got != want {
			t.Errorf("%s: got %v, want %v", formula, got, want)
		}
		if got := e.Reads(); !slices.Equal(got, reads) {
			t.Errorf("%s reads %v, want %v", formula, got, reads)
		}
	}
	check("1us + 2us")
	check("t + 2us*k - t/k", 0, 2)
	check("-t*(1us/KiB)/-n", 0, 1)
	check("sqrt(t*t) + min(t, 2us, 4us) + max(1us, t)", 0)
	check("ceil(n/3)", 1)
	check(`f("x", 2us)`, 2)

	if _, err := Compile("f(t)", names); err == nil || err.Error() != `"f(t)", column 1: f takes texts and numbers, not parameters` {
		t.Errorf("f(t): %v", err)
	}
}
