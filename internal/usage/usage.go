// Package usage defines the error of an invalid question, as opposed to an invalid file.
package usage

// Error is a mistake in a question.
type Error struct{ Err error }

func (e Error) Error() string { return e.Err.Error() }

// Unwrap returns the mistake.
func (e Error) Unwrap() error { return e.Err }
