package platforms

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
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
	var deep position
	if s.positions, s.values, deep = index(text); deep.line > 0 {
		return nil, fmt.Errorf("%s:%d:%d: a key of more than %d parts; a platform's have at most 3", file, deep.line, deep.column, maxParts)
	}

	r := treeReader{source: s}
	for _, name := range s.inOrder("", tree) {
		if !slices.Contains(tableKinds, name) {
			s.Keys = append(s.Keys, r.key("", "", name, tree[name]))
			continue
		}
		tables, ok := tree[name].(map[string]any)
		if !ok {
			r.fail(s.positionOf(name), "%s must be a table; write [%s.NAME]", name, name)
			continue
		}
		for _, of := range s.inOrder(name, tables) {
			path := name + "." + of
			entries, ok := tables[of].(map[string]any)
			if _, several := tables[of].([]any); several {
				r.fail(s.positionOf(path), "a table in double brackets is a list; write it in single ones, as in [layer.eager]")
			} else if !ok {
				r.fail(s.positionOf(path), "%s.%s must be a table; write [%s.%s]", name, of, name, of)
			}
			s.Tables = append(s.Tables, Table{name, of, r.keys(name, path, entries)})
		}
	}
	slices.SortStableFunc(s.Tables, func(a, b Table) int { return s.compare(a.Kind+"."+a.Name, b.Kind+"."+b.Name) })
	if r.first != nil {
		return nil, r.first
	}
	return s, s.expandAliases()
}

// The most that a file may hold. The time that go-toml takes grows with the square of either; at
// these bounds it stays below a second.
const (
	maxTables = 5000
	maxKeys   = 20000
)

// expandAliases replaces the keys that stand for several fields, such as o of LogP.
func (s *source) expandAliases() error {
	for i := range s.Tables {
		t := &s.Tables[i]
		k, known := model.FindKind(text(t.Keys, "model"))
		if t.Kind != "layer" || !known {
			continue
		}
		path := "layer." + t.Name
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

// A treeReader makes a document of what go-toml read. It goes on after an error, and keeps the one
// that stands first in the file.
type treeReader struct {
	*source
	first error
	at    position // of the first error
}

func (r *treeReader) fail(at position, format string, args ...any) {
	if r.first == nil || at.before(r.at) {
		r.first, r.at = fmt.Errorf("%s:%d:%d: %w", r.file, at.line, at.column, fmt.Errorf(format, args...)), at
	}
}

func (r *treeReader) keys(kind, path string, entries map[string]any) []Key {
	return list.Map(r.inOrder(path, entries), func(name string) Key { return r.key(kind, path, name, entries[name]) })
}

func (r *treeReader) key(kind, path, name string, value any) Key {
	at := join(path, name)
	of := schema[kind]
	what, known := of[name]
	if !known {
		all := slices.Sorted(maps.Keys(of)) // among equals, the hint is the same each time
		if kind == "" {
			all = append(all, tableKinds...)
		}
		r.fail(r.positionOf(at), "unknown key %q%s", at, nearest.Hint(name, all))
		return Key{}
	}
	return Key{name, r.value(what, at, name, value)}
}

func (r *treeReader) value(what form, at, name string, value any) any {
	switch what {
	case truth:
		b, ok := value.(bool)
		if !ok {
			r.fail(r.valueAt(at), "%s must be true or false, without quotes", name)
		}
		return b
	case names:
		all, ok := value.([]any)
		if !ok {
			r.fail(r.valueAt(at), `%s must be a list of texts, as in ["a", "b"]`, name)
		}
		var names []string
		for i, v := range all {
			names = append(names, r.text(at+"."+strconv.Itoa(i), v))
		}
		return names
	case branches:
		all, ok := value.([]any)
		var branches [][]Key
		for i, v := range all {
			entry, isTable := v.(map[string]any)
			ok = ok && isTable
			branches = append(branches, r.keys("branch", at+"."+strconv.Itoa(i), entry))
		}
		if !ok {
			r.fail(r.valueAt(at), `%s must be a list, as in [{ layer = "pio", up_to = "256B" }, { layer = "dma" }]`, name)
		}
		return branches
	case sources:
		entries, ok := value.(map[string]any)
		if !ok {
			r.fail(r.valueAt(at), `%s must be a table, as in { G = "Table 4.2" }`, name)
		}
		var sources []Key
		for _, key := range r.inOrder(at, entries) {
			sources = append(sources, Key{key, r.text(at+"."+key, entries[key])})
		}
		return sources
	}
	return r.text(at, value)
}

func (r *treeReader) text(path string, value any) string {
	switch v := value.(type) {
	case string:
		return v
	case int64, float64:
		r.fail(r.valueAt(path), `write the number as text, with its unit if it has one, as in "5.9us/KB" or "8"`)
	default:
		r.fail(r.valueAt(path), `%s must be a text; write it in quotes`, path)
	}
	return ""
}
