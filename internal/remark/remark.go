// Package remark holds what halfpeak says beside an answer: why it may be wrong, how to read it,
// and what to do next. A remark is a [Note], and all of them are worded in words.go, so that one
// thing is said in one way, and a reader of that file has read them all.
//
// Computations return notes as values. Package reports/table prints them under a table: on a
// terminal at most two lines of them, those that may change a decision.
package remark

import "slices"

// A Kind says what a note is good for, and so where it stands.
type Kind int

// The kinds of notes. On a terminal doubts come first, then advice; readings are printed if all
// notes are asked for.
const (
	Reading Kind = iota // what an answer is of, and how to read it
	Doubt               // why an answer may be wrong or incomplete
	Advice              // what to do with an answer
)

// A Note is a remark on an answer. The zero value is none.
type Note struct {
	Kind Kind
	Text string // what is so
	Do   string // what to do about it; may be empty
}

// String returns the note in a line.
func (n Note) String() string {
	switch {
	case n.Text == "":
		return n.Do
	case n.Do == "":
		return n.Text
	}
	return n.Text + "; " + n.Do
}

// About returns the note with the name of what it is about before it; an empty name is none.
func (n Note) About(name string) Note {
	if name == "" {
		return n
	}
	if n.Text == "" {
		n.Do = name + ": " + n.Do
		return n
	}
	n.Text = name + ": " + n.Text
	return n
}

// As returns the note as one of another kind.
func (n Note) As(k Kind) Note {
	n.Kind = k
	return n
}

// Add returns the notes with more behind them: each once, and none that is empty.
func Add(to []Note, more ...Note) []Note {
	for _, n := range more {
		if n != (Note{Kind: n.Kind}) && !slices.Contains(to, n) {
			to = append(to, n)
		}
	}
	return to
}

// Of returns the notes of a kind.
func Of(k Kind, all []Note) (of []Note) {
	for _, n := range all {
		if n.Kind == k {
			of = append(of, n)
		}
	}
	return of
}

// Texts returns the notes as lines: doubts, readings, advice.
func Texts(all []Note) (lines []string) {
	for _, k := range []Kind{Doubt, Reading, Advice} {
		for _, n := range Of(k, all) {
			lines = append(lines, n.String())
		}
	}
	return lines
}
