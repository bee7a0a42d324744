package platforms

import (
	"maps"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
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

// text returns the text of the key; "" if it is missing.
func text(keys []Key, name string) string { return value[string](keys, name) }

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

// A form is the form of a key's value.
type form int

const (
	texts    form = iota // a text
	truth                // true or false
	names                // a list of texts
	branches             // a list of { layer = "pio", up_to = "256B" }
	sources              // an inline table of texts
)

// schema has the keys of each kind of table, and of branches; "" are those outside of tables.
var schema = map[string]map[string]form{
	"":           keys("title", "paper", "note", "clock", "default"),
	"constant":   keys("value", "source"),
	"roof":       keys("rate", "source"),
	"stage":      keys("beta", "tau", "host", "resource", "at", "queue", "full", "source"),
	"protocol":   keys("full", "source").numbers(protocolFields).add(truth, "rounds"),
	"measured":   keys("runs", "resolution", "source").add(names, "sizes", "times", "deviations").add(truth, "operation"),
	"layer":      layerKeys(),
	"level":      keys("layer", "gap", "send", "receive", "shared", "port", "link", "topology", "source").numbers(levelFields),
	"collective": keys("collective", "algorithm", "statistic", "source").add(names, "ranks", "ranks_per_node", "sizes", "times", "runs", "deviations"),
	"branch":     keys("layer", "up_to"),
}

// formerKeys has, for each kind of table, the present names of keys that were renamed.
var formerKeys = map[string]map[string]string{
	"level":    {"holds": "arity", "eager": "eager_threshold"},
	"protocol": {"rendezvous": "eager_threshold"},
}

// tableKinds lists the kinds of table.
var tableKinds = []string{"constant", "roof", "stage", "protocol", "measured", "layer", "level", "collective"}

type formOf map[string]form

func keys(names ...string) formOf { return formOf{}.add(texts, names...) }

func (f formOf) add(what form, names ...string) formOf {
	for _, name := range names {
		f[name] = what
	}
	return f
}

func (f formOf) numbers(fields map[string]Param) formOf {
	return f.add(texts, slices.Collect(maps.Keys(fields))...)
}

// commonKeys are those that every layer may have.
var commonKeys = keys("model", "title", "note", "source", "protocol", "measured", "correlation", "times_of", "collective", "ranks").
	add(truth, "per_rank").add(names, "roofs").add(sources, "sources")

func layerKeys() formOf {
	f := maps.Clone(commonKeys)
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
