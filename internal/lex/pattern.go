package lex

import (
	"regexp"
	"sync"
)

// A Pattern returns a regular expression, which it compiles at its first use: a command that reads
// no file compiles none of those of the readers.
type Pattern func() *regexp.Regexp

// NewPattern returns the pattern of an expression. An invalid one panics at its first use.
func NewPattern(expression string) Pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
