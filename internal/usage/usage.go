// Package usage defines errors about a question, as opposed to errors in a file.
package usage

import (
	"errors"
	"strings"
)

// Error is a mistake in a question: the command exits with 2 and points to its help.
// Any other error exits with 1.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }

// Unwrap returns the mistake.
func (e Error) Unwrap() error { return e.Err }

// A Change is what a gate looks for: an answer that was given, and that ends the command with 3 if
// the user asked for it, so that a script tells a change from an error.
type Change struct{ Found string }

func (c Change) Error() string { return c.Found }

// ErrInterrupted is the error of work that a signal ended: the command exits with 130, as a shell
// reports a program that an interrupt ended.
var ErrInterrupted = errors.New("interrupted")

// fieldError is an error that other values of some fields of a question would avoid.
type fieldError struct {
	error
	fields []string
}

func (e fieldError) Unwrap() error { return e.error }

// Fields returns err with the names of the fields of the question that it is about. The message
// stays the same: the caller adds how its user gives a field, such as by a flag.
func Fields(err error, fields ...string) error { return fieldError{err, fields} }

// FieldsOf returns the names of the fields that err is about, nil if it has none.
func FieldsOf(err error) []string {
	var f fieldError
	errors.As(err, &f)
	return f.fields
}

// ShellLine returns a line that a shell reads as these words. Everything but a few letters is
// quoted: words come from links, files and arguments, and people paste command lines. In single
// quotes, only a single quote is special.
func ShellLine(words ...string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' ||
			strings.ContainsRune("-_./,:+@%", r)
	}
	special := func(r rune) bool { return !plain(r) }
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; w == "" || strings.ContainsFunc(w, special) {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}
