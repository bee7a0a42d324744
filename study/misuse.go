package study

// A Misuse is a mistake in a question, as opposed to one in a file.
type Misuse struct{ Err error }

func (m Misuse) Error() string { return m.Err.Error() }

// Unwrap returns the mistake.
func (m Misuse) Unwrap() error { return m.Err }
