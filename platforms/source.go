package platforms

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// source is a document with the places of its keys.
type source struct {
	Document
	file      string
	positions map[string]position // of keys and values, by path: "layer.dma.branches.0.up_to"
	values    map[string]position
	notes     []string
}

// positionOf returns the position of the key at path or, if the file does not have it, of the
// closest enclosing table.
func (s *source) positionOf(path string) position {
	pos, found := s.positions[path]
	for p := path; !found && p != ""; pos, found = s.positions[p] {
		p = p[:max(0, strings.LastIndexByte(p, '.'))]
	}
	return pos
}

// valueAt returns the position of the key's value.
func (s *source) valueAt(path string) position {
	if pos, known := s.values[path]; known {
		return pos
	}
	return s.positionOf(path)
}

// errorf returns an error at the key at path or, if the file does not have it, at the closest
// enclosing table.
func (s *source) errorf(path, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	pos := s.positionOf(path)
	if pos == (position{}) {
		return fmt.Errorf("%s: %w", s.file, what)
	}
	return fmt.Errorf("%s:%d:%d: %s: %w", s.file, pos.line, pos.column, path, what)
}

// fail ends the reading with an error at path; see errorf.
func (s *source) fail(path, format string, args ...any) {
	panic(bail{s.errorf(path, format, args...)})
}

func (s *source) must(path string, err error) {
	if err != nil {
		s.fail(path, "%w", err)
	}
}

// A bail is a panic with the error of a file, which [catch] returns from the function that reads
// it.
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

// compare orders paths as they stand in the file.
func (s *source) compare(a, b string) int {
	p, q := s.positions[a], s.positions[b]
	return cmp.Or(p.line-q.line, p.column-q.column, strings.Compare(a, b))
}

// inOrder returns the keys of a table in the order of the file.
func (s *source) inOrder(path string, table map[string]any) []string {
	return slices.SortedFunc(maps.Keys(table), func(a, b string) int { return s.compare(join(path, a), join(path, b)) })
}
