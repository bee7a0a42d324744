package platforms

// A File is the content of a platform file. [Parse] fills it, and refuses all keys that are not in
// the schema; [File.Encode] writes it. Each kind of table is a list in the order of the file, since
// that is the order of layers, and of levels from inside out. Numbers are texts, since each may be
// a formula of other keys, with a unit and an interval.
type File struct {
	Title, Paper, Note string
	Clock              string // without it, times cannot be printed in cycles
	Default            string // the name of a layer; without it, the first one of the file
	Library            string // of collectives on the machine

	Levels, Stages, Layers, Measured, Collectives, Constants, Roofs, Protocols []Table

	Compute []Table // one, without a name
}

// A Table is a table of a platform file, such as [layer.eager]; FORMAT.md has its keys.
type Table struct {
	Name     string
	Keys     Keys
	Branches []Branch          // of a layer that chooses by size
	Sources  map[string]string // of single keys of a layer
}

// Keys are the texts of a table by its keys: one, or several of a list; "true" of a flag.
type Keys map[string][]string

// A Branch is one choice of a layer that chooses by size. Only that of a switch has an UpTo, and
// the last one has none.
type Branch struct{ Layer, UpTo string }

// Text returns the text of a key; "" without the key, or if it has a list.
func (t Table) Text(key string) string {
	if texts := t.Keys[key]; len(texts) == 1 {
		return texts[0]
	}
	return ""
}

// Set gives a key its text, or the texts of its list. Without a text the key is left out.
func (t *Table) Set(key string, texts ...string) {
	if t.Keys == nil {
		t.Keys = Keys{}
	}
	if delete(t.Keys, key); len(texts) > 1 || len(texts) == 1 && texts[0] != "" {
		t.Keys[key] = texts
	}
}
