package platforms

import "github.com/halfpeak/halfpeak/internal/list"

// A file is the content of a platform file, as texts: what [Parse] reads, and [Platform.Encode]
// writes. It has the tables of each kind by its name, in the order of the file, since that is the
// order of layers, and of levels from inside out. The keys of the file itself are a table without a
// name, of the kind "". Numbers are texts, since each may be a formula of other keys, with a unit
// and an interval.
type file map[string][]table

// top returns the keys of the file itself.
func (f file) top() table {
	if len(f[""]) == 0 {
		return table{}
	}
	return f[""][0]
}

// names returns the names of the tables of a kind, to hint at after a wrong one.
func (f file) names(kind string) []string {
	return list.Map(f[kind], func(t table) string { return t.Name })
}

// add adds a table of a kind.
func (f file) add(kind string, t table) { f[kind] = append(f[kind], t) }

// A table is a table of a platform file, such as [layer.eager]; FORMAT.md has its keys.
type table struct {
	Name     string
	Keys     map[string][]string // the text of a key, or those of a list; "true" of a flag
	Branches []branch            // of a layer that chooses by size
	Sources  map[string]string   // of single keys of a layer
}

// A branch is one choice of a layer that chooses by size. Only that of a switch has an UpTo, and
// the last one has none.
type branch struct{ Layer, UpTo string }

// notMeasured stands in a line for a size that was not measured on these ranks.
const notMeasured = "-"

// Text returns the text of a key; "" without the key, or if it has a list.
func (t table) Text(key string) string {
	if texts := t.Keys[key]; len(texts) == 1 {
		return texts[0]
	}
	return ""
}

// Set gives a key its text, or the texts of its list. Without a text the key is left out.
func (t *table) Set(key string, texts ...string) {
	if t.Keys == nil {
		t.Keys = map[string][]string{}
	}
	if delete(t.Keys, key); len(texts) > 1 || len(texts) == 1 && texts[0] != "" {
		t.Keys[key] = texts
	}
}

// source gives a key a source of its own.
func (t *table) source(key, text string) {
	if t.Sources == nil {
		t.Sources = map[string]string{}
	}
	t.Sources[key] = text
}
