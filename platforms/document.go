package platforms

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
)

// A Document is a platform file as written: keys, and behind them tables, in its order.
// [Document.Encode] writes it, [Parse] reads it and makes a platform of it.
type Document struct {
	Keys   []Key // title, paper, …
	Tables []Table
}

// A Table is a table of a platform file: [layer.eager] has the kind "layer" and the name "eager".
type Table struct {
	Kind, Name string
	Keys       []Key
}

// A Key is a key of a table with its value: a string, a bool, a []string, a []Key for an
// inline table, or a [][]Key for a list of them.
type Key struct {
	Name  string
	Value any
}

// find is the value of the key.
func find(keys []Key, name string) (any, bool) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return nil, false
	}
	return keys[i].Value, true
}

// text is the text of the key, "" if it is missing.
func text(keys []Key, name string) string {
	v, _ := find(keys, name)
	s, _ := v.(string)
	return s
}

// list is the list of the key, nil if it is missing.
func list(keys []Key, name string) []string {
	v, _ := find(keys, name)
	l, _ := v.([]string)
	return l
}

// Set gives the key of the table a value, in place of one that it has.
func (t *Table) Set(name string, value any) { set(&t.Keys, name, value) }

func set(keys *[]Key, name string, value any) {
	for i := range *keys {
		if (*keys)[i].Name == name {
			(*keys)[i].Value = value
			return
		}
	}
	*keys = append(*keys, Key{name, value})
}

// A form is what a key may have for a value.
type form int

const (
	texts    form = iota // a text
	flag                 // true or false
	names                // a list of texts
	branches             // a list of { layer = "pio", up_to = "256B" }
	sources              // an inline table of texts
)

// schema has the keys of each kind of table, and of branches; "" are those outside of tables.
var schema = map[string]map[string]form{
	"":         keys("title", "paper", "note", "clock", "default"),
	"constant": keys("value", "source"),
	"roof":     keys("rate", "source"),
	"stage":    keys("beta", "tau", "host", "resource", "at", "queue", "full", "source"),
	"protocol": keys("credits", "rendezvous", "retry", "inbox", "full", "poll", "interrupt", "source").with(flag, "rounds"),
	"measured": keys("runs", "resolution", "source").with(names, "sizes", "times", "deviations").with(flag, "operation"),
	"layer":    layerKeys(),
	"branch":   keys("layer", "up_to"),
}

// tableKinds are the kinds of table.
var tableKinds = []string{"constant", "roof", "stage", "protocol", "measured", "layer"}

type formOf map[string]form

func keys(names ...string) formOf { return formOf{}.with(texts, names...) }

func (f formOf) with(what form, names ...string) formOf {
	for _, name := range names {
		f[name] = what
	}
	return f
}

// commonKeys are those that every layer may have.
var commonKeys = []string{"model", "title", "note", "source", "sources", "roofs", "protocol", "measured", "correlation"}

func layerKeys() formOf {
	f := keys("model", "title", "note", "source", "protocol", "measured", "correlation").with(names, "roofs").with(sources, "sources")
	for _, k := range model.Kinds {
		for alias := range k.Aliases {
			f[alias] = texts
		}
		for _, p := range k.Parts {
			f[p.Key] = texts
		}
		if k.Branches != nil {
			f["branches"] = branches
		}
		if k.Stages != nil {
			f["stages"] = names
		}
		for _, p := range k.Fields {
			if f[p.Key] = texts; p.List {
				f[p.Key] = names
			}
		}
	}
	return f
}

// position is a place in a file; line and column count from 1.
type position struct{ line, column int }

// source is a document with the places of its keys.
type source struct {
	Document
	file      string
	positions map[string]position // of keys and values, by path: "layer.dma.branches.0.up_to"
	values    map[string]position
	notes     []string
}

// What a file holds at most. The time that go-toml takes grows with the square of either, and stays
// below a second.
const (
	maxTables = 5000
	maxKeys   = 20000
)

// decode reads the text strictly: an unknown key is an error.
func decode(file string, text []byte) (*source, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty; a platform has at least a [layer.NAME] with a model", file)
	}
	if i := bytes.IndexByte(text, 0); i >= 0 || !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: this is a binary file; a platform is a TOML text", file)
	}
	if tables, equals := bytes.Count(text, []byte("\n[")), bytes.Count(text, []byte("=")); tables > maxTables || equals > maxKeys {
		return nil, fmt.Errorf("%s: %d tables and %d keys; a platform has at most %d and %d", file, tables, equals, maxTables, maxKeys)
	}
	s := &source{file: file}
	var tree map[string]any
	if err := toml.Unmarshal(text, &tree); err != nil {
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			row, column := syntax.Position()
			return nil, fmt.Errorf("%s:%d:%d: %s", file, row, column, strings.TrimPrefix(syntax.Error(), "toml: "))
		}
		return nil, fmt.Errorf("%s: %s", file, strings.TrimPrefix(err.Error(), "toml: "))
	}
	s.positions, s.values = index(text)

	r := treeReader{source: s}
	for _, name := range s.inOrder("", tree) {
		if !slices.Contains(tableKinds, name) {
			if k, ok := r.key("", "", name, tree[name]); ok {
				s.Keys = append(s.Keys, k)
			}
			continue
		}
		tables, ok := tree[name].(map[string]any)
		if !ok {
			r.fail(s.at(name), "%s is a table; write [%s.NAME]", name, name)
			continue
		}
		for _, of := range s.inOrder(name, tables) {
			path := name + "." + of
			t := Table{Kind: name, Name: of}
			entries, ok := tables[of].(map[string]any)
			if _, several := tables[of].([]any); several {
				r.fail(s.at(path), "a table in double brackets is a list; write it in single ones, as in [layer.eager]")
			} else if !ok {
				r.fail(s.at(path), "%s.%s is a table; write [%s.%s]", name, of, name, of)
			}
			for _, key := range s.inOrder(path, entries) {
				if k, ok := r.key(name, path, key, entries[key]); ok {
					t.Keys = append(t.Keys, k)
				}
			}
			s.Tables = append(s.Tables, t)
		}
	}
	slices.SortStableFunc(s.Tables, func(a, b Table) int { return s.compare(a.Kind+"."+a.Name, b.Kind+"."+b.Name) })
	if err := r.err(); err != nil {
		return nil, err
	}
	return s, s.modernise()
}

// modernise gives what has several names the one that is used here.
func (s *source) modernise() error {
	for i := range s.Tables {
		t := &s.Tables[i]
		k, known := model.FindKind(text(t.Keys, "model"))
		if t.Kind != "layer" || !known {
			continue
		}
		path := "layer." + t.Name
		if old := text(t.Keys, "model"); old != k.Name {
			pos := s.at(path + ".model")
			s.notes = append(s.notes, fmt.Sprintf("%s:%d:%d: the model %q is called %q now", s.file, pos.line, pos.column, old, k.Name))
			t.Set("model", k.Name)
		}
		for alias, of := range k.Aliases {
			v, given := find(t.Keys, alias)
			if !given {
				continue
			}
			t.Keys = slices.DeleteFunc(t.Keys, func(k Key) bool { return k.Name == alias })
			for _, key := range of {
				if _, twice := find(t.Keys, key); twice {
					return s.errorf(path+"."+alias, "stands for %s; leave it out, or leave out those", strings.Join(of, " and "))
				}
				t.Keys = append(t.Keys, Key{key, v})
				s.positions[path+"."+key] = s.positions[path+"."+alias]
			}
		}
	}
	return nil
}

// A treeReader makes a document of what go-toml read. The error that stands first counts.
type treeReader struct {
	*source
	first  string
	before position
}

func (r *treeReader) fail(at position, format string, args ...any) {
	if r.first == "" || at.before(r.before) {
		r.first, r.before = fmt.Sprintf("%s:%d:%d: ", r.file, at.line, at.column)+fmt.Sprintf(format, args...), at
	}
}

func (r *treeReader) err() error {
	if r.first == "" {
		return nil
	}
	return errors.New(r.first)
}

// key reads a key of a table of the kind at path.
func (r *treeReader) key(kind, path, name string, value any) (Key, bool) {
	at := join(path, name)
	what, known := schema[kind][name]
	if !known {
		of := schema[kind]
		all := slices.Sorted(maps.Keys(of)) // among equals, the hint is the same each time
		if kind == "" {
			all = append(all, tableKinds...)
		}
		r.fail(r.at(at), "unknown key %q%s", at, nearest.Hint(name, all))
		return Key{}, false
	}
	switch what {
	case flag:
		if b, ok := value.(bool); ok {
			return Key{name, b}, true
		}
		r.fail(r.valueAt(at), "%s is true or false, without quotes", name)
	case names:
		all, ok := value.([]any)
		var list []string
		for i, v := range all {
			s, isText := r.text(at+"."+strconv.Itoa(i), v)
			if !isText {
				return Key{}, false
			}
			list = append(list, s)
		}
		if ok {
			return Key{name, list}, true
		}
		r.fail(r.valueAt(at), `%s is a list of texts, as in ["a", "b"]`, name)
	case branches:
		all, ok := value.([]any)
		var list [][]Key
		for i, v := range all {
			entry, isTable := v.(map[string]any)
			ok = ok && isTable
			var branch []Key
			of := at + "." + strconv.Itoa(i)
			for _, key := range r.inOrder(of, entry) {
				if k, ok := r.key("branch", of, key, entry[key]); ok {
					branch = append(branch, k)
				}
			}
			list = append(list, branch)
		}
		if ok {
			return Key{name, list}, true
		}
		r.fail(r.valueAt(at), `%s is a list, as in [{ layer = "pio", up_to = "256B" }, { layer = "dma" }]`, name)
	case sources:
		entries, ok := value.(map[string]any)
		var list []Key
		for _, key := range r.inOrder(at, entries) {
			s, isText := r.text(at+"."+key, entries[key])
			if !isText {
				return Key{}, false
			}
			list = append(list, Key{key, s})
		}
		if ok {
			return Key{name, list}, true
		}
		r.fail(r.valueAt(at), `%s is a table, as in { G = "Table 4.2" }`, name)
	default:
		if s, ok := r.text(at, value); ok {
			return Key{name, s}, true
		}
	}
	return Key{}, false
}

// text is a value that must be a text.
func (r *treeReader) text(path string, value any) (string, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case int64, float64:
		r.fail(r.valueAt(path), `a number without a unit; write it as text with its unit, as in "5.9us/KB"`)
	default:
		r.fail(r.valueAt(path), `%s is a text; write it in quotes`, path)
	}
	return "", false
}

// index finds where each key of a TOML text stands, and its value. The text has been decoded
// before, so it has no errors.
func index(text []byte) (keys, values map[string]position) {
	at := indexer{keys: map[string]position{}, values: map[string]position{}, arrays: map[string]int{}, lines: []int{0}}
	for i, c := range text {
		if c == '\n' {
			at.lines = append(at.lines, i+1)
		}
	}
	at.p.Reset(text)
	var table string
	for at.p.NextExpression() {
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
	return at.keys, at.values
}

type indexer struct {
	p            unstable.Parser
	keys, values map[string]position
	arrays       map[string]int
	lines        []int // where each line begins
}

// position is that of an offset. The parser's own Shape counts lines from the start of the file.
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
	for key.Next() {
		n := key.Node()
		path = join(path, string(n.Data))
		if _, known := x.keys[path]; !known || key.IsLast() {
			x.keys[path] = x.position(n.Raw.Offset)
		}
	}
	return path
}

// join is the path of a key in the table at path; either may be empty.
func join(path, key string) string {
	if path == "" || key == "" {
		return path + key
	}
	return path + "." + key
}

// at is where the key at path stands; of one that the file does not have, the closest table around
// it.
func (s *source) at(path string) position {
	pos, found := s.positions[path]
	for p := path; !found && p != ""; pos, found = s.positions[p] {
		p = p[:max(0, strings.LastIndexByte(p, '.'))]
	}
	return pos
}

// valueAt is where the value of the key stands.
func (s *source) valueAt(path string) position {
	if pos, known := s.values[path]; known {
		return pos
	}
	return s.at(path)
}

// errorf is an error at the key that path names, or if the file does not have it, at
// the closest table around it.
func (s *source) errorf(path, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	pos := s.at(path)
	if pos == (position{}) {
		return fmt.Errorf("%s: %w", s.file, what)
	}
	return fmt.Errorf("%s:%d:%d: %s: %w", s.file, pos.line, pos.column, path, what)
}

func (p position) before(q position) bool {
	return p.line < q.line || p.line == q.line && p.column < q.column
}

// compare orders paths as they stand in the file.
func (s *source) compare(a, b string) int {
	p, q := s.positions[a], s.positions[b]
	return cmp.Or(p.line-q.line, p.column-q.column, strings.Compare(a, b))
}

// inOrder are the keys of a table, as they stand in the file.
func (s *source) inOrder(path string, table map[string]any) []string {
	return slices.SortedFunc(maps.Keys(table), func(a, b string) int { return s.compare(join(path, a), join(path, b)) })
}

// tables are those of a kind, in order.
func (d *Document) tables(kind string) []Table {
	var all []Table
	for _, t := range d.Tables {
		if t.Kind == kind {
			all = append(all, t)
		}
	}
	return all
}

// tableNames are the names of the tables of a kind, in order.
func (d *Document) tableNames(kind string) []string {
	var all []string
	for _, t := range d.tables(kind) {
		all = append(all, t.Name)
	}
	return all
}
