package platforms

import (
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
)

// A Document is the content of a platform file: keys, and behind them tables. The order of the
// tables counts, since it is that of layers and levels, and a TOML library does not keep it.
// [Document.Encode] writes a document, [Parse] reads one and makes a platform of it.
type Document struct {
	Keys   []Key // title, paper, …
	Tables []Table
}

// tables returns the tables of a kind, in their order.
func (d *Document) tables(kind string) []Table {
	var all []Table
	for _, t := range d.Tables {
		if t.Kind == kind {
			all = append(all, t)
		}
	}
	return all
}

// tableNames returns the names of the tables of a kind, to hint at after a wrong name.
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

// find returns the value of a key, and whether it is there: an empty text is a value.
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

// set gives a key a value, at the place of its former value if it has one.
func set(keys *[]Key, name string, value any) {
	for i := range *keys {
		if (*keys)[i].Name == name {
			(*keys)[i].Value = value
			return
		}
	}
	*keys = append(*keys, Key{name, value})
}
