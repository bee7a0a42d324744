// Package divide finds the outputs of several runs in one text.
package divide

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"github.com/halfpeak/halfpeak/fit/benchfile/internal/lex"
)

// fileTitle matches what head and tail print before a file.
var fileTitle = regexp.MustCompile(`^==> (.+) <==$`)

// A Kind is the role of a line in the division of a file into outputs.
type Kind uint8

const (
	Other Kind = iota
	Row        // of numbers: the output has begun
	Start      // of a benchmark
	Title      // of a file
)

// KindOf returns the kind of a line, and the name that a title line gives.
func KindOf(line []byte, starts func([]byte) bool) (kind Kind, title string) {
	line = lex.Clean(line)
	if len(line) == 0 {
		return Other, ""
	}
	switch c := line[0]; {
	case c >= '0' && c <= '9':
		return Row, ""
	case c == '=':
		if m := fileTitle.FindSubmatch(line); m != nil {
			return Title, lex.Plain(string(m[1]))
		}
	case c == '#' || c == 's' || c == 'M' || c == 'N':
		if starts(line) {
			return Start, ""
		}
	case c == '}':
		return Row, "" // the end of a document of JSON
	case c == '{' && len(line) == 1:
		return Start, ""
	}
	return Other, ""
}

// Divided reports whether a text holds more than one output.
func Divided(text []byte, starts func([]byte) bool) bool {
	rows := false
	for line := range bytes.SplitSeq(text, []byte("\n")) {
		switch kind, _ := KindOf(line, starts); kind {
		case Row:
			rows = true
		case Start:
			if rows {
				return true
			}
		case Title:
			return true
		}
	}
	return false
}

// Sections divides a text into outputs. It is the reader of the current one.
type Sections struct {
	In     *bufio.Reader
	Starts func(line []byte) bool // reports whether a benchmark's output begins
	Title  string                 // of the current output, if it has one

	line      []byte // unread rest of the current line
	within    bool   // the next piece of in goes on with a line
	HasRows   bool   // the output has rows
	held      bool   // the line is the first of the next output
	following string // the title of that
	lines     int    // so far
	Before    int    // the current output
	end       bool
	err       error
}

// Next advances to the next output, and reports whether there is one.
func (s *Sections) Next() bool {
	if s.lines == 0 && s.err == nil && !s.end {
		s.fill() // the first line may be a title
		return true
	}
	_, _ = io.Copy(io.Discard, s) // its errors were reported with the output
	if !s.held {
		return false
	}
	s.held, s.HasRows, s.Title, s.Before = false, false, s.following, s.lines-1
	return true
}

func (s *Sections) Read(p []byte) (n int, err error) {
	for len(s.line) == 0 && !s.held && !s.end && s.err == nil {
		s.fill()
	}
	switch {
	case s.held:
		return 0, io.EOF
	case len(s.line) > 0:
		n = copy(p, s.line)
		s.line = s.line[n:]
		return n, nil
	case s.err != nil:
		return 0, s.err
	}
	return 0, io.EOF
}

func (s *Sections) fill() {
	line, err := s.In.ReadSlice('\n')
	whole := !s.within
	s.within = err == bufio.ErrBufferFull
	if err != nil && err != io.EOF && !s.within {
		s.err = err
	}
	s.end = err == io.EOF
	s.line = line
	if !whole || len(line) == 0 {
		return
	}
	s.lines++
	switch kind, title := KindOf(line, s.Starts); {
	case kind == Row:
		s.HasRows = true
	case kind == Title:
		s.held, s.following = s.lines > 1, title
		if s.lines == 1 {
			s.Title = title
		}
	case kind == Start && s.HasRows:
		s.held, s.following = true, s.Title
	}
}
