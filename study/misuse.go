package study

// A Misuse is a mistake in what was asked, as against in a file.
type Misuse struct{ error }

func (m Misuse) Unwrap() error { return m.error }
