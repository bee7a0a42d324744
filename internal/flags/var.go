//go:build !js

package flags

import "github.com/spf13/pflag"

// Var declares a flag whose text is parsed into to. Its default is text too, none if
// empty; kind is the placeholder in help. A text and not a value, so that help prints
// the default as a user writes it.
func Var[T any](f *pflag.FlagSet, to *T, parse func(string) (T, error), kind, name, otherwise,
	help string) {
	v := &value[T]{to, parse, kind, ""}
	if otherwise != "" {
		if err := v.Set(otherwise); err != nil {
			panic(err) // a default of this program
		}
	}
	f.Var(v, name, help)
}

type value[T any] struct {
	to         *T
	parse      func(string) (T, error)
	kind, text string
}

// Set keeps the old value if the text is wrong: pflag reports the error, and help still prints the
// default.
func (v *value[T]) Set(text string) error {
	parsed, err := v.parse(text)
	if err == nil {
		*v.to, v.text = parsed, text
	}
	return err
}

func (v *value[T]) Type() string   { return v.kind }
func (v *value[T]) String() string { return v.text }

// Parsed returns the value.
func (v *value[T]) Parsed() any { return *v.to }
