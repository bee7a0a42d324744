package program

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/internal/usage"
)

// arguments are those of a call, by parameter; nil if one is left out.
type arguments struct {
	values [8]starlark.Value
	named  []starlark.Tuple // of a method whose parameters the program names
	line   uint32
}

// fill assigns the arguments of a call of the function to its parameters. The first ones are
// required.
func (a *arguments) fill(function string, params []string, required int, args starlark.Tuple,
	named []starlark.Tuple) error {
	if len(args) > len(params) {
		return fmt.Errorf("%s takes at most %d arguments (got %d): %s", function, len(params),
			len(args), strings.Join(params, ", "))
	}
	copy(a.values[:], args)
	for _, pair := range named {
		name := string(pair[0].(starlark.String))
		i := slices.Index(params, name)
		switch {
		case i < 0:
			return fmt.Errorf("%s has no parameter %q%s", function, name, usage.Hint(name, params))
		case a.values[i] != nil:
			return fmt.Errorf("%s is given %s twice", function, name)
		}
		a.values[i] = pair[1]
	}
	for i, name := range params[:required] {
		if a.values[i] == nil {
			return fmt.Errorf("%s needs %s", function, name)
		}
	}
	return nil
}

// argument returns the value of a parameter; nil if it is left out, or not one of params.
func (a *arguments) argument(params []string, name string) starlark.Value {
	if i := slices.Index(params, name); i >= 0 {
		return a.values[i]
	}
	return nil
}
