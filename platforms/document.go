package platforms

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/halfpeak/halfpeak/internal/list"
)

// A Document is a platform file as written: keys, and behind them tables, in its order.
// [Document.Encode] writes it, [Parse] reads it and makes a platform of it.
type Document struct {
	Keys   []Key // title, paper, …
	Tables []Table
}

func (d *Document) tables(kind string) []Table {
	var all []Table
	for _, t := range d.Tables {
		if t.Kind == kind {
			all = append(all, t)
		}
	}
	return all
}

func (d *Document) tableNames(kind string) []string {
	return list.Map(d.tables(kind), func(t Table) string { return t.Name })
}

// NewDocument returns a document with a title.
func NewDocument(title string) Document {
	return Document{Keys: []Key{{Name: "title", Value: title}}}
}

// A Table is a table of a platform file: [layer.eager] has the kind "layer" and the name "eager".
type Table struct {
	Kind, Name string
	Keys       []Key
}

// NewTable returns a table with texts: names of keys, each followed by its value.
func NewTable(kind, name string, texts ...string) Table {
	t := Table{Kind: kind, Name: name}
	for i := 0; i < len(texts); i += 2 {
		t.Set(texts[i], texts[i+1])
	}
	return t
}

// Set gives the key of the table a value, in place of one that it has.
func (t *Table) Set(name string, value any) { set(&t.Keys, name, value) }

// A Key is a key of a table with its value: a string, a bool, a []string, a []Key for an
// inline table, or a [][]Key for a list of them.
type Key struct {
	Name  string
	Value any
}

func find(keys []Key, name string) (any, bool) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return nil, false
	}
	return keys[i].Value, true
}

// value returns the value of the key; the zero value if it is missing or of another type.
func value[T any](keys []Key, name string) T {
	v, _ := find(keys, name)
	t, _ := v.(T)
	return t
}

func text(keys []Key, name string) string { return value[string](keys, name) }

func set(keys *[]Key, name string, value any) {
	for i := range *keys {
		if (*keys)[i].Name == name {
			(*keys)[i].Value = value
			return
		}
	}
	*keys = append(*keys, Key{name, value})
}

// source is a document with the places of its keys.
type source struct {
	Document
	file      string
	positions map[string]position // of keys and values, by path: "layer.dma.branches.0.up_to"
	values    map[string]position
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

func (s *source) inOrder(path string, table map[string]any) []string {
	return slices.SortedFunc(maps.Keys(table), func(a, b string) int { return s.compare(join(path, a), join(path, b)) })
}

// position is a place in a file; line and column count from 1.
type position struct{ line, column int }

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// index returns the positions of the keys of a TOML text and of their values. The text must have
// been decoded without errors. index stops at a key of more than maxParts parts; deep is its
// position.
func index(text []byte) (keys, values map[string]position, deep position) {
	at := indexer{keys: map[string]position{}, values: map[string]position{}, arrays: map[string]int{}, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			at.lines = append(at.lines, i+1)
		}
	}
	at.p.Reset(text)
	var table string
	for at.deep.line == 0 && at.p.NextExpression() {
		e := at.p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = at.path("", e.Key())
			if e.Kind == unstable.ArrayTable {
				at.arrays[table]++
				table += "." + strconv.Itoa(at.arrays[table]-1)
			}
		case unstable.KeyValue:
			at.value(at.path(table, e.Key()), e.Value())
		}
	}
	return at.keys, at.values, at.deep
}

type indexer struct {
	p            unstable.Parser
	keys, values map[string]position
	arrays       map[string]int
	lines        []int // where each line begins
	deep         position
}

// position returns the position of an offset. The parser's own Shape counts lines from the start of
// the file.
func (x *indexer) position(offset uint32) position {
	line, found := slices.BinarySearch(x.lines, int(offset))
	if !found {
		line--
	}
	return position{line + 1, int(offset) - x.lines[line] + 1}
}

func (x *indexer) value(path string, value *unstable.Node) {
	if value.Raw.Length > 0 {
		x.values[path] = x.position(value.Raw.Offset)
	}
	switch value.Kind {
	case unstable.InlineTable:
		for it := value.Children(); it.Next(); {
			kv := it.Node()
			x.value(x.path(path, kv.Key()), kv.Value())
		}
	case unstable.Array:
		i := 0
		for it := value.Children(); it.Next(); i++ {
			element := path + "." + strconv.Itoa(i)
			x.keys[element] = x.keys[path]
			x.value(element, it.Node())
		}
	}
}

// path appends the dotted key to the path and notes where it stands.
func (x *indexer) path(path string, key unstable.Iterator) string {
	for parts := 1; key.Next(); parts++ {
		n := key.Node()
		if parts > maxParts {
			x.deep = x.position(n.Raw.Offset)
			return path
		}
		path = join(path, string(n.Data))
		if _, known := x.keys[path]; !known || key.IsLast() {
			x.keys[path] = x.position(n.Raw.Offset)
		}
	}
	return path
}

// maxParts bounds the parts of a dotted key, whose paths take room in the square of their number.
const maxParts = 32

// join returns the path of a key in the table at path; either may be empty.
func join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}
