package platforms

import (
	"slices"

	"github.com/halfpeak/halfpeak/model"
)

// The schema describes the keys of platform files. What is read, written, changed and explained
// follows from its rows; a new key is a row here, or in [model.Kind] or [machine.Keys].

// A form is what TOML has behind a key.
type form int

const (
	asText form = iota
	asList
	asFlag       // true or false
	asBranches   // of a layer
	asTable      // texts by key
	asTextOrList // one text, or several
)

// A key is a row of the schema.
type key struct {
	name   string
	form   form
	names  string // the kind of tables whose name, or names, the text is
	number *Param // what the number is, with its Measure; nil for other texts
	// at returns what the text sets; nil if the key's meaning takes more than the text. Of is a
	// *[Protocol], *[Measured] or *[MeasuredCollective].
	at   func(of any) any
	help string // a row of FORMAT.md; "": the row before tells of this key, too
}

// A tableKind describes the tables [NAME.*], or the one table [NAME].
type tableKind struct {
	name string
	one  bool // there is one table, whose name is empty
	of   func(f *file) *[]table
	keys []key
}

// find returns the row of a key; nil if the tables do not have it.
func (k *tableKind) find(name string) *key {
	if i := k.place(name); i >= 0 {
		return &k.keys[i]
	}
	return nil
}

// place returns the place of a key in the order of a written table; -1 if tables do not have it.
func (k *tableKind) place(name string) int {
	return slices.IndexFunc(k.keys, func(row key) bool { return row.name == name })
}

// names returns the keys, to hint at after a wrong one. Of equally close names, a hint takes the
// first.
func (k *tableKind) names() (all []string) {
	for _, row := range k.keys {
		all = append(all, row.name)
	}
	slices.Sort(all)
	return all
}

// numbers returns the parameters of a table, by key.
func (k *tableKind) numbers() map[string]Param {
	all := map[string]Param{}
	for _, row := range k.keys {
		if row.number != nil {
			all[row.name] = *row.number
		}
	}
	return all
}

// number returns the row of a number that an engine alone reads.
func number(name string, m model.Measure, at func(of any) any, help string) key {
	return key{name: name, number: &Param{Measure: m}, at: at, help: help}
}
