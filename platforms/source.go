package platforms

import (
	"bytes"
	"fmt"
	"strings"
)

// A source is a platform file: its content, and where each key stands in the text.
type source struct {
	file
	name string
	text []byte           // nil: the file was made by a program
	keys map[string]entry // by path: "layer.dma.branches.0.up_to"
}

// An entry says where and how a path stands in the text.
type entry struct {
	offset int
	as     definition
	number int // of a table in the list of its kind, from 1; 0: none yet
}

// A definition says how a path came into the file. TOML has rules about what may follow what.
type definition int

// fail ends the reading with an error at a path; see [source.errorf].
func (s *source) fail(path, format string, args ...any) {
	panic(bail{s.errorf(path, format, args...)})
}

// must ends the reading at path if err is not nil.
func (s *source) must(path string, err error) {
	if err != nil {
		s.fail(path, "%w", err)
	}
}

// errorf returns an error with the line and column of the key at path or, if the file does not have
// it, of the closest enclosing table. A file without a text has no lines.
func (s *source) errorf(path, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	if s.text == nil {
		return fmt.Errorf("%s: %s: %w", s.name, path, what)
	}
	for at := path; at != ""; at = at[:max(0, strings.LastIndexByte(at, '.'))] {
		if k, found := s.keys[at]; found {
			return fmt.Errorf("%s: %s: %w", s.position(k.offset), path, what)
		}
	}
	return fmt.Errorf("%s: %w", s.name, what)
}

// failAt ends the reading with an error at an offset in the text.
func (s *source) failAt(offset int, format string, args ...any) {
	panic(bail{fmt.Errorf("%s: %w", s.position(offset), fmt.Errorf(format, args...))})
}

// position returns file, line and column, as editors find them.
func (s *source) position(offset int) string {
	before := s.text[:offset]
	line, column := 1+bytes.Count(before, []byte("\n")), offset-bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("%s:%d:%d", s.name, line, column)
}

// A bail is a panic with the error of a file. The readers of tables call each other many levels
// deep, and the first error ends all of them; [catch] returns it from the outermost.
type bail struct{ error }

// catch sets err to the error that ended the reading.
func catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case bail:
		*err = r.error
	default:
		panic(r)
	}
}

// join returns the path of a key in the table at path; either may be empty.
func join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}

const (
	undefined  definition = iota
	implied               // a table, by the header of a table inside it
	byHeader              // a table
	byBrackets            // a list of tables, by double brackets
	byDots                // a table, by keys with dots
	byValue               // complete
)
