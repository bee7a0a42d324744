package platforms

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// source is the document of a file with the positions of its keys.
type source struct {
	Document
	file      string
	positions map[string]position // by path: "layer.dma.branches.0.up_to"
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

// position is a place in a file; line and column count from 1.
type position struct{ line, column int }

// positionsOf returns the positions of the keys of a TOML text, which go-toml has decoded without
// errors. The decoder cannot say them: it fills maps, and the order of tables is lost there.
func positionsOf(text []byte) map[string]position {
	x := walker{at: map[string]position{}, text: text, line: 1}
	x.p.Reset(text)
	lists := map[string]int{} // tables so far under a name in double brackets
	var table string
	for x.p.NextExpression() {
		e := x.p.Expression()
		switch e.Kind {
		case unstable.Table:
			table = x.key("", e.Key())
		case unstable.ArrayTable:
			name := x.key("", e.Key())
			table = name + "." + strconv.Itoa(lists[name])
			lists[name]++
		case unstable.KeyValue:
			x.value(x.key(table, e.Key()), e.Value())
		}
	}
	return x.at
}

// A walker collects positions. Keys come in their order, so it counts lines as it goes.
type walker struct {
	p           unstable.Parser
	at          map[string]position
	text        []byte
	line        int // the line that begins at start
	start, seen int // offsets: lines are counted up to seen
}

func (x *walker) position(offset int) position {
	passed := x.text[x.seen:max(offset, x.seen)]
	if last := bytes.LastIndexByte(passed, '\n'); last >= 0 {
		x.line += bytes.Count(passed, []byte("\n"))
		x.start = x.seen + last + 1
	}
	x.seen = max(offset, x.seen)
	return position{x.line, offset - x.start + 1}
}

// key appends a dotted key to the path and notes the position of each part.
func (x *walker) key(path string, key unstable.Iterator) string {
	for key.Next() {
		n := key.Node()
		path = join(path, string(n.Data))
		if _, known := x.at[path]; !known || key.IsLast() {
			x.at[path] = x.position(int(n.Raw.Offset))
		}
	}
	return path
}

// value notes the positions of the keys inside a value.
func (x *walker) value(path string, value *unstable.Node) {
	inside := value.Children()
	switch value.Kind {
	case unstable.InlineTable:
		for inside.Next() {
			entry := inside.Node()
			x.value(x.key(path, entry.Key()), entry.Value())
		}
	case unstable.Array:
		for i := 0; inside.Next(); i++ {
			element := path + "." + strconv.Itoa(i)
			x.at[element] = x.at[path]
			x.value(element, inside.Node())
		}
	}
}

// join returns the path of a key in the table at path; either may be empty.
func join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}
